#pragma once

#include <cstdint>

namespace heddle {

// A ContextView is a context's share of the GPU as the host has written it to the context's registers.
struct ContextView {
  std::int32_t priority = 0;  // larger goes first
  std::int32_t tokens = 0;    // the SMs that it is entitled to, zero or more
  bool open = false;          // a process runs in it: its page table register is not zero
};

}  // namespace heddle
