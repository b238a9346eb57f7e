#pragma once
// Decision `resource_manager`: when the warps of an SM hold registers, shared memory and a warp slot.
//
// Each cycle SM has a policy object of its own. Where the policy manages, blocks come to the SM as logical
// warps, as many as limits() says, and the policy says which of them are schedulable. Any other warp waits:
// it may fetch instructions, but it issues none. Where the policy does not manage, a block comes only if all
// its resources are free, and holds them to its end.
//
// A policy that maps may keep registers, shared memory and slots in swap space, a region of memory that each
// SM has. It then looks at every access, and says what has to be moved between the SM and swap space.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/kernel_stalls.h"
#include "policies/registry.h"
#include "policies/resource_manager/managed_resource.h"

namespace heddle {

struct SwapTransfer {
  bool is_load = false;       // from swap space
  std::uint8_t warp = 0;      // a load: the logical warp that cannot issue before the load has completed
  std::uint8_t block = 0;     // the logical block whose data they are
  std::uint32_t bytes = 0;    // whole lines
  std::uint64_t address = 0;  // from the start of the SM's swap space
};

constexpr std::uint32_t kStateBytes = 128;  // of a warp: its program counter and its SIMT stack

// What a warp or a block holds, in bytes.
struct HeldBytes {
  std::uint32_t on_chip = 0;
  std::uint32_t in_swap = 0;  // in swap space
};

// What a policy that maps has done with one resource.
struct ResourceCounts {
  std::uint64_t accesses = 0;  // of a register by a warp, or of a set of shared memory by an instruction
  std::uint64_t on_chip = 0;   // of these, those that found it on chip
  std::uint64_t stored = 0;    // sets that went to swap space with their contents
  std::uint64_t loaded = 0;    // sets that came back
  double threshold = 0;        // sets that may be in swap space, summed over `epochs`
  std::uint64_t swapped = 0;   // sets in swap space at the end of an epoch, summed over `epochs`
  std::uint64_t epochs = 0;
};

class ResourceManager : public Policy {
 public:
  static constexpr const char* kDecision = "resource_manager";
  static bool is_asked(const GpuDescription& gpu) { return gpu.has_cycle_sms; }

  using WarpMask = std::uint64_t;  // a bit for each logical warp
  using Lanes = std::uint32_t;     // a bit for each lane
  using Addresses = std::array<Address, kLanes>;

  virtual bool manages() const { return false; }
  // Returns whether kernels are opened with phase specifiers in their code.
  virtual bool uses_phases() const { return false; }
  // Returns what the blocks on an SM may have at once. `sm` has the physical limits.
  virtual SmLimits limits(const SmLimits& sm) const { return sm; }

  // Called once, before any of the functions below. These are called only if the policy manages.
  virtual void attach(const SmLimits& /*sm*/, const SmFaults& /*faults*/) {}
  virtual void reset() {}

  // Blocks of this KSR belong to another kernel from now on. No block of the KSR is on the SM. A block of the
  // kernel has so many warps, and `needs` is what its first phase needs.
  virtual void set_kernel(std::uint32_t /*ksr*/, std::uint32_t /*warps*/, const PhaseNeeds& /*needs*/) {}
  // Returns how many further blocks of the KSR's kernel the SM asks for. It may be sent more than that when
  // its state changes while blocks are on their way, but never more than limits() allows.
  virtual std::uint32_t room(std::uint32_t /*ksr*/) const { return 0; }
  // A block of the KSR's kernel starts in a free logical block, with these logical warps, which are free,
  // too. `needs` is what its first phase needs.
  virtual void start_block(std::uint32_t /*ksr*/, std::uint32_t /*block*/, WarpMask /*warps*/,
                           const PhaseNeeds& /*needs*/) {}
  // The warp waits at a barrier or a fence, and warps that waited go on.
  virtual void wait(std::uint32_t /*warp*/) {}
  virtual void go_on(WarpMask /*warps*/) {}
  virtual void end_warp(std::uint32_t /*warp*/) {}
  virtual void end_block(std::uint32_t /*block*/) {}  // all its warps have ended

  // The block leaves the SM with its warps that have not ended (decision `preemption`).
  virtual void remove_block(std::uint32_t /*block*/) {}
  // A block goes on that has left an SM. It comes as start_block() says, but with warps in any phase: `needs`
  // has the needs by warp, and the warps of `waiting` wait at a barrier.
  using WarpNeeds = std::array<PhaseNeeds, 64>;
  virtual void resume_block(std::uint32_t /*ksr*/, std::uint32_t /*block*/, WarpMask /*warps*/,
                            const WarpNeeds& /*needs*/, WarpMask /*waiting*/) {}
  // The registers and the state of a warp, and the shared memory of a block.
  virtual HeldBytes held_by_warp(std::uint32_t /*warp*/) const { return {}; }
  virtual HeldBytes held_by_block(std::uint32_t /*block*/) const { return {}; }

  virtual WarpMask schedulable() const { return 0; }
  // The physical registers and the bytes of shared memory that are in use.
  virtual std::uint32_t registers_in_use() const { return 0; }
  virtual std::uint32_t shared_bytes_in_use() const { return 0; }

  // A schedulable warp starts its next phase. It is called only if the policy uses phases.
  virtual void start_phase(std::uint32_t /*warp*/, const PhaseNeeds& /*needs*/) {}

  virtual bool maps() const { return false; }
  // The cycles that the table of a resource adds to each access.
  virtual std::uint32_t mapping_cycles() const { return 0; }
  // The functions below are called only if the policy maps.

  // A schedulable warp reads the sources of the instruction before its issue, and writes its destinations.
  // Both return whether there are transfers.
  virtual bool read_registers(std::uint32_t /*warp*/, const Instruction& /*code*/) { return false; }
  virtual bool write_registers(std::uint32_t /*warp*/, const Instruction& /*code*/) { return false; }
  // Lanes of the warp access their block's shared memory, each at its address. Returns those whose set is in
  // swap space, and puts the addresses in swap space into `addresses`.
  virtual Lanes access_shared(std::uint32_t /*warp*/, Lanes /*lanes*/, Addresses& /*addresses*/) { return 0; }
  // The transfers since the caller last emptied the list, in order.
  virtual std::vector<SwapTransfer>& transfers() { return no_transfers_; }
  virtual std::uint64_t swap_bytes() const { return 0; }  // size of an SM's swap space, whole lines

  // Each so many core cycles an epoch ends for every kernel with a block on the SM. `stalls` is what the
  // kernel waited for since its last epoch.
  virtual std::uint32_t epoch() const { return 0; }
  virtual void end_epoch(std::uint32_t /*ksr*/, const KernelStalls& /*stalls*/) {}
  virtual void end_epoch() {}  // after those of the kernels
  virtual ResourceCounts counts(ManagedResource) const { return {}; }

 private:
  std::vector<SwapTransfer> no_transfers_;
};

HEDDLE_DECISION(ResourceManager);

}  // namespace heddle
