#pragma once
// Executes tex and sust.b: texture fetches and surface stores of a warp.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/texture.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class TextureUnit {
 public:
  TextureUnit(const LaunchState& state, const FaultReporter& faults) : state_(state), faults_(faults) {}

  // Both take a step with at least one active lane and write the addresses of the lanes' texels to `issued`.
  // They throw Fault where nothing is bound, where a texel lies outside of device memory, and where a store
  // with .trap lies outside of its surface.
  void fetch(const WarpStep& at, IssuedInstruction& issued) const;
  void store(const WarpStep& at, IssuedInstruction& issued) const;

 private:
  const Texture& texture_of(const WarpStep& at, std::uint32_t lane) const;
  void store_lane(const WarpStep& at, std::uint32_t lane, IssuedInstruction& issued) const;

  const LaunchState& state_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
