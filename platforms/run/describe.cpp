#include "platforms/run/describe.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "platforms/run/describe_requests.h"
#include "platforms/run/handover_results.h"
#include "platforms/run/result/merge_results.h"

namespace heddle {

namespace {

Ratio ratio(const Formula& formula) {
  return {formula.value(), formula.numerator_sum(), formula.denominator_sum()};
}

// Returns the requests of loads and stores to the L2; the SMs must be cycle SMs.
std::uint64_t transactions_of(const SmTotals& totals) {
  return totals.sum(&KernelCounts::loads) + totals.sum(&KernelCounts::stores);
}

// Returns the results that only cycle SMs have.
SmResult sms_of(const Gpu& gpu) {
  const MemoryPath& memory = *gpu.memory();
  const Utilisation& utilisation = *gpu.utilisation();
  SmResult sms;
  sms.icnt_hz = memory.icnt().frequency_hz();
  sms.l2_hz = memory.l2().frequency_hz();
  sms.dram_hz = memory.dram().frequency_hz();
  for (std::size_t i = 0; i < kBuckets; ++i)
    sms.sm_cycles[i] = gpu.sm_totals()->cycles(static_cast<Bucket>(i)).value();
  for (std::size_t i = 0; i < kBuckets; ++i)
    sms.issue_slots[i] = gpu.sm_totals()->slots(static_cast<Bucket>(i)).value();
  for (std::size_t i = 0; i < kUnitKinds; ++i)
    if (const Formula* formula = utilisation.unit(static_cast<UnitKind>(i))) sms.units[i] = ratio(*formula);
  sms.registers = ratio(utilisation.registers());
  sms.shared_memory = ratio(utilisation.shared_memory());
  sms.schedulable_warps = ratio(utilisation.schedulable_warps());
  if (const Formula* rate = utilisation.registers_hit_rate()) sms.registers_hit_rate = ratio(*rate);
  if (const Formula* rate = utilisation.shared_memory_hit_rate()) sms.shared_memory_hit_rate = ratio(*rate);
  if (const Formula* use = utilisation.registers_use()) sms.registers_use = ratio(*use);
  if (const Formula* use = utilisation.shared_memory_use()) sms.shared_memory_use = ratio(*use);
  sms.l1_miss_rate = ratio(utilisation.l1_miss_rate());
  sms.l2_miss_rate = ratio(memory.l2_miss_rate());
  sms.l2_mpki = ratio(memory.l2_mpki());
  return sms;
}

// Copies what a partitioner that profiles has decided, and the quotas of its last decision over all
// applications.
void describe_decisions(Machine& machine, RunResult& run) {
  const std::size_t applications = machine.kernel_log().contexts();
  for (const PartitionDecision& decision : machine.gpu().partitioner().decisions()) {
    DecisionResult told{decision.at.value, decision.kind, decision.loss, {}};
    std::vector<std::optional<std::uint32_t>> quotas(applications);
    std::set<std::uint32_t> seen;
    for (const PartitionDecision::Share& share : decision.shares) {
      const std::uint32_t context = share.context.value;
      told.shares.push_back({machine.spec().processes[context].program.name,
                             machine.kernel_log().kernels(context)[share.tag].name, share.blocks,
                             share.performance});
      seen.insert(context);
      if (decision.kind == PartitionDecision::Kind::kQuotas) quotas[context] = share.blocks;
    }
    run.decisions.push_back(std::move(told));
    if (is_choice(decision.kind) && seen.size() == applications) run.quotas = std::move(quotas);
  }
}

// Copies the sets of SMs of a partitioner that lets an application have some SMs and not others. One that
// lets an application have all or none, such as time slices do, has no sets. Sets that change during the run
// are not told.
void describe_sets(Machine& machine, RunResult& run) {
  if (machine.gpu().partitioner().follows_tokens()) return;
  const std::size_t sms = machine.gpu().spec().sm.count;
  MachineView view;
  view.sms.resize(sms);
  bool has_sets = false;
  for (std::uint32_t context = 0; context < machine.kernel_log().contexts(); ++context) {
    std::vector<std::uint32_t>& set = run.sm_sets.emplace_back();
    for (std::uint32_t sm = 0; sm < sms; ++sm)
      if (machine.gpu().partitioner().may_hold(view, ContextId{context}, sm)) set.push_back(sm);
    has_sets = has_sets || (!set.empty() && set.size() < sms);
  }
  if (!has_sets) run.sm_sets.clear();
}

ThrottleResult throttle_of(const KernelLog::KernelCounters& kernel) {
  const auto value = [&kernel](ThrottleSums::Field field) { return kernel.throttle[field].value(); };
  return {value(ThrottleSums::kSlices),        value(ThrottleSums::kSettled), value(ThrottleSums::kMost),
          value(ThrottleSums::kCaps),          value(ThrottleSums::kSamples), value(ThrottleSums::kCycles),
          value(ThrottleSums::kCyclesToSettle)};
}

LostWork lost_of(const KernelLog::KernelCounters& kernel) {
  return {kernel.blocks_flushed.value(), kernel.lost_cycles.value(), kernel.lost_warp_instructions.value()};
}

ApplicationResult application_of(const ProcessResult& process,
                                 const std::vector<KernelLog::KernelCounters>& kernels, bool is_throttled,
                                 bool is_flushed) {
  ApplicationResult application{
      process.application,      process.turnaround_ps,       process.completions,
      process.kernels_launched, process.bytes_copied,        process.warp_instructions,
      process.shared_ps,        process.shared_instructions, {}};
  for (const KernelLog::KernelCounters& kernel : kernels)
    application.kernels.push_back({kernel.name, kernel.ended.value(), kernel.cycles.value(),
                                   kernel.wait_cycles.value(), kernel.blocks_done.value(),
                                   kernel.warp_instructions.value(),
                                   is_throttled ? std::optional(throttle_of(kernel)) : std::nullopt,
                                   is_flushed ? std::optional(lost_of(kernel)) : std::nullopt});
  return application;
}

// Describes what the blocks in RTL beside the model have done.
std::vector<RtlComparison> comparisons_of(const Gpu& gpu) {
  std::vector<RtlComparison> all;
  for (const RtlBlock* block : gpu.rtl().blocks()) {
    if (!block->shadows()) continue;
    RtlComparison& one = all.emplace_back();
    one.block = "rtl." + block->spec().name;
    one.answers = block->role().is_interface;
    one.compared = block->choices.value();
    if (one.answers) one.unanswered = block->requests.value() - block->choices.value();
    one.differences = block->differences.value();
    const std::vector<RtlDivergence>& found = block->divergences();
    const auto first = std::min_element(found.begin(), found.end(),
                                        [](const auto& a, const auto& b) { return a.time_ps < b.time_ps; });
    if (first != found.end()) one.first = first->line();
  }
  return all;
}

}  // namespace

RunResult describe(Machine& machine) {
  const Gpu& gpu = machine.gpu();
  RunResult run;
  run.simulated_ps =
      static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
  run.cycles = gpu.active_cycles().value();
  run.shared_cycles = machine.kernel_log().shared_cycles(gpu.core().now());
  run.core_hz = gpu.core().frequency_hz();
  run.pcie_hz = gpu.pcie().frequency_hz();
  if (gpu.memory() != nullptr) run.sms = sms_of(gpu);
  run.occupancy = ratio(gpu.occupancy());
  run.fill = ratio(gpu.fill());
  describe_decisions(machine, run);
  describe_sets(machine, run);
  const bool is_throttled = gpu.throttle().caps();
  const bool is_flushed = gpu.preemption().answers(Handover::kFlush);
  run.handovers = handovers_of({&gpu});
  run.rtl = comparisons_of(gpu);
  std::size_t context = 0;
  for (const ProcessResult& process : machine.results()) {
    run.warp_instructions += process.warp_instructions;
    run.applications.push_back(
        application_of(process, machine.kernel_log().kernels(context++), is_throttled, is_flushed));
  }
  describe_requests(machine, run);
  if (gpu.energy() != nullptr) {
    run.energy_fj = gpu.energy()->total().value();
    run.dynamic_energy_fj = gpu.energy()->dynamic();
  }
  if (gpu.sm_totals() != nullptr) run.transactions = transactions_of(*gpu.sm_totals());
  return run;
}

RunResult describe(Machines& machines) {
  if (!machines.is_split()) return describe(machines[0]);
  std::vector<InstanceResult> instances;
  std::vector<const Gpu*> gpus;
  for (std::size_t i = 0; i < machines.count(); ++i) {
    InstanceResult& instance = instances.emplace_back();
    instance.sms = machines[i].gpu().spec().sm.count;
    instance.result = describe(machines[i]);
    gpus.push_back(&machines[i].gpu());
    for (std::size_t process = 0; process < instance.result.applications.size(); ++process)
      instance.applications.push_back(machines.process_of(i, process));
  }
  RunResult run = merge(std::move(instances));
  run.handovers = handovers_of(gpus);  // percentiles of several GPUs do not follow from those of each
  return run;
}

}  // namespace heddle
