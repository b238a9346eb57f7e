#pragma once
// The Residence is what an SM knows of the thread blocks on it: which warps they have, whether these wait at
// a barrier or are paused, and when a block ends or leaves. The instructions of the warps are executed by an
// SmPipeline behind it. What blocks hold is booked by the SmModule (models/sm/sm_module), and with a resource
// manager by the manager.

#include <memory>
#include <optional>
#include <vector>

#include "models/core/kernel/kernel.h"
#include "models/sm/residence/block_saver.h"
#include "models/sm/residence/kernel_accounts.h"
#include "models/sm/residence/launch_work.h"
#include "models/sm/residence/managed_resources.h"
#include "models/sm/residence/resident_table.h"
#include "models/sm/residence/sm_listener.h"
#include "models/sm/residence/sm_pipeline.h"

namespace heddle {

class Residence {
 public:
  struct Deps {
    SmListener& listener;
    KernelAccounts& accounts;
    ResourceManager* manager;  // may be null
    // The cycles from the start of a block to the first issue of its warps: those of every block, and those
    // of each warp of the block.
    std::uint32_t block_start = 0;
    std::uint32_t warp_start = 0;
    bool saves_live_registers = false;  // blocks that are saved save no dead registers
  };
  // `name` appears in error messages, and must outlive the residence. `ksrs` is the number of KSRs of the
  // engine. `stats` is the group of the SM.
  Residence(const char* name, const SmLimits& limits, std::uint32_t ksrs, const Deps& deps, Group& stats);
  void attach(SmPipeline& pipeline);  // called once, before any of the functions below
  void reset();                       // drops every block

  // The engine's requests.

  // Blocks of this KSR belong to this kernel from now on. L1 drops the lines of the context, so that the
  // kernel sees what earlier kernels wrote.
  void set_kernel(KsrId ksr, const KernelLaunch& launch, KernelProgram& program);
  // Starts a block. Its warps can be fetched in the cycle `now`, and are paused while the block starts. The
  // resources of the block must be free. `cluster` is null for a block that is the only one of its cluster.
  void start(KsrId ksr, BlockId block, Cycle now,
             const std::shared_ptr<const ClusterPlaces>& cluster = nullptr);
  // Returns the cycle in which the next starting block has started. let_start() is called in that cycle.
  Cycle next_start() const { return next_start_; }
  void let_start(Cycle now);
  // Halts the blocks of the KSR: they issue no more instructions. Each block is done when its instructions in
  // flight have completed.
  void halt(KsrId ksr, Cycle now);
  // Stops the block as halt() does. It gives up its resources when its instructions in flight have completed,
  // and start() may then start it over, here or on another SM. Nothing happens if the block has ended.
  void flush(KsrId ksr, BlockId block, Cycle now);
  // From now on the oldest `blocks` blocks of the KSR issue, and its younger ones are paused until one of
  // those has ended. set_kernel() lifts the limit. Instructions in flight complete, and a paused warp may
  // fetch, but it issues nothing and waits for no reason.
  void limit(KsrId ksr, std::uint32_t blocks);
  // Stops the block, stores its state to this area of swap space and gives up its resources; the listener is
  // told what the block needs to go on. Nothing happens if the block has ended.
  void save(KsrId ksr, BlockId block, std::uint32_t area, Cycle now);
  // Goes on with a block. Its warps issue when its state has been loaded. The resources of the block must be
  // free.
  void go_on(KsrId ksr, BlockId block, const SavedBlock& saved, Cycle now);

  // The pipeline reports these.

  void arrive(std::uint32_t slot, const Instruction& barrier);  // the warp has issued a barrier
  void end_warp(std::uint32_t slot, Cycle now);                 // the warp issues nothing more
  // The warp has nothing in flight any more. Called if awaits_quiet().
  void warp_is_quiet(std::uint32_t slot, Cycle now);
  bool awaits_quiet(std::uint32_t slot) const {
    return (table_.live & bit(slot)) == 0 || saver_.has_blocks();
  }
  ResidentBlock& block(std::uint32_t slot) { return table_.blocks[slot]; }  // which counts its instructions
  // Returns the block of this rank in the cluster, or null if it has ended.
  const ResidentBlock* find(const ClusterPlaces& cluster, std::uint32_t rank) const;

  const ResidentTable& table() const { return table_; }
  const KernelLaunch& launch(KsrId ksr) const { return kernels_[ksr.value].launch; }
  ManagedResources* managed() { return managed_ ? &*managed_ : nullptr; }  // null: there is no manager
  const ManagedResources* managed() const { return managed_ ? &*managed_ : nullptr; }
  LaunchWork& work() { return work_; }
  const LaunchWork& work() const { return work_; }

  // Blocks that have left. give_back_ended_blocks() tells their programs.
  bool has_ended_blocks() const { return !ended_.empty(); }
  void give_back_ended_blocks();

 private:
  friend class BlockSaver;

  // The kernel of a KSR.
  struct Kernel {
    KernelLaunch launch;
    KernelProgram* program = nullptr;
    std::uint64_t set_up = 0;  // its number; see WarpView
    std::uint32_t limit = kNoLimit;
    std::uint32_t carve_out = 0;     // the shared memory that its blocks ask for, where L1 has the rest
    std::uint32_t shared_bytes = 0;  // that a block holds
  };
  static constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};

  // An EndedBlock has left the SM, because it has ended or is to start over. Its program has not been told.
  struct EndedBlock {
    KernelProgram* program;
    BlockStream* stream;
    BlockId block;
    bool flushed;
  };

  const char* name() const { return name_; }
  bool saves_live_registers() const { return deps_.saves_live_registers; }
  SmListener& listener() { return deps_.listener; }
  SmPipeline& pipeline() { return *pipeline_; }

  ResidentBlock* find(KsrId ksr, BlockId block);           // null: it has ended
  ResidentBlock& place(KsrId ksr, BlockId id, Cycle now);  // in a free block slot
  // Places the warp of that number in the lowest free slot, and returns the slot.
  std::uint32_t place_warp(ResidentBlock& block, std::uint32_t number, std::uint8_t phase);
  // The warps of a block that goes on have been placed. Those of `at_barrier` wait.
  void resume(const ResidentBlock& block, WarpMask at_barrier);
  void remove(ResidentBlock& block);                // with its warps that have not ended
  void cut_short(ResidentBlock& block, Cycle now);  // its warps issue no more instructions
  // A block of the kernel comes. On an SM without blocks shared memory becomes as large as the kernel asks
  // for. Beside other blocks it only grows, and holds all of them.
  void carve_out_for(const Kernel& kernel);
  void delay_start(ResidentBlock& block, Cycle now);
  void apply_limit(KsrId ksr);
  void pause(ResidentBlock& block, bool paused);
  void release_barriers(ResidentBlock& block);
  void finish(ResidentBlock& block, Cycle now);
  void leave(ResidentBlock& block);  // the block slot is free
  void tell_warps_done(std::uint32_t warps);

  const char* const name_;
  const SmLimits limits_;
  const Deps deps_;
  SmPipeline* pipeline_ = nullptr;
  ResidentTable table_;
  LaunchWork work_;
  BlockSaver saver_;
  std::optional<ManagedResources> managed_;
  WarpMask used_slots_ = 0;
  std::uint32_t carve_out_ = 0;  // bytes of shared memory, where L1 has the rest
  std::uint64_t set_ups_ = 0;
  std::uint64_t started_ = 0;  // blocks
  Cycle next_start_ = Cycle::never();
  std::vector<Kernel> kernels_;  // by KSR
  std::vector<EndedBlock> ended_;
};

}  // namespace heddle
