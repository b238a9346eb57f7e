#pragma once
// Loads a library of a block for trial, in a child process, so that a file that is damaged is an error message
// and not a crash.

#include <string>

namespace heddle {

// Throws an RtlError if loading the library, making an instance of its block and evaluating it once crashes or
// takes longer than ten seconds. What the library refuses in an orderly way is not told here; RtlLibrary tells
// it.
void try_rtl_library(const std::string& file);

}  // namespace heddle
