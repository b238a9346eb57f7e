#pragma once
// Decision `crossbar_arbiter`: which input an output port of the crossbar serves next.
//
// Each output of each direction has a policy object of its own. The switch asks it in a cycle in which the
// output is free and inputs request it. The chosen packet passes if the output's buffer has room for all of
// it. If it does not, the switch asks again when something has changed.

#include <cstdint>

#include "models/core/base/ids.h"
#include "models/core/base/port_set.h"
#include "policies/registry.h"

namespace heddle {

// A RequestingPacket is the packet at the head of an input, as a policy that uses contexts sees it.
struct RequestingPacket {
  ContextId context;        // whose process sent the packet; none() if it is not known
  std::uint32_t flits = 1;  // the cycles for which the packet occupies the output
  Cycle since{};            // when the packet began to request the output, in cycles of the crossbar
};

struct OutputView {
  const PortSet& requests;  // inputs whose first packet wants this output; at least one
  // By input of `requests`: when the request of the packet was issued, in cycles of the initiator's clock.
  const Cycle* issued = nullptr;
  Cycle now{};  // cycle of the crossbar
  // By input of `requests`, for a policy that uses contexts; null for others. The values of the chosen packet
  // stay until granted() has returned.
  const RequestingPacket* packets = nullptr;
};

class CrossbarArbiter : public Policy {
 public:
  static constexpr const char* kDecision = "crossbar_arbiter";
  static constexpr bool kTakesRtl = true;
  static bool is_asked(const GpuDescription& gpu) { return gpu.has_dram; }
  static constexpr const char* kNeeds = "a crossbar section";

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Returns one of the requesting inputs, or kNone to serve none in this cycle. Every input that goes on
  // requesting must be chosen in finite time.
  virtual std::uint32_t choose(const OutputView& view) = 0;
  // The packet of the input that choose() has returned last has passed.
  virtual void granted(std::uint32_t) {}
  // Returns whether the policy looks at OutputView::packets. The answer never changes. If it is true, the
  // crossbar counts what each context was given.
  virtual bool uses_contexts() const { return false; }
  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

// Returns the requesting input with the lowest key, and the lowest input among equal keys.
template <class KeyOf>
std::uint32_t lowest_input(const PortSet& requests, KeyOf key_of) {
  std::uint32_t best = requests.first_from(0);
  auto lowest = key_of(best);
  requests.for_each([&](std::uint32_t input) {
    const auto key = key_of(input);
    if (!(key < lowest)) return;
    lowest = key;
    best = input;
  });
  return best;
}

HEDDLE_DECISION(CrossbarArbiter);

}  // namespace heddle
