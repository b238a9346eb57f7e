#include "platforms/run/result/measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "platforms/run/result/metrics.h"
#include "platforms/run/result/request_notes.h"
#include "platforms/run/result/result_codec.h"
#include "platforms/run/result/summary_codec.h"
#include "platforms/run/result/tables/unfairness_table.h"
#include "tests/platforms/run/result/random_result.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
using Kind = PartitionDecision::Kind;

// Returns a result of two applications that take three times and two times as long together as alone.
RunResult pair_result() {
  RunResult run;
  run.simulated_ps = 2'000'000;
  run.cycles = 1000;
  run.warp_instructions = 250;
  run.applications = {{"a", 300, 3, 0, 0, 0, 0, 0, {}}, {"b", 400, 1, 0, 0, 0, 0, 0, {}}};
  return run;
}

Json summary_of(const RunMeasures& measures) {
  Summary summary;
  summary.runs = {{"token", {}, measures}};
  return Json::parse(summary_line(summary));
}

// Returns the value of a campaign's metric in a run of a summary. A ratio is replaced by its value. The
// metric `ntt.1` is the slowdown of the second application.
std::optional<double> look_up(const Json& run, std::string name) {
  const std::string of_application = "ntt.";
  if (name.rfind(of_application, 0) == 0) {
    const Json::json_pointer place("/applications/" + name.substr(of_application.size()));
    return run.contains(place) ? look_up(run.at(place), "ntt") : std::nullopt;
  }
  std::replace(name.begin(), name.end(), '.', '/');
  const Json::json_pointer place("/" + name);
  Json found = run.contains(place) ? run.at(place) : Json();
  if (found.is_object()) found = found.at("value");
  return found.is_null() ? std::nullopt : std::optional(found.get<double>());
}

TEST(Measures, TurnaroundsAreNormalisedToThoseAlone) {
  const RunMeasures measures = measure(pair_result(), {100, 200}, 1);
  EXPECT_EQ(measures.multiprogram.ntt, (std::vector<double>{3, 2}));
  EXPECT_DOUBLE_EQ(measures.multiprogram.antt, 2.5);
  EXPECT_DOUBLE_EQ(measures.completions_per_second, 4 / 2e-6);
  EXPECT_EQ(measures.prioritised_turnaround_ps, 400u);
  EXPECT_FALSE(measures.sms || measures.profiled);
}

TEST(Measures, BlocksOfASliceAreThoseThatAnSmRanOfALaunch) {
  RunResult run = pair_result();
  KernelResult throttled;
  throttled.kernel = "k";
  throttled.blocks_done = 90;
  throttled.throttle = ThrottleResult{4, 2, 24, 20, 12, 400, 100};
  KernelResult other = throttled;
  other.blocks_done = 30;
  run.applications[0].kernels = {throttled, other};
  const RunMeasures measures = measure(run, {100, 200}, 1);
  ASSERT_TRUE(measures.throttle);
  EXPECT_EQ(measures.throttle->blocks[0], 15.0);  // 120 blocks in 8 slices
  EXPECT_EQ(measures.throttle->blocks[1], std::nullopt);
  EXPECT_EQ(measures.throttle->caps[0], 5.0);
  EXPECT_EQ(look_up(summary_of(measures)["runs"][0], "slice_blocks.0"), 15.0);
}

TEST(Measures, TheEngineIsBusyWhileItHasAKernelAndAnSmWhileItHasABlock) {
  RunResult run = pair_result();  // 1000 cycles with a kernel
  run.core_hz = 1e9;              // of 2000
  run.occupancy = {0.6, 6, 10};
  const RunMeasures measures = measure(run, {100, 200}, std::nullopt);
  EXPECT_DOUBLE_EQ(*measures.engine_busy, 0.5);
  EXPECT_DOUBLE_EQ(*measures.sm_busy, 0.3);
  run.occupancy = {};
  EXPECT_FALSE(measure(run, {100, 200}, std::nullopt).sm_busy);
}

TEST(Measures, CyclesOfTheSmsAreShared) {
  RunResult run = pair_result();
  run.sms.emplace();
  run.sms->sm_cycles = {10, 20, 0, 30, 0, 0, 0, 40};  // the first is active, and the last is without a warp
  const RunMeasures measures = measure(run, {100, 200}, std::nullopt);
  EXPECT_EQ(measures.sms->share_of[3], 0.3);
  EXPECT_EQ(measures.sms->stalled_cycles, 50);
  EXPECT_EQ(measures.sms->ipc, 0.25);
  EXPECT_EQ(measures.sms->stalled_share, 0.5);
  run.core_hz = 1e9;  // a kernel was there in 1000 of 2000 cycles
  const SmMeasures resident = *measure(run, {100, 200}, std::nullopt).sms;
  EXPECT_DOUBLE_EQ(*resident.resident_share_of[3], 0.6) << "the share is twice that of all the time";
  EXPECT_DOUBLE_EQ(*resident.resident_share_of[0], 0.2);
  EXPECT_EQ(*resident.resident_share_of[7], 0) << "while a kernel was there, each SM had a warp";
  run.sms->sm_cycles = {};
  run.cycles = 0;
  const RunMeasures none = measure(run, {100, 200}, std::nullopt);
  EXPECT_FALSE(none.sms->share_of[3] || none.sms->resident_share_of[3] || none.sms->ipc);
}

// Of two schedulers one issues in most of the SM's active cycles, and the other in few of them.
TEST(Measures, AnIssueSlotIsLostAlsoWhereAnotherSchedulerIssues) {
  RunResult run = pair_result();
  run.sms.emplace();
  run.sms->sm_cycles = {60, 0, 0, 30, 0, 0, 0, 10};
  run.sms->issue_slots = {80, 0, 0, 100, 0, 0, 0, 20};
  const RunMeasures measures = measure(run, {100, 200}, std::nullopt);
  EXPECT_EQ(measures.sms->stalled_share, 0.3);
  EXPECT_EQ(measures.sms->stalled_slots, 100);
  EXPECT_EQ(measures.sms->stalled_slot_share, 0.5);
}

TEST(Measures, OneAfterTheOtherTakesTheSumOfTheTimesAlone) {
  RunResult run = pair_result();
  run.applications[0].turnaround_ps = 250;
  run.applications[1].turnaround_ps = 200;
  EXPECT_DOUBLE_EQ(measure(run, {100, 200}, std::nullopt).sequential_speedup.value(), 1.2);
}

// The slower application has done a quarter of its work in 150 ps. Its own end, at 400 ps, decides the
// minimum speed-up of whole runs.
TEST(Measures, TheSpeedupWhileAllRunCountsTheInstructionsOfThatTime) {
  RunResult run = pair_result();
  run.applications[0].turnaround_ps = 150;
  run.applications[0].warp_instructions = run.applications[0].shared_instructions = 1000;
  run.applications[1].turnaround_ps = 400;
  run.applications[1].warp_instructions = 800;
  run.applications[1].shared_instructions = 200;
  for (ApplicationResult& application : run.applications) application.shared_ps = 150;
  const RunMeasures measures = measure(run, {100, 100}, std::nullopt);
  EXPECT_DOUBLE_EQ(measures.multiprogram.minimum_speedup, 0.25);
  EXPECT_DOUBLE_EQ(*measures.shared_minimum_speedup, 0.25 * 100 / 150);
  run.applications[0].shared_ps = 0;
  EXPECT_FALSE(measure(run, {100, 100}, std::nullopt).shared_minimum_speedup);
}

TEST(Measures, AProfileLastsUntilTheNextDecisionOrTheEnd) {
  RunResult run = pair_result();
  run.decisions = {{0, Kind::kProfile, 0, {}}, {100, Kind::kQuotas, 0, {}}, {600, Kind::kProfile, 0, {}}};
  EXPECT_EQ(measure(run, {100, 200}, std::nullopt).profiled, 0.5);
  run.decisions.push_back({700, Kind::kSpatial, 0, {}});
  EXPECT_EQ(measure(run, {100, 200}, std::nullopt).profiled, 0.2);
}

TEST(Measures, EnergyGivesMeanPowerAndTheEnergyDelayProduct) {
  RunResult run = pair_result();  // of 2 us
  EXPECT_FALSE(measure(run, {100, 200}, std::nullopt).energy);
  run.energy_fj = 400'000'000'000;
  run.dynamic_energy_fj = 100'000'000'000;
  const RunMeasures measures = measure(run, {100, 200}, std::nullopt);
  EXPECT_DOUBLE_EQ(*measures.energy, 4e-4);
  EXPECT_DOUBLE_EQ(*measures.mean_power, 200);
  EXPECT_DOUBLE_EQ(*measures.energy_delay_product, 8e-10);
  EXPECT_DOUBLE_EQ(*measures.dynamic_power, 50);
  EXPECT_DOUBLE_EQ(*measures.static_share, 0.75);
}

TEST(Measures, WhatContradictsIsRefused) {
  EXPECT_THROW(measure(pair_result(), {100}, std::nullopt), std::invalid_argument);
  EXPECT_THROW(measure(pair_result(), {100, 200, 300}, std::nullopt), std::invalid_argument);
  EXPECT_THROW(measure(pair_result(), {100, 0}, std::nullopt), std::invalid_argument);
  EXPECT_THROW(measure(pair_result(), {100, 200}, 2), std::invalid_argument);
}

TEST(Metrics, NamesAreUnique) {
  std::set<std::string> names;
  for (const RunMetric& metric : run_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_EQ(find_run_metric(metric.name), &metric);
  }
  EXPECT_EQ(names.size(), 694u);
  EXPECT_EQ(find_run_metric("gpu.engine.active_cycles"), nullptr);
}

// README documents the summary: each metric is the value under its name.
TEST(Metrics, AreWhatTheSummaryHoldsUnderTheirNames) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RunResult run = RandomResult(seed).make();
    const std::vector<AloneRun> alone(run.applications.size(), 1000);
    const RunMeasures measures =
        measure(run, alone, seed % 2 == 0 ? std::optional<std::size_t>(0) : std::nullopt);
    const Json shown = summary_of(measures)["runs"][0];
    for (const RunMetric& metric : run_metrics()) {
      const std::optional<double> value = metric.value(measures);
      if (value && !std::isfinite(*value)) continue;  // JSON has no infinity and no NaN
      if (const std::size_t end = metric.name.rfind(".last"); end != std::string::npos) {
        std::optional<double> last;
        for (std::size_t i = 0; i < run.applications.size(); ++i)
          if (const auto own = look_up(shown["applications"][i], metric.name.substr(0, end))) last = own;
        ASSERT_EQ(value, last) << metric.name << " of seed " << seed;
        continue;
      }
      ASSERT_EQ(value, look_up(shown, metric.name)) << metric.name << " of seed " << seed;
    }
    for (std::size_t i = 0; i < run.applications.size(); ++i)
      for (const ApplicationMetric& metric : application_metrics())
        ASSERT_EQ(metric.value(measures, i), look_up(shown["applications"][i], metric.name)) << metric.name;
  }
}

// A server beside an application: 100 requests in a second with a deadline, of which 90 were served, 80 in
// time.
RunResult served_result() {
  RunResult run = pair_result();
  RequestsResult& requests = run.applications[0].requests.emplace();
  requests.all = {120, 105, 15, 0};
  requests.measured = {100, 90, 10, 0};
  requests.in_time = 80;
  requests.deadline_ps = 1000;
  requests.measured_ps = 1000000000000;
  requests.arrival_rate = 100;
  requests.offered_load = 0.9;
  requests.response = {400.0, 20.0, 900, {}};
  for (const double q : kPercentiles) requests.response.percentiles.push_back({q, 800, 700, 900, 6});
  requests.response.percentiles.back() = {0.999, std::nullopt, std::nullopt, std::nullopt, 3688};
  requests.queueing = requests.response;
  requests.service = {300.0, 10.0, 350, requests.response.percentiles};
  requests.responses = {{500, 900}, {70, 20}};
  run.progress_window_ps = 1000;
  run.applications[0].progress = {300.0, std::nullopt};
  run.applications[1].progress = {2.0, 4.0};
  for (ApplicationResult& application : run.applications) application.present_ps = 2000;
  run.applications[1].kernels = {{"k", 1, 1, 1, 6, 1, std::nullopt}};
  run.applications[1].turnaround_ps = 0;  // it has not ended once
  return run;
}

std::vector<AloneRun> served_alone() {
  std::vector<AloneRun> alone{100, 800};
  alone[0].service_ps = 150;
  alone[0].response_ps = 200;
  alone[0].throughput = 95;
  alone[1].blocks_done = 8;  // 100 ps each
  return alone;
}

TEST(Measures, AServerSlowsDownByItsServiceTimeAndAnotherApplicationByItsBlocks) {
  const RunMeasures measures = measure(served_result(), served_alone(), std::nullopt);
  EXPECT_DOUBLE_EQ(measures.multiprogram.ntt[0], 2);             // 300 over 150
  EXPECT_DOUBLE_EQ(measures.multiprogram.ntt[1], 2000.0 / 600);  // 6 blocks in 2000 ps
  EXPECT_FALSE(measures.sequential_speedup);
  const RequestMeasures& requests = *measures.requests[0];
  EXPECT_DOUBLE_EQ(*requests.deadlines_met, 0.8);  // what was shed has missed its deadline
  EXPECT_DOUBLE_EQ(*requests.goodput, 80);
  EXPECT_DOUBLE_EQ(*requests.throughput, 90);
  EXPECT_DOUBLE_EQ(*requests.normalised_throughput, 90.0 / 95);
  EXPECT_DOUBLE_EQ(*requests.load_alone, 100 * 150e-12);
  EXPECT_FALSE(measures.requests[1]);
}

TEST(Measures, UnfairnessIsTheLargestSlowdownOverTheSmallestInEachWindow) {
  const RunMeasures measures = measure(served_result(), served_alone(), std::nullopt);
  ASSERT_TRUE(measures.unfairness);
  ASSERT_EQ(measures.unfairness->windows.size(), 2u);
  EXPECT_DOUBLE_EQ(*measures.unfairness->windows[0], 2.5);  // 2 blocks in 1000 ps are 5 times slower; 2
  EXPECT_FALSE(measures.unfairness->windows[1]);            // only one has done something
  EXPECT_DOUBLE_EQ(*measures.unfairness->mean, 2.5);
  EXPECT_FALSE(measure(pair_result(), {100, 200}, std::nullopt).unfairness);
}

TEST(Measures, AServerWithoutAServedRequestHasNoTurnaround) {
  RunResult run = served_result();
  run.applications[0].requests->service = {};
  const RunMeasures measures = measure(run, served_alone(), std::nullopt);
  EXPECT_TRUE(std::isnan(measures.multiprogram.ntt[0]));
  EXPECT_TRUE(std::isnan(measures.multiprogram.antt));
  EXPECT_FALSE(find_run_metric("antt")->value(measures));
  EXPECT_TRUE(summary_of(measures)["runs"][0]["antt"].is_null());
}

TEST(Metrics, OfRequestsBelongToTheirServer) {
  const RunMeasures measures = measure(served_result(), served_alone(), std::nullopt);
  const auto value = [&](const char* name) { return find_run_metric(name)->value(measures); };
  EXPECT_EQ(value("requests_shed.0"), 10);
  EXPECT_EQ(value("response_mean_ps.0"), 400);
  EXPECT_EQ(value("response_p99_ps.0"), 800);
  EXPECT_FALSE(value("response_p99_9_ps.0"));  // it needs more requests
  EXPECT_EQ(value("deadlines_met.0"), 0.8);
  EXPECT_EQ(value("goodput.0"), 80);
  EXPECT_FALSE(value("goodput.1"));
  EXPECT_FALSE(value("goodput.2"));
  EXPECT_EQ(value("unfairness_mean"), 2.5);
}

TEST(Metrics, OfHandOversAreThoseOfAllWays) {
  RunResult run = pair_result();
  const auto value = [&run](const char* name) {
    return find_run_metric(name)->value(measure(run, {100, 200}, std::nullopt));
  };
  EXPECT_FALSE(value("handover_count"));
  EXPECT_FALSE(value("handover_p99_ps"));
  HandoverResult all{"all", 7, {50.0, std::nullopt, 90, {}}};
  for (const double q : kPercentiles) all.latency.percentiles.push_back({q, 80, 70, 90, 6});
  run.handovers = {all, {"drain", 7, {60.0, std::nullopt, 95, {}}}};
  EXPECT_EQ(value("handover_count"), 7);
  EXPECT_EQ(value("handover_mean_ps"), 50);
  EXPECT_EQ(value("handover_p99_ps"), 80);
  EXPECT_EQ(value("handover_max_ps"), 90);
}

TEST(Metrics, OfLostWorkAreSumsOverTheKernelsOfAnApplication) {
  RunResult run = pair_result();
  run.applications[1].kernels = {{"a", 1, 1, 1, 1, 1, std::nullopt, LostWork{2, 30, 4}},
                                 {"b", 1, 1, 1, 1, 1, std::nullopt, LostWork{3, 50, 6}}};
  const RunMeasures measures = measure(run, {100, 200}, std::nullopt);
  const auto value = [&](const char* name) { return find_run_metric(name)->value(measures); };
  EXPECT_FALSE(value("blocks_flushed.0"));
  EXPECT_EQ(value("blocks_flushed.1"), 5);
  EXPECT_EQ(value("lost_block_cycles.1"), 80);
  EXPECT_EQ(value("lost_warp_instructions.1"), 10);
}

TEST(UnfairnessTable, HasTheSlowdownsOfEachWindow) {
  RunResult run = served_result();
  run.simulated_ps = 1500;
  EXPECT_EQ(unfairness_csv(measure(run, served_alone(), std::nullopt)),
            "begin [ps],end [ps],unfairness,slowdown.0,slowdown.1\n"
            "0,1000,2.5,2,5\n"
            "1000,1500,,,2.5\n");
}

TEST(ResultCodec, KeepsWhatServersHaveDone) {
  const RunResult run = served_result();
  const std::string text = result_text(run);
  EXPECT_EQ(result_text(read_result(text)), text);
  RunResult wrong = run;
  wrong.applications[0].requests->responses.counts.pop_back();
  EXPECT_THROW(read_result(result_text(wrong)), CodecError);
}

TEST(RequestNotes, TellOfAQueueThatGrowsAndOfALoadThatIsTooMuchAlone) {
  Summary summary;
  summary.alone = {{"a", 100, {}, {}}, {"b", 200, {}, {}}};
  RunResult run = served_result();
  summary.runs = {{"fcfs", {}, measure(run, served_alone(), std::nullopt)}};
  EXPECT_TRUE(request_notes(summary).empty());
  run.applications[0].requests->unstable = true;
  run.applications[0].requests->backlog = {1, 5, 9, 20};
  std::vector<AloneRun> alone = served_alone();
  alone[0].service_ps = 2e10;  // 100 a second ask for twice what there is
  summary.runs = {{"fcfs", {}, measure(run, alone, std::nullopt)}};
  const std::vector<std::string> notes = request_notes(summary);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("2.00 times as fast"), std::string::npos) << notes[0];
  EXPECT_NE(
      notes[1].find("under fcfs: the queue grows without bound: at the quarters of the window 1, 5, 9, 20"),
      std::string::npos)
      << notes[1];
}

TEST(SummaryCodec, OneRunHasItsTotalsAtTheTop) {
  Summary summary;
  summary.experiment = "e";
  summary.alone = {{"a", 100}, {"b", 200}};
  const RunMeasures measures = measure(pair_result(), {100, 200}, std::nullopt);
  PolicyChoice token{"token", {{"imbalance", 2.0}}};
  summary.runs = {{"token", {{"sm_partitioner", token}}, measures}};
  const Json one = Json::parse(summary_line(summary));
  EXPECT_EQ(one["cycles"], 1000);
  EXPECT_TRUE(one["prioritised"].is_null());
  EXPECT_EQ(one["alone"].dump(),
            R"([{"application":"a","turnaround_ps":100},{"application":"b","turnaround_ps":200}])");
  EXPECT_EQ(one["runs"][0]["policies"].dump(), R"({"sm_partitioner":{"name":"token","imbalance":2.0}})");
  summary.runs.push_back(summary.runs.front());
  EXPECT_FALSE(Json::parse(summary_line(summary)).contains("cycles"));
  EXPECT_EQ(summary_text(summary).substr(0, 36), "{\n  \"schema\": \"heddle-summary-1\",\n  ");
}

}  // namespace
}  // namespace heddle
