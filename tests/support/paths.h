#pragma once
// Where the tests find the source tree and what was built. Only paths.cpp is compiled with the paths, so that
// a compiler cache serves every checkout.

#include <string>

namespace heddle::test {

const std::string& source_directory();
const std::string& heddle_program();     // the heddle executable
const std::string& runtime_directory();  // the CUDA runtimes of captured programs
const std::string& cmake_program();

}  // namespace heddle::test
