#pragma once
// Which functions of the CUDA runtime's interface Heddle's runtime library performs.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::capture {

struct RuntimeCalls {
  std::vector<std::string> performed;  // both in alphabetical order
  std::vector<std::string> refused;    // a call of one ends the program
};

// `library` holds the bytes of Heddle's libcudart. Its refusals are weak symbols, so that a definition takes
// their place. Throws config::Error, whose message starts with `name`, for another file.
RuntimeCalls runtime_calls(std::string_view library, const std::string& name);

// Returns the functions of the CUDA runtime that a program or a library calls, in alphabetical order. Throws
// config::Error, whose message starts with `name`, for another file.
std::vector<std::string> calls_of_program(std::string_view program, const std::string& name);

}  // namespace heddle::capture
