#pragma once
// Paths of the source tree and of built files. Only paths.cpp is compiled with these paths, so that a
// compiler cache can serve every checkout.

#include <string>

namespace heddle::test {

const std::string& source_directory();
const std::string& heddle_program();     // the heddle executable
const std::string& runtime_directory();  // holds the CUDA runtimes for captured programs
const std::string& rtl_directory();      // holds RTL libraries that are written by hand
const std::string& c_library();          // libheddle_c.so
const std::string& cmake_program();

}  // namespace heddle::test
