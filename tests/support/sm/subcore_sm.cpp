#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {

CycleSmSpec subcore_sm() {
  CycleSmSpec spec = gtx480_sm();
  spec.pipeline = PipelineKind::kSubcore;
  spec.schedulers = 4;
  spec.buffer_entries = 3;
  spec.collect_latency = spec.dispatch_latency = spec.result_latency = 0;
  spec.units = {};
  for (const UnitKind unit :
       {UnitKind::kSp, UnitKind::kInt, UnitKind::kDp, UnitKind::kSfu, UnitKind::kTensor})
    spec.units[static_cast<std::size_t>(unit)] = {4, 1, 1};
  spec.units[static_cast<std::size_t>(UnitKind::kMemory)] = {1, 1, 1};
  const auto set = [&](Operation operation, UnitKind unit, std::uint32_t latency, std::uint32_t interval) {
    spec.operations[static_cast<std::size_t>(operation)] = {unit, latency, interval};
  };
  for (std::size_t i = 0; i < kOperations; ++i) spec.operations[i] = {UnitKind::kInt, 2, 2};
  set(Operation::kFloatAdd, UnitKind::kSp, 2, 1);
  set(Operation::kFloatMul, UnitKind::kSp, 2, 1);
  set(Operation::kFloatFma, UnitKind::kSp, 2, 1);
  set(Operation::kNop, UnitKind::kInt, 1, 1);
  set(Operation::kMove, UnitKind::kInt, 2, 1);
  set(Operation::kDouble, UnitKind::kDp, 6, 2);
  set(Operation::kSfu, UnitKind::kSfu, 21, 8);
  set(Operation::kTensor, UnitKind::kTensor, 16, 4);
  spec.instruction_cache.sets = 0;
  spec.subcore.instruction_cache.latency = 2;
  spec.memory_latency = 1;
  return spec;
}

CycleSmSpec subcore_sm_with_code() {
  CycleSmSpec spec = subcore_sm();
  spec.instruction_cache = {16, 4, 128, 128, false, 16, 48, 8, 1};
  spec.subcore.instruction_cache = {4, 4, 128, 128, false, 8, 16, 8, 2};
  spec.subcore.instruction_way = 39;
  return spec;
}

std::vector<std::uint64_t> issue_cycles(SmRig& rig) {
  std::vector<std::uint64_t> cycles;
  rig.after_tick = [&] { cycles.resize(rig.core().pipeline().issued(), rig.now().value); };
  rig.run();
  rig.after_tick = nullptr;
  return cycles;
}

std::vector<std::uint64_t> issue_cycles_of(std::vector<std::vector<ScriptedInstruction>> warps,
                                           const CycleSmSpec& spec) {
  const auto count = static_cast<std::uint32_t>(warps.size());
  ScriptedProgram program(std::move(warps));
  SmRig rig(spec, 100, {"cggty", {}});
  rig.launch(program, count);
  return issue_cycles(rig);
}

}  // namespace heddle::test
