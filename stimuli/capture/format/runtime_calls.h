#pragma once
// Which functions of the CUDA runtime's and driver's interfaces Heddle's runtime library performs.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::capture {

// All names are in alphabetical order. A call of a function that is refused ends the program.
struct RuntimeCalls {
  std::vector<std::string> performed;
  std::vector<std::string> refused;
  std::vector<std::string> driver_performed;
  std::vector<std::string> driver_refused;
};

// `library` holds the bytes of Heddle's libcudart. Its refusals are weak symbols, so that a definition takes
// their place. Throws config::Error, whose message starts with `name`, for another file.
RuntimeCalls runtime_calls(std::string_view library, const std::string& name);

// Returns the functions of the CUDA runtime and the driver interface that a program or a library may call, in
// alphabetical order. Throws config::Error, whose message starts with `name`, for another file.
std::vector<std::string> calls_of_program(std::string_view program, const std::string& name);

}  // namespace heddle::capture
