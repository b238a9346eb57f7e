#pragma once

#include <functional>
#include <string>

namespace heddle::test {

// Runs `work` in a process of its own, with a SystemC elaboration of its own, and returns its result. A
// failure or an exception in that process fails the test of the parent. It must be called before the parent
// makes any module.
std::string in_child(const std::function<std::string()>& work);

}  // namespace heddle::test
