#pragma once
// Executes tex, tld4, suld.b and sust.b: texture fetches, and loads and stores of surfaces of a warp.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"
#include "stimuli/ptx/textures/texture.h"

namespace heddle::ptx {

class TextureUnit {
 public:
  TextureUnit(const LaunchState& state, const FaultReporter& faults) : state_(state), faults_(faults) {}

  // All take a step with at least one active lane and write the addresses of the lanes' texels to `issued`.
  // They throw Fault where nothing is bound, where a texel lies outside of device memory, and where an access
  // with .trap lies outside of its surface.
  void fetch(const WarpStep& at, IssuedInstruction& issued) const;
  void load(const WarpStep& at, IssuedInstruction& issued) const;
  void store(const WarpStep& at, IssuedInstruction& issued) const;

 private:
  const Texture& texture_of(const WarpStep& at, std::uint32_t lane) const;
  // Returns where a lane accesses a surface; 0: nowhere, because it lies outside and .zero is stated.
  Address surface_address(const WarpStep& at, std::uint32_t lane, IssuedInstruction& issued) const;

  const LaunchState& state_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
