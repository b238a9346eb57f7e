#pragma once
// A LinkSpec describes the links between two kinds of blocks of the memory path.

#include <cstdint>

namespace heddle {

struct LinkSpec {
  // Requests and answers cross the link as transactions of the TLM-2.0 base protocol. Results are the same.
  bool base_protocol = false;
  // Cycles of the receiver's clock from a call to its effect, in both directions; 1 or more.
  std::uint64_t latency = 1;
};

}  // namespace heddle
