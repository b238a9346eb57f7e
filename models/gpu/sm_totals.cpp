#include "models/gpu/sm_totals.h"

namespace heddle {

SmTotals::SmTotals(const std::vector<SmCore*>& sms, Group& gpu) : sms_(sms) {
  Group& cycles = gpu.child("sm_cycles");
  for (std::size_t i = 0; i < kBuckets; ++i)
    cycles.add(cycles_[i], name_of(static_cast<Bucket>(i)), "cycle", "summed over the SMs; see there");
  add_categories(cycles);
  Group& slots = gpu.child("issue_slots");
  for (std::size_t i = 0; i < kBuckets; ++i)
    slots.add(slots_[i], name_of(static_cast<Bucket>(i)), "scheduler*cycle",
              "cycles of each scheduler, summed over the SMs; see there");
}

void SmTotals::add_categories(Group& group) {
  CounterList all;
  CounterList occupied;  // cycles with a warp that has not ended
  for (std::size_t i = 0; i < kBuckets; ++i) {
    all.emplace_back(cycles_[i]);
    if (static_cast<Bucket>(i) != Bucket::kNoWarp) occupied.emplace_back(cycles_[i]);
  }
  const Counter& pipeline_memory = cycles(Bucket::kPipelineMemory);
  const Counter& pipeline_alu = cycles(Bucket::kPipelineAlu);
  const Counter& scoreboard_memory = cycles(Bucket::kScoreboardMemory);
  const Counter& scoreboard_alu = cycles(Bucket::kScoreboardAlu);
  const Counter& buffer_empty = cycles(Bucket::kBufferEmpty);
  const Counter& barrier = cycles(Bucket::kBarrier);
  const Counter& no_warp = cycles(Bucket::kNoWarp);

  const std::string of_all = ", of all cycles (Warped-Slicer, Figure 1)";
  group.add_formula("warped_slicer_memory_latency", "1", "waits for long memory latency" + of_all,
                    {scoreboard_memory}, all);
  group.add_formula("warped_slicer_raw", "1", "waits for short read-after-write dependences" + of_all,
                    {scoreboard_alu}, all);
  group.add_formula("warped_slicer_execution", "1", "waits for an execution resource" + of_all,
                    {pipeline_memory, pipeline_alu}, all);
  group.add_formula("warped_slicer_instruction_buffer", "1", "instruction buffers empty" + of_all,
                    {buffer_empty}, all);

  const std::string of_occupied = ", of cycles with a warp (Perf-Sat, Section III-C)";
  group.add_formula("perf_sat_scoreboard_memory", "1", "scoreboarding stalls, memory" + of_occupied,
                    {scoreboard_memory}, occupied);
  group.add_formula("perf_sat_scoreboard_alu", "1", "scoreboarding stalls, ALU" + of_occupied,
                    {scoreboard_alu}, occupied);
  group.add_formula("perf_sat_pipeline_memory", "1", "pipeline stalls, memory" + of_occupied,
                    {pipeline_memory}, occupied);
  group.add_formula("perf_sat_pipeline_alu", "1", "pipeline stalls, ALU" + of_occupied, {pipeline_alu},
                    occupied);

  group.add_formula("perf_sat_idle", "1", "idle stalls, at a barrier" + of_occupied, {barrier}, occupied);
  group.add_formula("perf_sat_active", "1", "a warp issued" + of_occupied, {cycles(Bucket::kActive)},
                    occupied);

  group.add_formula("zorua_c_idle", "1",
                    "no warp issues though the pipeline is not stalled, of all cycles (Zorua, Table 1)",
                    {scoreboard_alu, buffer_empty, barrier, no_warp}, all);
  group.add_formula("zorua_c_mem", "1",
                    "warps wait for memory's data or at its pipeline, of all cycles (Zorua, Table 1)",
                    {scoreboard_memory, pipeline_memory}, all);
}

void SmTotals::update() {
  for (std::size_t b = 0; b < kBuckets; ++b) {
    std::uint64_t cycles = 0;
    std::uint64_t slots = 0;
    for (const SmCore* sm : sms_) {
      cycles += sm->accounts().counter(static_cast<Bucket>(b)).value();
      slots += sm->accounts().slots(static_cast<Bucket>(b));
    }
    cycles_[b].set(cycles);
    slots_[b].set(slots);
  }
}

std::uint64_t SmTotals::sum(std::uint64_t KernelCounts::*value) const {
  std::uint64_t sum = 0;
  for (const SmCore* sm : sms_) sum += sm->stats().totals().counter(value).value();
  return sum;
}

}  // namespace heddle
