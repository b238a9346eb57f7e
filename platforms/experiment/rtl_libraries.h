#pragma once
// The libraries of the blocks in RTL that a machine's policies name.

#include <functional>
#include <string>

#include "models/gpu/gpu_spec.h"

namespace heddle {

// Makes the library of each block that a policy of the GPU names, or finds it in the cache, and puts its path
// into the block's spec. Throws config::Error: see build_rtl_library() and check_pins().
void make_rtl_libraries(GpuSpec& gpu);

// Returns what says on stderr that the block is made, which takes a while.
std::function<void()> note_of_making(const std::string& name, const RtlSpec& spec);

// Returns the files on which the blocks that the policies name depend: descriptions and libraries. The
// libraries have been made.
std::vector<std::string> rtl_files(const GpuSpec& gpu);

}  // namespace heddle
