#pragma once

#include <functional>
#include <string>

namespace heddle::test {

// Runs `work` in a process of its own, with a SystemC elaboration of its own, and returns what it returns. A
// failure or an exception there is a failure here. Call it before the parent makes any module.
std::string in_child(const std::function<std::string()>& work);

}  // namespace heddle::test
