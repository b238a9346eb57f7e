#pragma once
// Decision `resource_manager`: when the warps of an SM hold registers, shared memory and a warp slot.
//
// Each cycle SM has a policy object of its own. Where the policy manages, blocks come to the SM as logical
// warps, as many as limits() says, and the policy says which of them are schedulable. Any other warp waits:
// it may fetch instructions, but it issues none. Where the policy does not manage, a block comes only if all
// its resources are free, and holds them to its end.

#include <cstdint>

#include "models/core/kernel/kernel.h"
#include "policies/registry.h"

namespace heddle {

class ResourceManager : public Policy {
 public:
  static constexpr const char* kDecision = "resource_manager";
  static bool is_asked(const GpuDescription& gpu) { return gpu.has_cycle_sms; }

  using WarpMask = std::uint64_t;  // a bit for each logical warp

  virtual bool manages() const { return false; }
  // Returns whether kernels are opened with phase specifiers in their code.
  virtual bool uses_phases() const { return false; }
  // Returns what the blocks on an SM may have at once. `sm` has the physical limits.
  virtual SmLimits limits(const SmLimits& sm) const { return sm; }

  // Called once, before any of the functions below. These are called only if the policy manages.
  virtual void attach(const SmLimits& /*sm*/) {}
  virtual void reset() {}

  // A block starts in a free logical block, with these logical warps, which are free, too.
  virtual void start_block(std::uint32_t /*block*/, WarpMask /*warps*/, const BlockShape& /*shape*/) {}
  // The warp waits at a barrier, and warps that waited go on.
  virtual void wait(std::uint32_t /*warp*/) {}
  virtual void go_on(WarpMask /*warps*/) {}
  virtual void end_warp(std::uint32_t /*warp*/) {}
  virtual void end_block(std::uint32_t /*block*/) {}  // all its warps have ended

  virtual WarpMask schedulable() const { return 0; }
  // The physical registers and the bytes of shared memory that are in use.
  virtual std::uint32_t registers_in_use() const { return 0; }
  virtual std::uint32_t shared_bytes_in_use() const { return 0; }
};

HEDDLE_DECISION(ResourceManager);

}  // namespace heddle
