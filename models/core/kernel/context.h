#pragma once

#include <cstdint>

namespace heddle {

// What the host lets a context have of the GPU, as its registers say.
struct ContextView {
  std::int32_t priority = 0;  // larger goes first
  std::int32_t tokens = 0;    // allotment, zero or more
  bool open = false;          // a running process has it: its page table register is not zero
};

}  // namespace heddle
