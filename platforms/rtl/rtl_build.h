#pragma once
// Makes the library of an RTL block: Verilator makes a C++ class of the block, and a compiler makes a library
// of the class and of the C interface of heddle_rtl.h. Libraries are kept in a cache.

#include <functional>
#include <string>

#include "models/rtl/rtl_spec.h"

namespace heddle {

struct RtlBuildOptions {
  std::string verilator;           // program; empty: $HEDDLE_VERILATOR, else "verilator" on $PATH
  bool force = false;              // makes the library anew if the cache has it
  std::function<void()> making{};  // called before the tools run, if there is one
};

// Returns the file of the block's library, which is the ready one that the block names, or one in the folder
// rtl/ of the user's cache (user_cache_folder()). Throws config::Error: a tool is not found, the sources are
// refused (the message has the first error, and names the log), a counter reads a signal that the block does
// not have, or the block has options that run commands and is not trusted. Throws Interrupted; nothing is
// left then of what was being made.
std::string build_rtl_library(const RtlSpec& spec, const RtlBuildOptions& options = {});

}  // namespace heddle
