#pragma once
// A LaneTransfer moves what lanes load, store or combine between their registers and a memory that holds
// bytes.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

inline std::uint64_t bytes_of_lane(const Access& access) {
  return std::uint64_t{access.bytes} * access.width;
}

class LaneTransfer {
 public:
  explicit LaneTransfer(LaunchState& state) : state_(state) {}

  // Executes the load, the store or the atomic for the active lanes. `places` has their bytes, which lie in
  // the memory. `shared` says that it is shared memory.
  void run(const WarpStep& at, const Access& access, const LanePlaces& places, bool shared = false);
  // Does so in a memory that several warps use, whose changes are noted under a watch.
  void run_watched(const WarpStep& at, const Access& access, const LanePlaces& places, bool shared = false);

 private:
  void copy_lanes(const WarpStep& at, const Access& access, const LanePlaces& places,
                  std::vector<std::byte>& to) const;

  LaunchState& state_;
  std::vector<std::byte> before_;  // under a watch: the bytes that an access may change, and afterwards
  std::vector<std::byte> after_;
};

}  // namespace heddle::ptx
