#pragma once
// An SmPipeline executes the instructions of the warps that a Residence holds. Another generation of SMs is
// another class with this interface; the residence and everything outside of models/sm stay as they are.
//
// A cycle is advance(), and if that returns kWaitsForTurn, issue() later in the same cycle. Pipelines of
// several SMs may advance at the same time. Those that wait for their turn issue one after another.

#include "models/sm/residence/issue_masks.h"
#include "models/sm/residence/memory_owner.h"
#include "models/sm/residence/resident_table.h"
#include "policies/resource_manager/i_resource_manager.h"

namespace heddle {

// A SwapAccess moves lines between the SM and swap space.
struct SwapAccess {
  SwapTransfer transfer;  // of a saved block: at a virtual address
  MemoryOwner owner;
  bool is_saved = false;  // of a saved block
};

class WarpTracer;     // models/sm/pipeline/warp_tracer.h
class ClusterOutbox;  // models/sm/pipeline/cluster_outbox.h

class SmPipeline {
 public:
  static constexpr std::uint32_t kMostTransferLines = 64;  // of one SwapAccess

  virtual ~SmPipeline() = default;
  virtual void reset() = 0;
  // From now on the pipeline tells the tracer what its warps do. The call is made before the first cycle.
  virtual void trace(WarpTracer& tracer) = 0;

  // The residence calls these.

  // Blocks of the launch come. L1 drops the lines of its context.
  virtual void set_kernel(const KernelLaunch& launch, const KernelProgram& program) = 0;
  // From now on so many bytes of the memory that L1 and shared memory have in common are shared memory.
  virtual void set_carve_out(std::uint32_t bytes) = 0;
  // The warp has come to the slot, and may be fetched from now on.
  virtual void start_warp(std::uint32_t slot, BlockStream& stream) = 0;
  // The warp issues nothing more. What has been fetched for it is dropped; what it has issued completes.
  virtual void stop_warp(std::uint32_t slot) = 0;
  // Returns whether the warp has no instruction and no store in flight.
  virtual bool is_quiet(std::uint32_t slot) const = 0;
  // The resource manager has made these warps schedulable.
  virtual void resume(WarpMask warps) = 0;
  // Queues a transfer. Its warp is not quiet before it has completed if it loads or is of a saved block, and
  // does not issue before a load of the resource manager has completed.
  virtual void move(const SwapAccess& access) = 0;

  // The SM calls these.

  // Both return the cycle of the next advance() if no input comes before, or never. A request that waits is
  // not included. advance() returns kWaitsForTurn if issue() is to follow.
  static constexpr Cycle kWaitsForTurn{0};
  virtual Cycle advance(Cycle now) = 0;
  virtual Cycle issue(Cycle now) = 0;
  virtual void answer(std::uint64_t number, Cycle now) = 0;
  // Returns whether a request waits for MemoryRequestPort::can_send().
  bool wants_to_send() const { return wants_to_send_; }
  // The transfers to other SMs of the GPC, which the SM sends.
  virtual ClusterOutbox& outbox() = 0;
  // Takes a signal to the block from another block of its cluster.
  virtual void receive(const ResidentBlock& block, const ClusterMessage& signal) = 0;
  virtual bool idle() const = 0;
  // Returns whether the pipeline still works for the launch: an instruction, a transfer or a fetch of it has
  // begun and is not complete. Requests that the SM has sent to L2 do not count.
  virtual bool holds(AccountId account) const = 0;

  virtual const IssueMasks& masks() const = 0;
  virtual std::uint64_t issued() const = 0;  // warp instructions since the reset
  // Returns the busy cycles of the unit before `now`: of a pipeline those in which the initiation interval of
  // the last instruction had not passed, of the load/store unit those with an instruction at its head.
  virtual std::uint64_t busy_cycles(UnitKind unit, Cycle now) const = 0;

 protected:
  // As of the last advance(), issue() or reset(). It is no virtual function, because the SM asks several
  // times in each cycle.
  bool wants_to_send_ = false;
};

}  // namespace heddle
