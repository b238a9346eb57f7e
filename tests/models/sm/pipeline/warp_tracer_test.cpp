// The trace of an SM in exact cycles, with the numbers of the GTX 480.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/sm/sm_rig.h"
#include "tests/support/trace_recorder.h"

namespace heddle::test {

namespace {

using Script = std::vector<ScriptedInstruction>;
using Cycles = std::vector<std::uint64_t>;

struct Traced {
  TraceRecorder trace;
  std::uint64_t cycles = 0;  // of the run
  std::vector<MemoryRequest> requests;
};

Traced trace_of(const std::vector<Script>& warps, TraceWindow window = {},
                std::uint64_t memory_latency = 100) {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;  // fetch always hits
  Traced traced{TraceRecorder(window), 0, {}};
  ScriptedProgram program(warps);
  SmRig rig(spec, memory_latency);
  rig.core().trace(traced.trace, 0, 15);
  rig.launch(program, static_cast<std::uint32_t>(warps.size()));
  traced.cycles = rig.run();
  traced.requests = rig.requests;
  return traced;
}

std::vector<std::string> waits_of(const TraceRecorder& trace, std::uint32_t warp) {
  std::vector<std::string> waits;
  for (const TraceEvent& event : trace.events)
    if (event.stage == TraceStage::kWait && event.warp == warp)
      waits.push_back(fmt::format("{}-{} {}", event.since.value, event.at.value, event.detail));
  return waits;
}

TEST(WarpTracer, AnInstructionPassesItsStagesInTheCyclesOfThePlatform) {
  const Traced traced = trace_of({{alu(Operation::kFloatFma, {4}, {1, 2, 3})}});
  const CycleSmSpec spec = gtx480_sm();
  const std::uint64_t latency = spec.operations[static_cast<std::size_t>(Operation::kFloatFma)].latency;
  const Cycles issue = traced.trace.cycles_of(TraceStage::kIssue);
  ASSERT_EQ(issue.size(), 1u);
  const std::uint64_t read = issue.front() + 1 + spec.collect_latency;
  EXPECT_EQ(traced.trace.cycles_of(TraceStage::kFetch), Cycles{issue.front() - 2});
  EXPECT_EQ(traced.trace.cycles_of(TraceStage::kDecode), Cycles{issue.front() - 1});
  EXPECT_EQ(traced.trace.cycles_of(TraceStage::kOperands), Cycles{read});
  EXPECT_EQ(traced.trace.cycles_of(TraceStage::kDispatch), Cycles{read + 1});
  EXPECT_EQ(traced.trace.cycles_of(TraceStage::kWriteBack),
            Cycles{read + 1 + spec.dispatch_latency + latency + spec.result_latency});
  EXPECT_EQ(traced.trace.events.front().detail, "kernel block 0 warp 0");
}

TEST(WarpTracer, AWaitNamesItsReasonAndItsRegistersAndEndsBeforeTheIssue) {
  const Traced traced =
      trace_of({{alu(Operation::kFloatAdd, {5}, {1}), alu(Operation::kFloatAdd, {6}, {5, 5})}});
  const Cycles issue = traced.trace.cycles_of(TraceStage::kIssue);
  ASSERT_EQ(issue.size(), 2u);
  const CycleSmSpec spec = gtx480_sm();
  EXPECT_EQ(issue[1] - issue[0], spec.operations[static_cast<std::size_t>(Operation::kFloatAdd)].latency + 6);
  const std::vector<std::string> waits = waits_of(traced.trace, 0);
  EXPECT_EQ(waits.back(), fmt::format("{}-{} scoreboard_alu r5", issue[0] + 1, issue[1] - 1));
}

// Every cycle from the start of a warp to its last issue is an issue, or belongs to one run of a wait.
TEST(WarpTracer, EachCycleOfAWarpIsAnIssueOrOneWait) {
  std::vector<Script> warps(6, long_warp(8));
  const Traced traced = trace_of(warps);
  for (std::uint32_t warp = 0; warp < warps.size(); ++warp) {
    std::map<std::uint64_t, int> seen;  // by cycle
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    for (const TraceEvent& event : traced.trace.events) {
      if (event.warp != warp || !event.sm.valid()) continue;
      if (event.stage == TraceStage::kStart) begin = event.at.value;
      if (event.stage == TraceStage::kEnd) end = event.at.value;
      if (event.stage != TraceStage::kIssue && event.stage != TraceStage::kWait) continue;
      for (std::uint64_t cycle = event.since.value; cycle <= event.at.value; ++cycle) ++seen[cycle];
    }
    for (std::uint64_t cycle = begin; cycle <= end; ++cycle)
      ASSERT_EQ(seen[cycle], 1) << "warp " << warp << " cycle " << cycle;
  }
}

TEST(WarpTracer, AWarpAtABarrierAndOneThatWaitsForMemorySayWhatFor) {
  const ScriptedInstruction last = alu(Operation::kMove, {20}, {});
  const Script slow{memory(Operation::kLoad, MemorySpace::kGlobal, {12}, {}, {0x1000}),
                    alu(Operation::kFloatAdd, {13}, {12}), alu(Operation::kBarrier, {}, {}), last};
  const Script fast{alu(Operation::kBarrier, {}, {}), last};
  const Traced traced = trace_of({slow, fast});
  const Cycles arrivals = traced.trace.cycles_of(TraceStage::kBarrier);
  ASSERT_EQ(arrivals.size(), 2u);
  const auto waits_for = [&traced](std::uint32_t warp, const std::string& reason) {
    for (const TraceEvent& event : traced.trace.events)
      if (event.stage == TraceStage::kWait && event.warp == warp && event.detail == reason) return event;
    return TraceEvent{};
  };
  EXPECT_GT(waits_for(0, "scoreboard_memory r12").at.value, arrivals[0]);
  EXPECT_EQ(waits_for(1, "barrier").since.value, arrivals[0] + 1);
  EXPECT_EQ(waits_for(1, "barrier").at.value, arrivals[1] - 1);
}

// A load that misses L1 leaves the SM when L1 has passed, and its result is written one cycle after the
// answer.
TEST(WarpTracer, ALoadIsFollowedFromItsIssueToItsWriteBack) {
  const Traced traced = trace_of({{memory(Operation::kLoad, MemorySpace::kGlobal, {1}, {}, {0x1000})}});
  const CycleSmSpec spec = gtx480_sm();
  const Cycles dispatch = traced.trace.cycles_of(TraceStage::kDispatch);
  const Cycles access = traced.trace.cycles_of(TraceStage::kAccess);
  const Cycles request = traced.trace.cycles_of(TraceStage::kRequest);
  const Cycles send = traced.trace.cycles_of(TraceStage::kSend);
  ASSERT_EQ(send.size(), 1u);
  EXPECT_EQ(access, Cycles{dispatch.front() + spec.memory_latency});
  EXPECT_EQ(request, access);
  EXPECT_EQ(send, Cycles{access.front() + spec.l1.latency});
  EXPECT_EQ(traced.requests.front().trace, 1u);
}

TEST(WarpTracer, TheRequestsOfDifferentSmsHaveDifferentNumbers) {
  TraceRecorder trace;
  MemoryRequest request;
  WarpTracer first(trace, 0, 3);
  WarpTracer second(trace, 1, 3);
  ResidentTable resident;
  resident.blocks.resize(1);
  first.start(0, resident);
  second.start(0, resident);
  EXPECT_EQ(first.request(request, Cycle{1}), 1u);
  EXPECT_EQ(first.request(request, Cycle{1}), 4u);
  EXPECT_EQ(second.request(request, Cycle{1}), 2u);
}

TEST(WarpTracer, OutsideOfItsWindowAWarpTellsItsStartAlone) {
  const TraceWindow never{Cycle{1000000}, Cycle::never()};
  const Traced traced = trace_of({long_warp(4)}, never);
  ASSERT_EQ(traced.trace.events.size(), 1u);
  EXPECT_EQ(traced.trace.events.front().stage, TraceStage::kStart);
  for (const MemoryRequest& request : traced.requests) EXPECT_EQ(request.trace, 0u);
}

TEST(WarpTracer, ATraceChangesNothing) {
  const auto cycles = [](bool traced) {
    TraceRecorder trace;
    std::vector<Script> warps(6, long_warp(10, 1));
    ScriptedProgram program(warps);
    SmRig rig;
    if (traced) rig.core().trace(trace, 0, 15);
    rig.launch(program, 6);
    return std::make_pair(rig.run(), rig.ticks);
  };
  EXPECT_EQ(cycles(true), cycles(false));
}

}  // namespace

}  // namespace heddle::test
