#include "tests/support/sm/sm_rig.h"

#include <algorithm>

namespace heddle::test {

CycleSmSpec gtx480_sm() {
  CycleSmSpec spec;
  spec.schedulers = 2;
  spec.units[static_cast<std::size_t>(UnitKind::kSp)] = {2, 6, 2};
  spec.units[static_cast<std::size_t>(UnitKind::kSfu)] = {1, 8, 1};
  spec.units[static_cast<std::size_t>(UnitKind::kMemory)] = {1, 2, 1};
  const auto set = [&](Operation operation, UnitKind unit, std::uint32_t latency, std::uint32_t interval) {
    spec.operations[static_cast<std::size_t>(operation)] = {unit, latency, interval};
  };
  for (std::size_t i = 0; i < kOperations; ++i) spec.operations[i] = {UnitKind::kSp, 1, 1};
  set(Operation::kIntAdd, UnitKind::kSp, 4, 1);
  set(Operation::kIntMax, UnitKind::kSp, 13, 2);
  set(Operation::kIntMul, UnitKind::kSp, 4, 2);
  set(Operation::kIntMad, UnitKind::kSp, 5, 1);
  set(Operation::kIntDiv, UnitKind::kSp, 145, 8);
  set(Operation::kShuffle, UnitKind::kSp, 32, 4);
  set(Operation::kFloatAdd, UnitKind::kSp, 4, 1);
  set(Operation::kFloatMax, UnitKind::kSp, 13, 2);
  set(Operation::kFloatMul, UnitKind::kSp, 4, 1);
  set(Operation::kFloatFma, UnitKind::kSp, 5, 1);
  set(Operation::kFloatDiv, UnitKind::kSp, 39, 4);
  set(Operation::kDouble, UnitKind::kSfu, 8, 8);
  set(Operation::kDoubleDiv, UnitKind::kSfu, 330, 130);
  set(Operation::kSfu, UnitKind::kSfu, 8, 8);
  set(Operation::kTraceInt, UnitKind::kSp, 4, 1);
  set(Operation::kTraceSp, UnitKind::kSp, 4, 1);
  set(Operation::kTraceDp, UnitKind::kSfu, 8, 8);
  set(Operation::kTraceSfu, UnitKind::kSfu, 8, 8);
  spec.instruction_cache = {4, 4, 128, 128, false, 2, 48, 2, 1};
  spec.constant_cache = {64, 2, 64 * 2, 128, false, 2, 64, 4, 10};
  spec.l1 = {32, 4, 128, 128, true, 64, 8, 8, 35};
  spec.memory_latency = 2;
  spec.collect_latency = 1;
  spec.dispatch_latency = 2;
  spec.result_latency = 1;
  spec.shared_latency = 26;
  spec.stall_order = {Bucket::kPipelineMemory, Bucket::kPipelineAlu, Bucket::kScoreboardMemory,
                      Bucket::kScoreboardAlu,  Bucket::kBufferEmpty, Bucket::kBarrier};
  return spec;
}

CycleSmSpec gtx480_sm_with_stalls() {
  CycleSmSpec spec = gtx480_sm();
  spec.kernel_stalls = true;
  return spec;
}

SmLimits gtx480_limits() {
  SmLimits limits;
  limits.threads = 1536;
  limits.warps = 48;
  limits.registers = 32768;
  limits.register_granularity = 64;
  limits.shared_bytes = 48 * 1024;
  limits.shared_granularity = 128;
  limits.block_slots = 8;
  limits.threads_per_block = 1536;
  limits.registers_per_thread = 63;
  return limits;
}

std::vector<std::unique_ptr<WarpScheduler>> SmRig::policies(const CycleSmSpec& spec,
                                                            const PolicyChoice& choice) {
  std::vector<std::unique_ptr<WarpScheduler>> result;
  for (std::uint32_t i = 0; i < spec.schedulers; ++i)
    result.push_back(PolicyRegistry<WarpScheduler>::make(choice));
  return result;
}

std::uint64_t SmRig::accounted() {
  std::uint64_t cycles = 0;
  for (const std::uint64_t bucket : core_.accounts().totals().buckets) cycles += bucket;
  return cycles;
}

std::uint64_t SmRig::run(bool sleepy, std::uint64_t limit) {
  Cycle wake = now_;
  const std::uint64_t end = now_.value + limit;
  Cycle last = now_;
  for (; to_do_ > 0 && now_.value < end; now_ = now_ + 1) {
    bool answered = false;
    for (; !answers_.empty() && answers_.front().first <= now_; answers_.pop_front(), answered = true)
      core_.answer(answers_.front().second, now_);
    if (sleepy && !answered && now_ < wake) continue;
    const Cycle next = core_.tick(now_);
    ++ticks;
    if (after_tick) after_tick();
    last = now_;
    wake = core_.wants_to_send() ? now_ + 1 : next;
  }
  core_.finish(now_);  // of blocks that ended before a cycle
  core_.account_until(now_);
  return last.value;
}

}  // namespace heddle::test
