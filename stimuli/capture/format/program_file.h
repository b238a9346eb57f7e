#pragma once
// The properties of a program that its file shows before it runs.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::capture {

struct ProgramFile {
  bool elf = false;                 // false: perhaps a script
  bool device_code = false;         // has a section of fat binaries
  std::vector<std::string> needed;  // sonames of the libraries that it needs
};

// Reads the start of a file. All members are false for a file that is not a 64-bit ELF file. Throws
// config::Error, whose message starts with `name`, for a damaged ELF file.
ProgramFile read_program_file(std::string_view bytes, const std::string& name);

constexpr std::string_view kRelocatable =
    "__nv_relfatbin";  // the section of device code that is compiled apart

// Returns whether a section with this name has fat binaries.
bool is_device_code(std::string_view section);

// Returns the soname of the CUDA runtime that the program needs, or an empty text if it needs none. Throws
// config::Error, which says how to link, for a program that has device code and no such soname, because it is
// linked with the static runtime.
std::string runtime_of(const ProgramFile& program, const std::string& name);

}  // namespace heddle::capture
