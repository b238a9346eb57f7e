#pragma once

#include <cstdint>

namespace heddle {

// SmWork counts what an SM has done for a block or a kernel.
struct SmWork {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  // active lanes, summed over warp instructions
  std::uint64_t blocks = 0;               // blocks that ended

  SmWork& operator+=(const SmWork& other) {
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    blocks += other.blocks;
    return *this;
  }
};

}  // namespace heddle
