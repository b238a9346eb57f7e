#pragma once
// The device code that stands in a program's file.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::capture {

// Returns the containers of fat binaries in the sections where compilers put them, in their order; none for a
// file that is not a 64-bit ELF file. Throws config::Error, whose message starts with `name`, for a damaged
// file.
std::vector<std::string_view> fat_binaries_of(std::string_view program, const std::string& name);

}  // namespace heddle::capture
