#pragma once
// NVIDIA's libraries whose kernels are machine code. Heddle's runtime cannot execute them.

#include <string>
#include <string_view>

namespace heddle::capture {

// Returns what a program that needs a library, by its soname or file name, is told; empty: it is none of
// these libraries. The text says what to do: "libcublas.so.12, which is not supported: ...".
std::string refusal_of_library(std::string_view file);

}  // namespace heddle::capture
