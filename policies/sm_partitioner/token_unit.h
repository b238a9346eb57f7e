#pragma once
// The counters of the token scheduler and the choice among them (CUsched, Section III-C): one count for each
// context, the candidate with the highest count and the SM of the lowest. token.h has the rules.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// An SM that a kernel holds, as a victim of preemption.
struct HeldSm {
  ContextId context;  // of the kernel
  bool preempted = false;
  std::uint32_t running = 0;  // blocks
};

class TokenUnit {
 public:
  virtual ~TokenUnit() = default;

  // Sets the counts of the contexts 0 .. counts.size() - 1. `now` is the core cycle of this and the calls up
  // to the next begin().
  virtual void begin(const std::vector<std::int32_t>& counts, Cycle now);
  virtual void add(ContextId context, std::int32_t amount);
  // Returns the index of the context with the highest count in the list, which is not empty; the first of
  // equals.
  virtual std::size_t candidate(const std::vector<ContextId>& contexts);
  // Returns the index of the SM with the lowest count of its context among those whose count is less than
  // `below`. Of equals an SM that is preempted already goes first, then the one with the fewest running
  // blocks, then the first.
  virtual std::optional<std::size_t> victim(const std::vector<HeldSm>& sms, std::int32_t below);
  virtual void reset() { counts_.clear(); }

  const std::vector<std::int32_t>& counts() const { return counts_; }  // by context

 private:
  std::vector<std::int32_t> counts_;
};

}  // namespace heddle
