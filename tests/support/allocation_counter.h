#pragma once
// Counts the calls of the global operator new in this program while the counter is armed. It is not safe for
// several threads; the tests have only one.

#include <cstdint>

namespace heddle::test {

void arm_allocation_counter();              // starts at zero
std::uint64_t disarm_allocation_counter();  // returns the number of calls since arming

}  // namespace heddle::test
