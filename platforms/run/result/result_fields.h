#pragma once
// The JSON fields of a RunResult, for the codecs that contain one. They come in groups, because a summary
// writes the groups in another order with derived values between them.

#include "platforms/run/result/handover_fields.h"
#include "platforms/run/result/json_fields.h"
#include "platforms/run/result/request_fields.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

inline std::vector<PartitionDecision::Kind> values_of(PartitionDecision::Kind) {
  using Kind = PartitionDecision::Kind;
  return {Kind::kProfile, Kind::kQuotas, Kind::kSpatial, Kind::kAlone};
}

template <class Io>
void fields(Io& io, io_ref<Io, Ratio> ratio) {
  io.field("value", ratio.value);
  io.field("numerator", ratio.numerator);
  io.field("denominator", ratio.denominator);
}

template <class Io>
void fields(Io& io, io_ref<Io, ThrottleResult> throttle) {
  io.field("slices", throttle.slices);
  io.field("settled", throttle.settled);
  io.field("most_blocks", throttle.most_blocks);
  io.field("caps", throttle.caps);
  io.field("samples", throttle.samples);
  io.field("cycles", throttle.cycles);
  io.field("cycles_to_settle", throttle.cycles_to_settle);
}

template <class Io>
void fields(Io& io, io_ref<Io, KernelResult> kernel) {
  io.field("kernel", kernel.kernel);
  io.field("ended", kernel.ended);
  io.field("cycles", kernel.cycles);
  io.field("wait_cycles", kernel.wait_cycles);
  io.field("blocks_done", kernel.blocks_done);
  io.field("warp_instructions", kernel.warp_instructions);
  io.optional("throttle", kernel.throttle);
  io.optional("lost", kernel.lost);
}

// All that an application has without servers.
template <class Io>
void base_fields(Io& io, io_ref<Io, ApplicationResult> application) {
  io.field("application", application.application);
  io.field("turnaround_ps", application.turnaround_ps);
  io.field("completions", application.completions);
  io.field("kernels_launched", application.kernels_launched);
  io.field("bytes_copied", application.bytes_copied);
  io.field("warp_instructions", application.warp_instructions);
  io.field("shared_ps", application.shared_ps);
  io.field("shared_instructions", application.shared_instructions);
  io.list("kernels", application.kernels);
}

template <class Io>
void fields(Io& io, io_ref<Io, ApplicationResult> application) {
  base_fields(io, application);
  io.optional("requests", application.requests);
  io.list("progress", application.progress);
  io.optional("present_ps", application.present_ps);
}

template <class Io>
void fields(Io& io, io_ref<Io, ShareResult> share) {
  io.field("application", share.application);
  io.field("kernel", share.kernel);
  io.field("blocks", share.blocks);
  io.field("performance", share.performance);
}

template <class Io>
void fields(Io& io, io_ref<Io, DecisionResult> decision) {
  io.field("cycle", decision.cycle);
  io.field("kind", decision.kind);
  io.field("loss", decision.loss);
  io.list("shares", decision.shares);
}

template <class Io>
void total_fields(Io& io, io_ref<Io, RunResult> run) {
  io.field("simulated_ps", run.simulated_ps);
  io.field("cycles", run.cycles);
  io.field("warp_instructions", run.warp_instructions);
  io.field("core_hz", run.core_hz);
  io.field("pcie_hz", run.pcie_hz);
}

template <class Io>
void sm_cycle_fields(Io& io, io_ref<Io, SmResult> sms) {
  io.field("icnt_hz", sms.icnt_hz);
  io.field("l2_hz", sms.l2_hz);
  io.field("dram_hz", sms.dram_hz);
  io.object("sm_cycles", [&](auto& inner) {
    for (std::size_t i = 0; i < kBuckets; ++i) inner.field(name_of(static_cast<Bucket>(i)), sms.sm_cycles[i]);
  });
  io.object("issue_slots", [&](auto& inner) {
    for (std::size_t i = 0; i < kBuckets; ++i)
      inner.field(name_of(static_cast<Bucket>(i)), sms.issue_slots[i]);
  });
}

template <class Io>
void sm_ratio_fields(Io& io, io_ref<Io, SmResult> sms) {
  io.object("utilisation", [&](auto& inner) {
    for (std::size_t i = 0; i < kUnitKinds; ++i)
      inner.optional(name_of(static_cast<UnitKind>(i)), sms.units[i]);
    inner.field("registers", sms.registers);
    inner.field("shared_memory", sms.shared_memory);
  });
  io.field("schedulable_warps", sms.schedulable_warps);
  io.object("resource_hit_rate", [&](auto& inner) {
    inner.optional("registers", sms.registers_hit_rate);
    inner.optional("shared_memory", sms.shared_memory_hit_rate);
  });
  io.object("resource_use", [&](auto& inner) {
    inner.optional("registers", sms.registers_use);
    inner.optional("shared_memory", sms.shared_memory_use);
  });
  io.field("l1_miss_rate", sms.l1_miss_rate);
  io.field("l2_miss_rate", sms.l2_miss_rate);
  io.field("l2_mpki", sms.l2_mpki);
}

template <class Io>
void fields(Io& io, io_ref<Io, RtlComparison> rtl) {
  io.field("block", rtl.block);
  io.field("answers", rtl.answers);
  io.field("compared", rtl.compared);
  io.field("unanswered", rtl.unanswered);
  io.field("differences", rtl.differences);
  io.field("first", rtl.first);
}

template <class Io>
void residence_fields(Io& io, io_ref<Io, RunResult> run) {
  io.field("occupancy", run.occupancy);
  io.field("fill", run.fill);
}

template <class Io>
void decision_fields(Io& io, io_ref<Io, RunResult> run) {
  io.list("decisions", run.decisions);
  io.optional("quotas", run.quotas);
  io.list("sm_sets", run.sm_sets);
}

template <class Io>
void fields(Io& io, io_ref<Io, RunResult> run) {
  total_fields(io, run);
  if (auto* sms = io.part("sm_cycles", run.sms)) {
    sm_cycle_fields(io, *sms);
    sm_ratio_fields(io, *sms);
  }
  residence_fields(io, run);
  io.optional("shared_cycles", run.shared_cycles);
  decision_fields(io, run);
  io.field("applications", run.applications);
  io.optional("progress_window_ps", run.progress_window_ps);
  io.list("handovers", run.handovers);
  io.list("rtl", run.rtl);
  io.field("transactions", run.transactions);
  io.optional("energy_fj", run.energy_fj);
  io.optional("dynamic_energy_fj", run.dynamic_energy_fj);
}

template <class Io>
void fields(Io& io, io_ref<Io, RunCost> cost) {
  io.field("wall_seconds", cost.wall_seconds);
  io.field("cpu_seconds", cost.cpu_seconds);
}

}  // namespace heddle
