#pragma once
// An InstructionMeter counts the warp instructions that each context has issued on all SMs, and reports when
// a context reaches its target.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class InstructionMeter {
 public:
  explicit InstructionMeter(std::size_t contexts) : contexts_(contexts) {}

  // The meter calls `reached` in the cycle in which a context has issued as many instructions as its target.
  void on_reached(std::function<void(ContextId)> reached) { reached_ = std::move(reached); }
  void set_target(ContextId context, std::uint64_t instructions) {
    contexts_[context.value].target = instructions;
  }

  void issued(ContextId id) {
    Context& context = contexts_[id.value];
    if (++context.count == context.target) reached_(id);
  }
  // Counts from 0 again. The targets stay.
  void reset() {
    for (Context& context : contexts_) context.count = 0;
  }
  std::uint64_t count(ContextId context) const { return contexts_[context.value].count; }

 private:
  struct Context {
    std::uint64_t count = 0;
    std::uint64_t target = 0;  // 0: none
  };

  std::vector<Context> contexts_;
  std::function<void(ContextId)> reached_;
};

}  // namespace heddle
