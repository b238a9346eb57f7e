#include "platforms/run/result/summary_codec.h"

#include "platforms/run/result/result_fields.h"

namespace heddle {

constexpr const char* kSummarySchema = "heddle-summary-1";

// FieldWriter finds fields() by argument-dependent lookup, which does not search an anonymous namespace.

// A MeasuredApplication is an application of a run with its NTT.
struct MeasuredApplication {
  const ApplicationResult& result;
  double ntt = 0;
  const std::optional<RequestMeasures>& requests;
};

static void fields(FieldWriter& io, const MeasuredApplication& application) {
  base_fields(io, application.result);
  io.field("ntt", application.ntt);
  if (!application.result.requests || !application.requests) return;
  io.object("requests", [&](FieldWriter& inner) {
    request_fields(inner, *application.result.requests);
    const RequestMeasures& measures = *application.requests;
    inner.field("deadlines_met", measures.deadlines_met);
    inner.field("goodput", measures.goodput);
    inner.field("throughput", measures.throughput);
    inner.field("normalised_throughput", measures.normalised_throughput);
    inner.field("load_alone", measures.load_alone);
  });
}

static void fields(FieldWriter& io, const Unfairness& unfairness) {
  io.field("window_ps", unfairness.window_ps);
  io.field("mean", unfairness.mean);
  io.field("most", unfairness.most);
  io.field("windows", unfairness.windows);
}

static void fields(FieldWriter& io, const AloneTime& alone) {
  io.field("application", alone.application);
  io.field("turnaround_ps", alone.turnaround_ps);
  io.optional("service_ps", alone.service_ps);
  io.optional("response_ps", alone.response_ps);
}

static void fields(FieldWriter& io, const PolicyChoice& choice) {
  io.field("name", choice.name);
  for (const auto& [parameter, value] : choice.parameters) {
    if (value.is_lists())
      io.field(parameter.c_str(), value.lists());
    else if (value.is_name())
      io.field(parameter.c_str(), value.name());
    else
      io.field(parameter.c_str(), value.number());
  }
}

static void sm_fields(FieldWriter& io, const SmResult& sms, const SmMeasures& measures) {
  sm_cycle_fields(io, sms);
  const auto write_shares = [&](const char* name, const auto& shares) {
    io.object(name, [&](FieldWriter& inner) {
      for (std::size_t i = 0; i < kBuckets; ++i) inner.field(name_of(static_cast<Bucket>(i)), shares[i]);
    });
  };
  write_shares("share_of", measures.share_of);
  write_shares("resident_share_of", measures.resident_share_of);
  io.field("stalled_cycles", measures.stalled_cycles);
  io.field("stalled_share", measures.stalled_share);
  io.field("stalled_slots", measures.stalled_slots);
  io.field("stalled_slot_share", measures.stalled_slot_share);
  io.field("ipc", measures.ipc);
  sm_ratio_fields(io, sms);
}

static void fields(FieldWriter& io, const RunMeasures& measures) {
  const RunResult& run = measures.run;
  total_fields(io, run);
  if (run.sms && measures.sms) sm_fields(io, *run.sms, *measures.sms);
  decision_fields(io, run);
  io.optional("profiled", measures.profiled);
  if (const auto& throttle = measures.throttle) {
    io.field("caps", throttle->caps);
    io.field("most_blocks", throttle->most_blocks);
    io.field("slice_blocks", throttle->blocks);
    io.field("throttle_samples", throttle->samples);
    io.field("settled", throttle->settled);
    io.field("settling", throttle->settling);
  }
  const Multiprogram& metrics = measures.multiprogram;
  io.field("antt", metrics.antt);
  io.field("stp", metrics.stp);
  io.field("fairness", metrics.fairness);
  io.field("minimum_speedup", metrics.minimum_speedup);
  io.field("harmonic_speedup", metrics.harmonic_speedup);
  io.field("sequential_speedup", measures.sequential_speedup);
  io.field("shared_minimum_speedup", measures.shared_minimum_speedup);
  io.field("completions_per_second", measures.completions_per_second);
  residence_fields(io, run);
  io.optional("shared_cycles", run.shared_cycles);
  io.field("engine_busy", measures.engine_busy);
  io.field("sm_busy", measures.sm_busy);
  io.optional("energy", measures.energy);
  io.optional("mean_power", measures.mean_power);
  io.optional("energy_delay_product", measures.energy_delay_product);
  io.optional("dynamic_power", measures.dynamic_power);
  io.optional("static_share", measures.static_share);
  io.field("prioritised_turnaround_ps", measures.prioritised_turnaround_ps);
  std::vector<MeasuredApplication> applications;
  for (std::size_t i = 0; i < run.applications.size(); ++i)
    applications.push_back({run.applications[i], metrics.ntt[i], measures.requests[i]});
  io.field("applications", applications);
  io.optional("unfairness", measures.unfairness);
  io.list("handovers", run.handovers);
  io.list("rtl", run.rtl);
}

static void fields(FieldWriter& io, const RunSummary& run) {
  io.field("label", run.label);
  io.object("policies", [&](FieldWriter& inner) {
    for (const auto& [decision, choice] : run.policies) inner.field(decision.c_str(), choice);
  });
  fields(io, run.measures);
}

// If there is only one run, its totals are written at the top level, too.
static void fields(FieldWriter& io, const Summary& summary) {
  io.field("schema", std::string(kSummarySchema));
  io.field("experiment", summary.experiment);
  io.field("question", summary.question);
  io.field("platform", summary.platform);
  io.field("mix", summary.mix);
  io.field("seed", summary.seed);
  io.field("prioritised", summary.prioritised);
  io.field("alone", summary.alone);
  io.field("runs", summary.runs);
  io.list("missing", summary.missing);
  if (summary.runs.size() + summary.missing.size() != 1) return;
  io.field("cycles", summary.runs.front().measures.run.cycles);
  io.field("warp_instructions", summary.runs.front().measures.run.warp_instructions);
}

std::string summary_text(const Summary& summary) {
  return json_file_of(summary);
}

std::string summary_line(const Summary& summary) {
  return json_line_of(summary);
}

}  // namespace heddle
