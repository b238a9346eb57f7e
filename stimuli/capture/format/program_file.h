#pragma once
// What can be told from a program's file before it is run.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::capture {

struct ProgramFile {
  bool elf = false;                 // else perhaps a script
  bool device_code = false;         // it has a section for fat binaries
  std::vector<std::string> needed;  // libraries, by their sonames
};

// Of the start of a file that is no 64-bit ELF, all is false. Throws config::Error, which starts with `name`,
// for one that is damaged.
ProgramFile read_program_file(std::string_view bytes, const std::string& name);

// The soname of the CUDA runtime that it needs; empty: none. A program that has device code and needs none
// is linked with the static runtime: config::Error, which says how to link.
std::string runtime_of(const ProgramFile& program, const std::string& name);

}  // namespace heddle::capture
