#pragma once
// SmCore is the cycle SM as pure logic. Warps of several kernels issue through fetch, instruction buffer,
// scoreboard, schedulers, operand collectors, units, load/store unit and barriers. models/sm/cycle_sm puts it
// behind sockets. sm_core_blocks.cpp has its functions for blocks, sm_core_saved_blocks.cpp those for blocks
// that leave before their end, and sm_core_resources.cpp those for the resource manager.
//
// The stages of a cycle run in this order, as in GPGPU-Sim: writeback, execute, read operands, issue, decode
// and fetch. An instruction without a conflict writes its result collect latency + dispatch latency + latency
// + result latency + 2 cycles after its issue, and an instruction that depends on it can issue in that cycle.

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "models/core/kernel/instruction_meter.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/sm_work.h"
#include "models/sm/core_stats.h"
#include "models/sm/cycle_accounts.h"
#include "models/sm/execution_units.h"
#include "models/sm/front_end.h"
#include "models/sm/load_store_unit.h"
#include "models/sm/operand_collector.h"
#include "models/sm/warp_inspector.h"
#include "models/sm/warp_table.h"
#include "policies/resource_manager/i_resource_manager.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class SmListener {
 public:
  virtual ~SmListener() = default;
  virtual void block_done(KsrId ksr, BlockId block, const SmWork& work) = 0;
  virtual void block_saved(KsrId /*ksr*/, BlockId /*block*/) {}  // the block has left; see SmCore::save()
  virtual void block_flushed(KsrId /*ksr*/, BlockId /*block*/, const SmWork& /*work*/) {}  // SmCore::flush()
  virtual void block_restored(KsrId /*ksr*/, BlockId /*block*/) {}  // its warps may issue; SmCore::go_on()
  // These functions are called only if the SM has a resource manager. warp_done() reports that a warp has
  // ended and that its block has other warps left. room_changed() reports how many blocks of the KSR may come
  // since its set-up, before the end of the cycle. resources_changed() reports what is in use on the SM.
  virtual void warp_done() {}
  virtual void room_changed(KsrId /*ksr*/, std::uint64_t /*blocks*/) {}
  virtual void resources_changed(std::uint32_t /*registers*/, std::uint32_t /*shared_bytes*/) {}
};

class SmCore {
 public:
  struct Deps {
    MemoryRequestPort& memory;
    SmListener& listener;
    InstructionMeter& meter;
    std::vector<std::unique_ptr<WarpScheduler>> schedulers;  // one for each scheduler of the spec
    std::unique_ptr<ResourceManager> manager = nullptr;      // null: blocks hold what they need to their end
  };
  // `name` appears in error messages. `name` and `spec` must outlive the core. `sm` is the number of this SM
  // and `sms` is the number of SMs; both determine the layout of local memory. `stats` is the group of the
  // SM.
  SmCore(const char* name, const CycleSmSpec& spec, const SmLimits& limits, std::uint32_t sm,
         std::uint32_t sms, std::uint32_t ksrs, Deps deps, Group& stats);

  // Drops every block and request, empties the caches and counts from cycle 0 again.
  void reset();

  // Blocks of this KSR belong to this kernel from now on. L1 drops the lines of the context, so that the
  // kernel sees what earlier kernels wrote.
  void set_kernel(KsrId ksr, const KernelLaunch& launch, KernelProgram& program);
  // Starts a block. Its warps can be fetched in the cycle `now`. The resources of the block must be free.
  void start(KsrId ksr, BlockId block, Cycle now);
  // Halts the blocks of the KSR: they issue no more instructions. Each block is done when its instructions in
  // flight have completed.
  void halt(KsrId ksr);
  // Stops the block as halt() does. It gives up its resources when its instructions in flight have completed,
  // and start() may then start it over, here or on another SM. Nothing happens if the block has ended.
  void flush(KsrId ksr, BlockId block);
  // From now on the oldest `blocks` blocks of the KSR issue, and its younger ones are paused until one of
  // those has ended. set_kernel() lifts the limit. Instructions in flight complete, and a paused warp may
  // fetch, but it issues nothing and waits for no reason.
  void limit(KsrId ksr, std::uint32_t blocks);
  // Stops the block, stores its state to swap space and gives up its resources; what it needs to go on is in
  // `saved` then. Nothing happens if the block has ended.
  void save(KsrId ksr, BlockId block, SavedBlock& saved);
  // Goes on with a block. Its warps issue when its state has been loaded. The resources of the block must be
  // free.
  void go_on(KsrId ksr, BlockId block, const SavedBlock& saved, Cycle now);
  // Takes the answer to the request of that number. The call comes before the tick of its cycle.
  void answer(std::uint64_t number);
  // Counts the answer to a request of the launch, and whether its line missed L2.
  void count_answer(AccountId account, bool missed_l2) {
    KernelCounts& counts = counts_[account];
    ++counts.answers;
    counts.l2_misses += missed_l2 ? 1 : 0;
  }

  // A cycle is work(), and if that returns kFinishes, finish() and next_tick(). Cores of several SMs may call
  // work() at the same time. They call finish() one after another, in the order of the SMs. finish() tells
  // the programs which blocks have ended, and the meter how many instructions were issued. If a warp may
  // issue an instruction that takes turns, finish() also does all stages from issue on, which work() has left
  // out.
  //
  // All return the cycle of the next tick if no input comes before, or never. A request that waits is not
  // included: while wants_to_send() is true, the owner ticks the core when the request can be sent.
  static constexpr Cycle kFinishes{0};
  Cycle work(Cycle now);
  void finish(Cycle now);
  Cycle next_tick(Cycle now);
  Cycle tick(Cycle now);  // the whole cycle of an SM by itself
  bool wants_to_send() const { return front_end_.has_request() || lsu_.has_request(); }
  bool idle() const;

  // Accounts the cycles before `now`. It is called before the accounts and counts below are read.
  void account_until(Cycle now) { accounts_.account_until(now); }
  const CycleAccounts& accounts() const { return accounts_; }
  // Returns null unless the resource manager maps.
  const ResourceStats* resource_stats() const { return maps_ ? &resource_stats_ : nullptr; }
  // Returns the counts of registers and words of shared memory that are accessed in each epoch, or null if
  // the platform does not state `sm.use_epoch`.
  const ResourceUse* resource_use() const { return use_ ? &*use_ : nullptr; }
  // Returns the stalls of each kernel, which are counted if the spec asks for it.
  const KernelAccounts& kernel_accounts() const { return accounts_.kernels(); }
  // Returns the counts of the KSR since the reset, and those of a launch.
  KernelCounts counts(KsrId ksr) const;
  KernelCounts counts(AccountId account) const;
  // Returns whether an instruction or a request of the launch has begun and is not complete. Its blocks have
  // ended.
  bool holds(AccountId account) const;
  // The counts of the launch start at zero again. The totals of the SM keep them.
  void close(AccountId account);
  void update_stats(Cycle now);  // brings every statistic up to `now`
  const CoreStats& stats() const { return stats_; }
  // Returns the busy cycles of the unit before `now`, as ExecutionUnits and LoadStoreUnit define them.
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const {
    return unit == UnitKind::kMemory ? lsu_.busy_cycles(now) : alus_.busy_cycles(unit, now);
  }
  std::uint64_t issued() const { return instructions_issued_; }  // warp instructions since the reset
  const WarpTable& table() const { return table_; }
  std::uint32_t resident_blocks() const { return resident_; }

 private:
  // The kernel of a KSR.
  struct Kernel {
    KernelLaunch launch;
    KernelProgram* program = nullptr;
    std::uint64_t set_up = 0;  // its number; see WarpView
    std::uint32_t limit = kNoLimit;
    std::vector<PhaseNeeds> phases;               // one or more; with a resource manager
    KernelStalls last_epochs;                     // stalls of the KSR up to the end of its last epoch
    std::uint64_t started = 0;                    // blocks
    std::uint64_t told_room = ~std::uint64_t{0};  // what the listener knows; at first nothing
    KernelCounts earlier;                         // of the launches before this one
  };
  static constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};

  struct SwapAccess {
    SwapTransfer transfer;  // of a saved block: at a virtual address
    MemoryOwner owner;
    bool is_saved = false;  // of a saved block
  };

  // An EndedBlock has left the SM, because it has ended or is to start over. Its program has not been told.
  struct EndedBlock {
    KernelProgram* program;
    BlockStream* stream;
    BlockId block;
    bool flushed;
  };

  void give_back_ended_blocks();  // to their programs
  Cycle next_wake(Cycle now) const;
  void issue_and_fetch(Cycle now);
  void write_back(Cycle now);
  void execute(Cycle now);
  void access_memory(Cycle now);
  void issue(Cycle now);
  // Returns the slot of the warp that issues, or WarpScheduler::kDecline.
  std::uint32_t issue_from(std::size_t scheduler, WarpMask candidates, Cycle now);
  UnitKind issue_one(std::uint32_t slot, Cycle now);
  void decode(Cycle now);
  void send();

  WarpMask open() const;  // the warps whose next instruction finds room at its unit
  bool has_room(UnitKind unit) const;
  UnitKind unit_of(const Instruction& code) const { return units_[static_cast<std::size_t>(code.operation)]; }
  void look_at_next(std::uint32_t slot);
  void look_at_turn(std::uint32_t slot);
  void look_at_wait(std::uint32_t slot);
  void look_at_special_wait(
      std::uint32_t slot);  // of a fence or a wait for copies, or with a resource manager
  // Called when a load, a store or the result of a unit has completed.
  void look_again(std::uint32_t slot) {
    if (((table_.wait_alu | table_.wait_memory) & bit(slot)) != 0) look_at_wait(slot);
  }
  void reach_barrier(std::uint32_t slot, const Instruction& code);
  void release_barriers(ResidentBlock& block);
  void end_warp(std::uint32_t slot);
  void retire(std::uint32_t slot, const Instruction& code);
  void retire_if_done(std::uint32_t slot);
  void cut_short(ResidentBlock& block);  // its warps issue no more instructions
  void finish(ResidentBlock& block);
  // Takes a free block slot and the resources of a block.
  ResidentBlock& place(KsrId ksr, BlockId id, Cycle now);
  void place_warp(ResidentBlock& block, std::uint32_t number);  // in the lowest free slot
  void free_resources(ResidentBlock& block);                    // of a block that ends or leaves

  // The next stage of a block that leaves or goes on, once none of its warps has anything in flight.
  void advance_swap(ResidentBlock& block);
  bool is_quiet(const ResidentBlock& block) const;
  void set_stage(ResidentBlock& block, SwapStage stage);
  void store_state(ResidentBlock& block);
  void leave(ResidentBlock& block);
  void load_state(ResidentBlock& block, const SavedBlock& saved);
  void move_lines(const ResidentBlock& block, std::uint32_t slot, bool is_load, Address address,
                  std::uint32_t lines);
  HeldBytes held_by_warp(const ResidentBlock& block, std::uint32_t slot) const;
  HeldBytes held_by_block(const ResidentBlock& block) const;
  // Adds the work of a block to the counts of its launch. `counts_` has only the work of blocks that have
  // ended. Whoever reads totals therefore adds the work of the resident blocks.
  static void add_work(KernelCounts& counts, const ResidentBlock& block);
  static SmWork work_of(const ResidentBlock& block);  // on this SM, since the block came
  void apply_limit(KsrId ksr);
  void pause(ResidentBlock& block, bool paused);
  void update_accounts(const ResidentBlock& block);

  void watch_issue(std::uint32_t slot, const Instruction& code, Cycle now);  // if `watches_issue_`
  // The functions from here to manage_wait() are called only if the SM has a resource manager.
  void manage_kernel(KsrId ksr);
  void update_pending();  // after a call of the manager that may change which warps are schedulable
  void tell_room();
  void manage_wait(std::uint32_t slot, bool pending, bool fenced);  // the end of look_at_wait()
  void resume_managed(const ResidentBlock& block);
  // The functions from here to end_epoch() are called only if the resource manager maps.
  void read_sources(std::uint32_t slot, bool can_read);
  void write_destinations(std::uint32_t slot, const Instruction& code);
  void move_to_swap();  // takes over the transfers of the manager
  void swap_load_done(std::uint32_t slot);
  void end_epoch(Cycle now);

  void step_swap(Cycle now);
  Cycle next_swap(Cycle now) const;
  bool can_step_swap() const;

  const char* name_;
  const CycleSmSpec& spec_;  // all SMs share one spec, so that it stays in the host's cache
  const SmLimits limits_;
  std::array<UnitKind, kOperations> units_;  // by operation
  MemoryRequestPort& memory_;
  SmListener& listener_;
  InstructionMeter& meter_;
  InstructionTally& tally_;
  std::vector<std::unique_ptr<WarpScheduler>> policies_;  // one for each scheduler
  const std::unique_ptr<ResourceManager> manager_;        // may be null
  const bool maps_;                                       // whether there is a manager that maps
  const bool watches_issue_;                              // whether there is a manager, or `use_`

  WarpTable table_;
  const WarpInspector inspector_;                             // of `table_`
  std::array<WarpScheduler*, kMostSchedulers> schedulers_{};  // points to `policies_`
  const WarpMask first_scheduler_;                            // the warps of scheduler 0
  WarpMask used_slots_ = 0;
  WarpMask schedulable_ = 0;            // what the manager said last
  bool tells_room_ = false;             // the room for blocks may have changed in this cycle
  std::vector<KsrId> set_up_;           // the KSRs that have had a kernel on an SM with a manager
  std::vector<bool> kernels_in_epoch_;  // by KSR: the end of its epoch has been reported
  std::deque<SwapAccess> to_swap_;      // not yet in the load/store unit
  Cycle epoch_end_{0};                  // of a manager that maps
  BlockResources used_;
  std::uint32_t resident_ = 0;
  std::uint32_t swapping_ = 0;  // of these, those in a SwapStage other than kNone
  bool uses_swap_ = false;      // the resource manager maps, or a block has been saved or has gone on
  std::uint64_t set_ups_ = 0;
  std::uint64_t started_ = 0;    // blocks
  std::vector<Kernel> kernels_;  // by KSR
  // The counts of each launch. Blocks and instructions are those of ended blocks.
  AccountTable<KernelCounts> counts_;
  KernelCounts closed_;  // of launches whose account has been closed
  FrontEnd front_end_;
  OperandCollector collector_;
  ExecutionUnits alus_;
  LoadStoreUnit lsu_;
  CycleAccounts accounts_;
  CoreStats stats_;
  ResourceStats resource_stats_;
  std::optional<ResourceUse> use_;
  IssuedInstruction issued_;
  std::uint64_t instructions_issued_ = 0;
  BankCounts written_banks_;  // written in this cycle
  bool issued_any_ = false;
  bool takes_turns_ = false;     // a kernel that has been on the SM has instructions that take turns
  bool waits_for_turn_ = false;  // everything from issue on is left to finish()
  std::vector<EndedBlock> ended_;
};

}  // namespace heddle
