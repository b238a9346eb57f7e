#pragma once
// The call graph of a module, and the shared memory that an entry needs with all its callees.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

class CallGraph {
 public:
  explicit CallGraph(const Module& module);

  // Returns the function and all functions that it may reach by calls, in ascending order.
  std::vector<std::uint32_t> reached_from(std::uint32_t function) const;
  // Returns the functions that the function itself may call, in ascending order.
  const std::vector<std::uint32_t>& calls_of(std::uint32_t function) const { return calls_[function]; }
  // Returns the shared variables that the function itself names, in ascending order.
  const std::vector<std::uint32_t>& shared_of(std::uint32_t function) const { return shared_[function]; }

 private:
  std::vector<std::vector<std::uint32_t>> calls_;  // by function
  std::vector<std::vector<std::uint32_t>> shared_;
};

// Sets `shared` and `static_shared_bytes` of the entry.
void lay_out_shared(Module& module, const CallGraph& calls, std::uint32_t entry);

}  // namespace heddle::ptx
