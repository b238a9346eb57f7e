#pragma once
// `heddle list PROGRAM`: what a CUDA program's file shows before it is captured.

#include <string>

namespace heddle {

// Prints the libraries and the calls of the CUDA runtime that the program needs and that are not supported,
// the kernels of each module by PTX version with the registers of their machine code, and the forms of PTX
// that are not read. The file may also be PTX itself. Throws config::Error for a file that cannot be read.
void list_program(const std::string& file);

}  // namespace heddle
