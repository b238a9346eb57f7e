#pragma once
// Decision `replacement`: which line of a full set a cache evicts. Each cache has a policy of its own, chosen
// where the cache is described.
//
// The cache's tags keep when each line was installed and last used, which is all that most policies need. A
// policy with state of its own asks to be told of every install and use.

#include <cstdint>

#include "policies/registry.h"

namespace heddle {

// A line as a policy sees it. Times count the uses of the whole cache from 1 on; an install is a use.
struct LineUse {
  std::uint64_t installed = 0;
  std::uint64_t used = 0;
  bool locked = false;  // a fill of the line is in flight: it cannot be evicted
};

class Replacement : public Policy {
 public:
  static constexpr const char* kDecision = "replacement";
  static constexpr const char* kDefault = "lru";  // of a cache that names none
  static constexpr const char* kElsewhere =
      "each cache has a policy of its own: l2.replacement, caches.l1.replacement";
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  static bool is_asked(const GpuDescription&) { return false; }  // a cache asks, not the GPU

  // The way to evict from a set without an empty way, or kNone where every line is locked. `lines` are its
  // ways in order. Asked again before any use or install the answer is the same.
  virtual std::uint32_t victim(std::uint32_t set, const LineUse* lines, std::uint32_t ways) = 0;

  // Called once, before all else.
  virtual void resize(std::uint32_t /*sets*/, std::uint32_t /*ways*/) {}

  // Whether the policy is told of installs and uses.
  bool keeps_state() const { return keeps_state_; }
  virtual void installed(std::uint32_t /*set*/, std::uint32_t /*way*/) {}
  virtual void used(std::uint32_t /*set*/, std::uint32_t /*way*/) {}

  // Forgets every install and use: the policy decides as a new one would.
  virtual void reset() {}

 protected:
  explicit Replacement(bool keeps_state = false) : keeps_state_(keeps_state) {}

 private:
  const bool keeps_state_;
};

HEDDLE_DECISION(Replacement);

// The way without a lock for which `time(line)` is least, the first of equals; kNone: all are locked.
template <class Time>
std::uint32_t earliest_way(const LineUse* lines, std::uint32_t ways, Time time) {
  std::uint32_t best = Replacement::kNone;
  for (std::uint32_t way = 0; way < ways; ++way)
    if (!lines[way].locked && (best == Replacement::kNone || time(lines[way]) < time(lines[best])))
      best = way;
  return best;
}

}  // namespace heddle
