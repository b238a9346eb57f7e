#pragma once
// Decision `write_drain`: with how many waiting writes a memory controller turns to them, and with how many
// it turns back. The controller asks at the start and after each drain, so that a policy may choose other
// numbers for the next drain. The policy is chosen where the DRAM is described: dram.write_drain.
//
// A controller serves either reads or writes. Whatever the policy decides, it serves writes while no read
// waits, and reads while no write does.

#include <cstdint>

#include "policies/registry.h"

namespace heddle {

// All numbers are requests.
struct WriteDrainView {
  std::uint32_t queue = 0;  // that the controller's queue holds, reads and writes together
  std::uint32_t high = 0;   // dram.write_high
  std::uint32_t low = 0;    // dram.write_low, which is less
  std::uint32_t reads = 0;  // reads that wait
};

// A drain starts when at least `start` writes wait. It ends when a read waits and at most `stop` writes are
// left: stop < start <= queue.
struct WriteDrainBounds {
  std::uint32_t start = 0;
  std::uint32_t stop = 0;
};

class WriteDrain : public Policy {
 public:
  static constexpr const char* kDecision = "write_drain";
  static constexpr const char* kDefault = "watermarks";  // of a platform that names none
  static constexpr const char* kElsewhere =
      "the policy of write drains is chosen where the DRAM is described: dram.write_drain";
  static bool is_asked(const GpuDescription&) { return false; }  // a memory controller asks, not the GPU

  virtual WriteDrainBounds decide(const WriteDrainView& view) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(WriteDrain);

}  // namespace heddle
