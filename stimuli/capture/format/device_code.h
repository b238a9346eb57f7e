#pragma once
// The device code that stands in a program's file.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::capture {

struct DeviceCode {
  std::vector<std::string_view> containers;  // of modules that are whole
  std::vector<std::string_view> parts;       // of modules that were compiled apart (nvcc -rdc=true)
};

// Returns the fat binaries in the sections where compilers put them, in their order; none for a file that is
// not a 64-bit ELF file. Throws config::Error, whose message starts with `name`, for a damaged file.
DeviceCode device_code_of(std::string_view program, const std::string& name);

}  // namespace heddle::capture
