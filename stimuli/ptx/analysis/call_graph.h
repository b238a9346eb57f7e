#pragma once
// Which functions call which, and what an entry needs of shared memory.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

class CallGraph {
 public:
  explicit CallGraph(const Module& module);

  // The function itself, and all that it may call, in the order of their numbers.
  std::vector<std::uint32_t> reached_from(std::uint32_t function) const;
  // The shared variables that the function names itself, in the order of their numbers.
  const std::vector<std::uint32_t>& shared_of(std::uint32_t function) const { return shared_[function]; }

 private:
  std::vector<std::vector<std::uint32_t>> calls_;  // by function
  std::vector<std::vector<std::uint32_t>> shared_;
};

// Fills `shared` and `static_shared_bytes` of the entry.
void lay_out_shared(Module& module, const CallGraph& calls, std::uint32_t entry);

}  // namespace heddle::ptx
