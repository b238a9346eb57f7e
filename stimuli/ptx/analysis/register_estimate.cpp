#include "stimuli/ptx/analysis/register_estimate.h"

#include <algorithm>

#include "stimuli/ptx/analysis/block_merging.h"
#include "stimuli/ptx/analysis/block_schedule.h"
#include "stimuli/ptx/analysis/call_graph.h"
#include "stimuli/ptx/analysis/loop_unrolling.h"
#include "stimuli/ptx/analysis/machine_code.h"
#include "stimuli/ptx/analysis/register_assignment.h"

namespace heddle::ptx {
namespace {

// With so many registers a thread, an SM of compute capability 3.5 holds all its threads: 65,536 of 2,048.
constexpr std::uint32_t kFullOccupancy = 32;
constexpr std::uint32_t kGranularity = 8;  // registers of a thread that hardware allocates together

std::uint32_t round_up(std::uint32_t registers) {
  return (registers + kGranularity - 1) / kGranularity * kGranularity;
}

}  // namespace

Pressure register_estimate(const Function& function) {
  const FlowGraph graph(function);
  MachineCode code = machine_code(function, graph);
  merge_blocks(code);
  MachineCode frugal = code;
  unroll_loops(code);
  schedule(code, ScheduleGoal::kLatency);
  Pressure pressure = pressure_of(code);
  pressure.registers += kStackPointer;
  const std::uint32_t most = function.maxnreg != 0 ? function.maxnreg : ~std::uint32_t{0};
  const std::uint32_t full = std::min(kFullOccupancy, most);
  if (pressure.registers <= full) {
    pressure.registers = std::max(pressure.registers, std::min(registers_assigned(code, full), full));
    return pressure;
  }
  Pressure least = pressure_of(frugal);
  schedule(frugal, ScheduleGoal::kRegisters);
  if (Pressure other = pressure_of(frugal); other.registers < least.registers) least = std::move(other);
  least.registers += kStackPointer;
  if (least.registers <= most) least.registers = std::min(most, std::max(full, round_up(least.registers)));
  return least.registers < pressure.registers ? least : pressure;
}

std::vector<std::uint32_t> register_estimates(const Module& module) {
  std::vector<std::uint32_t> alone;
  for (const Function& function : module.functions)
    alone.push_back(function.code.empty() ? kStackPointer : register_estimate(function).registers);
  const CallGraph calls(module);
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    std::uint32_t most = 0;
    for (const std::uint32_t called : calls.reached_from(i)) most = std::max(most, alone[called]);
    all.push_back(most);
  }
  return all;
}

}  // namespace heddle::ptx
