#pragma once
// Loads a library of a block for trial, in a child process, so that a file that is damaged is an error
// message and not a crash.

#include <string>

namespace heddle {

// Throws an RtlError if loading the library, making an instance of its block and evaluating it once fails,
// crashes or takes longer than ten seconds.
void try_rtl_library(const std::string& file);

}  // namespace heddle
