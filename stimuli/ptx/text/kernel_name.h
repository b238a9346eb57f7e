#pragma once

#include <string>

namespace heddle::ptx {

// Returns the name of a kernel from its symbol, without return type and parameters: "scale<float>" for
// "_Z5scaleIfEvPfi". A symbol that is not mangled is returned unchanged.
std::string kernel_name(const std::string& symbol);

}  // namespace heddle::ptx
