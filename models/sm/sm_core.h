#pragma once
// The cycle SM as pure logic: warps issue through fetch, instruction buffer, scoreboard, schedulers, operand
// collectors, units, load/store unit and barriers, with several kernels resident at once. models/sm/cycle_sm
// puts it behind the sockets.
//
// One cycle, in this order, as in GPGPU-Sim: writeback, execute, read operands, issue, decode and fetch. An
// instruction that meets no conflict writes its result latency + 2 cycles after its issue, and one that
// depends on it can issue in that cycle.

#include <memory>
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
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class SmListener {
 public:
  virtual ~SmListener() = default;
  virtual void block_done(KsrId ksr, BlockId block, const SmWork& work) = 0;
};

class SmCore {
 public:
  struct Deps {
    MemoryRequestPort& memory;
    SmListener& listener;
    InstructionMeter& meter;
    std::vector<std::unique_ptr<WarpScheduler>> schedulers;  // as many as the spec says
  };
  // name: in errors; spec: both must live as long. sm, sms: which of how many, for the layout of local
  // memory; stats: the group of the SM.
  SmCore(const char* name, const CycleSmSpec& spec, const SmLimits& limits, std::uint32_t sm,
         std::uint32_t sms, std::uint32_t ksrs, Deps deps, Group& stats);

  // Drops every block and request, empties the caches and counts from cycle 0 again.
  void reset();

  // What blocks of this KSR are from now on. L1 forgets the context's lines: a kernel sees what those before
  // it wrote.
  void set_kernel(KsrId ksr, const KernelLaunch& launch, KernelProgram& program);
  // The block's warps can be fetched for from this cycle on. Its resources must be free.
  void start(KsrId ksr, BlockId block, Cycle now);
  // The kernel's blocks here issue nothing more; they are done when what they have in flight has come back.
  void halt(KsrId ksr);
  // An answer to the request of that number, before the tick of its cycle.
  void answer(std::uint64_t number);

  // Returns when the next tick must be without further input, or never. While a request waits, see
  // wants_to_send().
  Cycle tick(Cycle now);
  bool wants_to_send() const { return front_end_.has_request() || lsu_.has_request(); }
  bool idle() const;

  // Accounts the cycles before `now`; call before reading what follows.
  void settle(Cycle now) { accounts_.slept(now); }
  const CycleAccounts& accounts() const { return accounts_; }
  KernelCounts counts(KsrId ksr) const;
  void add_counts(std::vector<KernelCounts>& sums) const;  // to those of each KSR
  void settle_stats(Cycle now);                            // brings every statistic up to `now`
  const CoreStats& stats() const { return stats_; }
  // Of the unit's pipelines before `now`; see ExecutionUnits and LoadStoreUnit.
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const {
    return unit == UnitKind::kMemory ? lsu_.busy_cycles(now) : alus_.busy_cycles(unit, now);
  }
  std::uint64_t issued() const { return stats_.issued(); }  // warp instructions
  const WarpTable& table() const { return table_; }
  std::uint32_t resident_blocks() const { return resident_; }

 private:
  struct Kernel {  // what a KSR stands for
    KernelLaunch launch;
    KernelProgram* program = nullptr;
  };

  Cycle next_wake(Cycle now) const;
  void write_back(Cycle now);
  void execute(Cycle now);
  void access_memory(Cycle now);
  void issue(Cycle now);
  bool issue_from(std::size_t scheduler, WarpMask candidates, Cycle now);
  UnitKind issue_one(std::uint32_t slot, Cycle now);
  void decode_and_fetch(Cycle now);
  void send();

  WarpMask open() const;  // warps whose next instruction finds room at its unit
  bool has_room(UnitKind unit) const;
  UnitKind unit_of(const Instruction& code) const {
    return is_memory(code.operation) ? UnitKind::kMemory
                                     : spec_.operations[static_cast<std::size_t>(code.operation)].unit;
  }
  void look_at_next(std::uint32_t slot);
  void look_at_wait(std::uint32_t slot);
  void look_again(std::uint32_t slot) {  // something it may have waited for has come
    if (((table_.wait_alu | table_.wait_memory) & bit(slot)) != 0) look_at_wait(slot);
  }
  void reach_barrier(std::uint32_t slot, const Instruction& code);
  void release_barriers(ResidentBlock& block);
  void end_warp(std::uint32_t slot);
  void retire(std::uint32_t slot, const Instruction& code);
  void retire_if_done(std::uint32_t slot);
  void finish(ResidentBlock& block);

  const char* name_;
  const CycleSmSpec& spec_;  // the same for all SMs: what a cycle reads of it stays in the host's cache
  const SmLimits limits_;
  const std::uint64_t first_thread_;  // of this SM, counted over the GPU's warp slots
  MemoryRequestPort& memory_;
  SmListener& listener_;
  InstructionMeter& meter_;
  std::vector<std::unique_ptr<WarpScheduler>> policies_;  // of the schedulers

  WarpTable table_;
  const WarpInspector inspector_;                             // of that table
  std::array<WarpScheduler*, kMostSchedulers> schedulers_{};  // those policies
  const WarpMask first_scheduler_;                            // its warps
  WarpMask used_slots_ = 0;
  BlockResources used_;
  std::uint32_t resident_ = 0;
  std::vector<Kernel> kernels_;       // by KSR
  std::vector<KernelCounts> counts_;  // by KSR, of all the kernels that were there; of ended blocks: work
  FrontEnd front_end_;
  OperandCollector collector_;
  ExecutionUnits alus_;
  LoadStoreUnit lsu_;
  CycleAccounts accounts_;
  CoreStats stats_;
  IssuedInstruction issued_;
  BankCounts written_banks_;  // in this cycle
  bool issued_any_ = false;
};

}  // namespace heddle
