#pragma once
// The ResourceWatch of an SM sees what its warps issue and write, for the SM's resource manager and for the
// counters of resource use by epoch. Most SMs have neither, and their pipeline does not ask the watch.

#include "models/sm/pipeline/issue_table.h"
#include "models/sm/residence/managed_resources.h"
#include "models/sm/residence/residence.h"
#include "models/sm/residence/resource_stats.h"

namespace heddle {

class ResourceWatch {
 public:
  // `use` is null if accesses are not counted by epoch. Both must outlive the watch.
  ResourceWatch(Residence& residence, ResourceUse* use)
      : residence_(residence),
        use_(use),
        managed_(residence.managed()),
        mapped_(managed_ != nullptr && managed_->maps() ? managed_ : nullptr) {}

  bool is_needed() const { return use_ != nullptr || managed_ != nullptr; }
  ManagedResources* managed() const { return managed_; }  // null if the SM has no resource manager
  ManagedResources* mapped() const { return mapped_; }    // the same if the manager maps, otherwise null

  // The warp in the slot has issued an instruction.
  void issue(std::uint32_t slot, IssueWarp& warp, const Instruction& code, const IssuedInstruction& issued,
             Cycle now) {
    if (use_ != nullptr) {
      const KernelLaunch& launch = residence_.launch(residence_.block(warp.block).ksr);
      use_->count(now, slot, warp.block, launch.shape.registers_per_thread, issued);
    }
    if (managed_ == nullptr) return;
    warp.sources_read = false;
    if (code.operation == Operation::kPhase) managed_->start_phase(slot, code.phase);
  }
  // An instruction of the warp in the slot has completed and has written its registers.
  void write_back(std::uint32_t slot, const Instruction& code) {
    if (mapped_ != nullptr) mapped_->write_registers(slot, code);
  }

 private:
  Residence& residence_;
  ResourceUse* const use_;
  ManagedResources* const managed_;
  ManagedResources* const mapped_;
};

}  // namespace heddle
