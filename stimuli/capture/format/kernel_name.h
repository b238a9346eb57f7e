#pragma once

#include <string>

namespace heddle::capture {

// A kernel's name as its program has it, without what it returns and takes, of its symbol:
// "scale<float>" of "_Z5scaleIfEvPfi". What is no such symbol stays as it is.
std::string kernel_name(const std::string& symbol);

}  // namespace heddle::capture
