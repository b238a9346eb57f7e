#pragma once
// A WarpPipeline executes the warps of an SM in order: it fetches and decodes, finds out what the next
// instruction of each warp waits for, issues by the warp schedulers' choice, and has a load/store unit. Two
// parts of it are particular to a generation of SMs: the front end, and the units with everything between
// the issue of an instruction and its result.
//
// A cycle does this, in this order: results are written back, the load/store unit works, instructions move on
// to their units, the schedulers issue, and instructions are decoded and fetched.
//
// The functions are in warp_pipeline_functions.h, which the sources of the two pipelines include.

#include <memory>
#include <vector>

#include "models/core/kernel/instruction_meter.h"
#include "models/core/link/memory_request.h"
#include "models/sm/pipeline/issue_schedulers.h"
#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/issue_waits.h"
#include "models/sm/pipeline/memory_stage.h"
#include "models/sm/pipeline/resource_watch.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/sm/residence/cycle_accounts.h"
#include "models/sm/residence/residence.h"
#include "models/sm/residence/sm_pipeline.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

struct WarpPipelineDeps {
  Residence& residence;
  CycleAccounts& accounts;
  MemoryRequestPort& memory;
  InstructionTally& tally;
  ResourceUse* use = nullptr;  // null: accesses are not counted by epoch
  IssueSchedulers::Policies schedulers;
};

// FrontEnd is CollectorFrontEnd or SubcoreFrontEnd, and Units is CollectorUnits or SubcoreUnits.
template <class FrontEnd, class Units>
class WarpPipeline final : public SmPipeline {
 public:
  // `spec` must outlive the pipeline. `local` has the local memory of the SM's warps. `swap` is the address
  // of its swap space. `stats` is the group of the SM.
  WarpPipeline(const CycleSmSpec& spec, const LocalLayout& local, Address swap, WarpPipelineDeps deps,
               Group& stats);

  void reset() override;
  void trace(WarpTracer& tracer) override;
  void set_kernel(const KernelLaunch& launch, const KernelProgram& program) override;
  void set_carve_out(std::uint32_t bytes) override { memory_.resize_l1(spec_.l1.bytes() - bytes); }
  void start_warp(std::uint32_t slot, BlockStream& stream) override;
  void stop_warp(std::uint32_t slot) override;
  bool is_quiet(std::uint32_t slot) const override {
    const IssueWarp& warp = table_.warps[slot];
    return warp.in_flight == 0 && warp.stores == 0 && warp.bulk_copies == 0;
  }
  void resume(WarpMask warps) override;
  void move(const SwapAccess& access) override { memory_.move(access); }

  Cycle advance(Cycle now) override;
  Cycle issue(Cycle now) override { return issue_and_fetch(now); }
  void answer(std::uint64_t number, Cycle now) override;
  ClusterOutbox& outbox() override { return memory_.outbox(); }
  void receive(const ResidentBlock& block, const ClusterMessage& signal) override {
    block.stream->receive(signal);
    waits_.find_waits_for_phases(block.running);
  }
  bool idle() const override { return front_end_.idle() && memory_.idle(); }
  bool holds(AccountId account) const override { return front_end_.holds(account) || memory_.holds(account); }

  const IssueMasks& masks() const override { return table_.next; }
  std::uint64_t issued() const override { return instructions_issued_; }
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const override {
    return unit == UnitKind::kMemory ? memory_.busy_cycles(now) : units_.busy_cycles(unit, now);
  }
  const IssueTable& table() const { return table_; }

 private:
  // Ends the memory instructions of sub-cores that have read their registers in this cycle.
  void end_reads(Cycle now);
  Cycle issue_and_fetch(Cycle now);  // returns the next cycle in which the SM is to wake, or never
  Cycle next_wake(Cycle now) const;  // the same, after a cycle without an issue
  void issue_from_schedulers(Cycle now);
  // Returns the slot of the warp that issues, or WarpScheduler::kDecline.
  std::uint32_t issue_from(std::size_t scheduler, WarpMask candidates, Cycle now);
  // Issues further instructions of a warp that has just issued one for the unit `last`, up to the issue
  // width.
  void issue_more(std::size_t scheduler, std::uint32_t slot, UnitKind last, Cycle now);
  UnitKind issue_one(std::size_t scheduler, std::uint32_t slot, Cycle now);
  // The instruction of `issued_` is one of the memory unit. Returns the entry of its UnitInstruction.
  std::uint32_t issue_to_memory(std::size_t scheduler, std::uint32_t slot, const ResidentBlock& block,
                                Cycle now);
  bool has_request() const { return front_end_.has_request() || memory_.has_request(); }

  // Returns the warps whose next instruction can issue if its unit has room.
  WarpMask ready() const {
    const IssueMasks& next = table_.next;
    return next.buffered & ~(next.wait_alu | next.wait_memory | resident_.held);
  }
  // Returns the warps whose next instruction finds room at its unit in the cycle.
  WarpMask open(Cycle now) const { return with_entry(units_.open(table_, now)); }
  WarpMask with_entry(WarpMask warps) const {
    return memory_.with_entry(warps, table_.next.next_on_memory());
  }
  void retire(std::uint32_t slot, const Instruction& code, Cycle now);
  // A load, a store or the result of a unit has completed.
  [[gnu::always_inline]] void complete(std::uint32_t slot, Cycle now) {
    waits_.complete(slot);
    if (residence_.awaits_quiet(slot) && is_quiet(slot)) residence_.warp_is_quiet(slot, now);
  }

  const CycleSmSpec& spec_;  // all SMs share one spec, so that it stays in the host's cache
  Residence& residence_;
  const ResidentTable& resident_;  // of `residence_`
  CycleAccounts& accounts_;
  InstructionTally& tally_;
  ResourceWatch watch_;
  bool is_watched_;  // there is a trace, or `watch_` is needed
  IssueTable table_;
  Units units_;
  IssueWaits waits_;
  IssueSchedulers schedulers_;
  FrontEnd front_end_;
  MemoryStage memory_;
  IssuedInstruction issued_;
  std::uint64_t instructions_issued_ = 0;
  bool issued_any_ = false;       // in this cycle
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

}  // namespace heddle
