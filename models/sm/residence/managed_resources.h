#pragma once
// ManagedResources asks the resource manager of an SM which warps can be scheduled and how many blocks may
// come, and tells it what the warps do and access. What the manager moves to or from swap space goes to the
// pipeline. An SM without a resource manager has none.

#include <memory>
#include <vector>

#include "models/sm/residence/kernel_accounts.h"
#include "models/sm/residence/resident_table.h"
#include "models/sm/residence/resource_stats.h"
#include "models/sm/residence/sm_listener.h"
#include "models/sm/residence/sm_pipeline.h"
#include "policies/resource_manager/i_resource_manager.h"

namespace heddle {

class ManagedResources {
 public:
  struct Deps {
    ResidentTable& table;
    SmListener& listener;
    KernelAccounts& accounts;
    ResourceManager& manager;
  };
  // `ksrs` is the number of KSRs of the engine. `stats` is the group of the SM.
  ManagedResources(const SmLimits& limits, std::uint32_t ksrs, const Deps& deps, Group& stats);
  void attach(SmPipeline& pipeline) { pipeline_ = &pipeline; }  // called once, before any of the others
  void reset();                                                 // the caller resets the manager, too

  bool maps() const { return maps_; }
  const ResourceStats& stats() const { return stats_; }
  void update_stats() { stats_.set(deps_.manager); }  // called if maps()

  // What blocks do.
  void set_kernel(KsrId ksr, const KernelLaunch& launch, const KernelProgram& program);
  void start_block(const ResidentBlock& block);
  void resume_block(const ResidentBlock& block);
  void end_warp(std::uint32_t slot) { deps_.manager.end_warp(slot); }  // update() follows
  void end_block(std::uint32_t block);
  void remove_block(std::uint32_t block);
  HeldBytes held_by_warp(std::uint32_t slot) const { return deps_.manager.held_by_warp(slot); }
  HeldBytes held_by_block(std::uint32_t block) const { return deps_.manager.held_by_block(block); }

  // What warps do. Others may have the slot of a warp that waits at a barrier or at a fence.
  void wait(std::uint32_t slot);
  void go_on(WarpMask warps);
  void set_at_fence(std::uint32_t slot, bool waits);
  void start_phase(std::uint32_t slot, std::uint8_t phase);

  // Finds out which warps are schedulable now.
  void update();
  bool is_schedulable(std::uint32_t slot) const { return (schedulable_ & bit(slot)) != 0; }

  // Accesses of registers and shared memory, which a manager that maps looks at. See ResourceManager.
  void read_registers(std::uint32_t slot, const Instruction& code) {
    if (deps_.manager.read_registers(slot, code)) move();
  }
  void write_registers(std::uint32_t slot, const Instruction& code) {
    if (deps_.manager.write_registers(slot, code)) move();
  }
  ResourceManager::Lanes access_shared(std::uint32_t slot, ResourceManager::Lanes lanes,
                                       ResourceManager::Addresses& addresses);

  // Ends the epoch if it is over, before the work of the cycle. Called if maps().
  void advance(Cycle now) {
    if (now >= epoch_end_) end_epoch(now);
  }
  Cycle next_epoch() const { return deps_.table.resident > 0 ? epoch_end_ : Cycle::never(); }
  // Tells the listener the room for blocks and what is in use, after the work of a cycle in which these may
  // have changed.
  void tell_changes(Cycle now) {
    if (has_changed_) tell_each(now);
  }

 private:
  // The kernel of a KSR.
  struct Kernel {
    std::vector<PhaseNeeds> phases;               // one or more
    KernelStalls last_epochs;                     // stalls of the KSR up to the end of its last epoch
    std::uint64_t started = 0;                    // blocks
    std::uint64_t last_room = ~std::uint64_t{0};  // what the listener knows; at first nothing
  };
  void move();  // passes the manager's transfers on
  void end_epoch(Cycle now);
  void tell_each(Cycle now);

  const SmLimits limits_;
  const Deps deps_;
  const bool maps_;
  SmPipeline* pipeline_ = nullptr;
  std::vector<Kernel> kernels_;  // by KSR
  std::vector<KsrId> set_up_;    // the KSRs that have had a kernel
  WarpMask schedulable_ = 0;     // what the manager said last
  bool has_changed_ = false;     // the room for blocks or what is in use may have changed in this cycle
  std::uint32_t registers_ = 0;  // in use, as of the last update()
  std::uint32_t shared_bytes_ = 0;
  std::vector<bool> kernels_in_epoch_;  // by KSR: the end of its epoch has been reported
  Cycle epoch_end_{0};                  // of a manager that maps
  ResourceStats stats_;
};

}  // namespace heddle
