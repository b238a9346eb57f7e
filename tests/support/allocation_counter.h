#pragma once
// Counts calls of the global operator new of this program while armed. Tests are single-threaded.

#include <cstdint>

namespace heddle::test {

void arm_allocation_counter();              // starts from zero
std::uint64_t disarm_allocation_counter();  // what was counted

}  // namespace heddle::test
