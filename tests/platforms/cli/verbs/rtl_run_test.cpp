// Runs in which blocks in RTL decide in place of policies, or beside them.

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "tests/platforms/cli/verbs/rtl_run.h"
#include "tests/support/rtl/waves.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using Json = nlohmann::ordered_json;

struct Unit {
  const char* block;  // of stimuli/rtl
  const char* decision;
  const char* model;
};

const std::string kMix = "parboil-mix --set mix.size=2";
const std::string kSlicer = "warped-slicer-mix --set window=20000cycles";
const std::string kLaunches = "launches.yaml";  // of write_many_launches()
constexpr int kFullRounds = 8000;               // of launches, in which water_filling_unit makes 10^5 choices

// A run in which a block decides, and parameters of the policy that does the same.
struct WholeRun {
  std::string stimulus;  // traces, PTX kernels or mixes
  std::string words;
  std::vector<std::string> parameters = {};  // such as remember=1
};

std::string model(const Unit& unit, const WholeRun& run) {
  if (run.parameters.empty()) return fmt::format("{} --policy {}={}", run.words, unit.decision, unit.model);
  const std::string policy = fmt::format("policies.{}", unit.decision);
  std::string words = fmt::format("{} --set {}.name={}", run.words, policy, unit.model);
  for (const std::string& parameter : run.parameters) words += fmt::format(" --set {}.{}", policy, parameter);
  return words;
}
std::string block(const Unit& unit, const WholeRun& run, const char* mode) {
  std::string words = fmt::format(
      "{} --set rtl.own.block={} --set rtl.own.mode={} --set rtl.own.model.name={} --policy {}=rtl.own",
      run.words, unit.block, mode, unit.model, unit.decision);
  for (const std::string& parameter : run.parameters) words += " --set rtl.own.model." + parameter;
  return words;
}

std::vector<WholeRun> runs_of_sms() {
  std::vector<WholeRun> runs{{"PTX kernels", kSmall}, {"traces", kTrace}};
  if (!full_size()) return runs;
  for (const char* kernel : {"perceptron", "scan", "matrix_multiply_tiled", "breadth_first_search",
                             "jds_matrix_vector", "vector_add --set parameters.n=200000"})
    runs.push_back({"PTX kernels", fmt::format("{} --platform gtx480", kernel)});
  runs.push_back({"traces", kTraces + "triad1m/kernelslist.g --platform gtx480"});
  runs.push_back({"mixes", kSlicer + " --policy sm_partitioner=even"});
  return runs;
}

std::vector<WholeRun> runs_of(const Unit& unit) {
  const std::string block = unit.block;
  if (block == "token_unit") {
    std::vector<WholeRun> runs{{"PTX kernels", kSmall}, {"traces", kTrace}, {"mixes", kMix}};
    if (!full_size()) return runs;
    for (int index = 0; index < 10; ++index)
      runs.push_back({"mixes", fmt::format("parboil-mix --set mix.index={}", index)});
    runs.push_back({"mixes", kLaunches});
    return runs;
  }
  if (block != "water_filling_unit") return runs_of_sms();
  // Curves are measured anew at each launch, or serve later launches, so that a launch is a decision.
  const std::vector<std::string> quick{"warm_up=0", "profile=2000", "sample=2000"};
  std::vector<WholeRun> runs{{"mixes", kSlicer}};
  for (const char* remember : {"remember=0", "remember=1"}) {
    runs.push_back({"mixes", kLaunches, quick});
    runs.back().parameters.emplace_back(remember);
  }
  return runs;
}

class OwnRtl : public RtlRun, public testing::WithParamInterface<Unit> {
 protected:
  // Writes an experiment in which six applications launch short kernels of one and of another code, one after
  // the other.
  void write_many_launches(int rounds) const {
    std::string names;
    for (int i = 0; i < 6; ++i) {
      const std::string name = fmt::format("many{}", i);
      write(name + ".yaml",
            fmt::format(
                "application: {0}\ndescription: short launches\nsource: this test\n"
                "measured_on: k20-cusched\nkernels:\n"
                "  one: {{blocks: {1}, time: {3}us, threads: {2}, registers: 24, shared_memory: 4KiB}}\n"
                "  two: {{blocks: {2}, time: {3}us, threads: 64, registers: 32, shared_memory: 0B}}\n"
                "program:\n  - repeat: {4}\n    body: [{{launch: one}}, {{launch: two}}]\n"
                "  - synchronise: all\n",
                name, 26 + 13 * (i % 3), 128 + 64 * (i % 3), 11 + 3 * (i % 3), rounds));
      names += fmt::format("{}{}.yaml", i == 0 ? "" : ", ", name);
    }
    write(kLaunches, fmt::format("experiment: launches\nplatform: k20-cusched\napplications: [{}]\n"
                                 "termination: once-each\n",
                                 names));
  }

  // Runs with the model's policy, with the block beside it and with the block in its place. Returns the
  // choices of the block.
  std::uint64_t compare(const Unit& unit, const WholeRun& run, const std::string& suffix) const {
    run_well(model(unit, run) + " --out model" + suffix);
    run_well(block(unit, run, "shadow") + " --out shadow" + suffix);
    run_well(block(unit, run, "replace") + " --out rtl" + suffix);
    EXPECT_EQ(statistic("shadow" + suffix, "gpu.rtl.own.differences"), 0u) << run.words;
    EXPECT_EQ(summary("shadow" + suffix), summary("model" + suffix)) << run.words;
    EXPECT_EQ(summary("rtl" + suffix), summary("model" + suffix)) << run.words;
    const std::uint64_t choices = statistic("shadow" + suffix, "gpu.rtl.own.choices");
    EXPECT_EQ(statistic("rtl" + suffix, "gpu.rtl.own.choices"), choices) << run.words;
    return choices;
  }
};

TEST_P(OwnRtl, DecidesAsTheModelDoesInWholeRuns) {
  const Unit& unit = GetParam();
  const int rounds = std::string(unit.block) == "token_unit" ? 1000 : 7000;  // for 10^5 choices
  write_many_launches(full_size() ? rounds : 20);
  std::size_t number = 0;
  std::uint64_t choices = 0;
  std::map<std::string, std::uint64_t> of_stimulus;
  for (const WholeRun& run : runs_of(unit)) {
    const std::uint64_t more = compare(unit, run, std::to_string(number++));
    of_stimulus[run.stimulus] += more;
    choices += more;
  }
  EXPECT_GE(choices, full_size() ? 100000u : 1u);
  if (std::getenv("HEDDLE_PRINT_TABLE") == nullptr) return;
  for (const auto& [stimulus, count] : of_stimulus)
    fmt::print("{}: {} choices in {}\n", unit.block, count, stimulus);
}

INSTANTIATE_TEST_SUITE_P(, OwnRtl,
                         testing::Values(Unit{"warp_round_robin", "warp_scheduler", "lrr"},
                                         Unit{"warp_oldest", "warp_scheduler", "oldest"},
                                         Unit{"warp_greedy", "warp_scheduler", "gto"},
                                         Unit{"crossbar_round_robin", "crossbar_arbiter", "round-robin"},
                                         Unit{"crossbar_oldest", "crossbar_arbiter", "oldest-first"},
                                         Unit{"token_unit", "sm_partitioner", "token"},
                                         Unit{"water_filling_unit", "sm_partitioner", "warped-slicer"}),
                         [](const auto& one) { return std::string(one.param.block); });

class RtlOfOtherRoles : public RtlRun, public testing::WithParamInterface<Unit> {};

TEST_P(RtlOfOtherRoles, DecidesAsTheModelDoes) {
  const Unit& unit = GetParam();
  const std::string block = source_directory() + "/tests/data/rtl/" + unit.block + ".yaml";
  const std::string use = fmt::format(" --set rtl.own.block={} --policy {}=rtl.own", block, unit.decision);
  run_well(kSmall + use + " --set rtl.own.mode=shadow --out shadow");
  run_well(kSmall + use + " --out rtl");
  EXPECT_EQ(statistic("shadow", "gpu.rtl.own.differences"), 0u);
  EXPECT_EQ(summary("rtl"), summary("shadow"));
  EXPECT_GT(statistic("rtl", "gpu.rtl.own.choices"), 0u);
}

INSTANTIATE_TEST_SUITE_P(, RtlOfOtherRoles,
                         testing::Values(Unit{"first_ready", "dram_scheduler", "fr-fcfs"},
                                         Unit{"first_transfer", "dma_arbiter", "fcfs"},
                                         Unit{"fixed_cap", "block_throttle", "fixed"},
                                         // A packed structure, and a pin for each bit of the choice.
                                         Unit{"bundled_arbiter", "crossbar_arbiter", "round-robin"}),
                         [](const auto& one) { return std::string(one.param.block); });

// The scheduler in RTL takes the oldest warp, and the model's turns.
const std::string kUnequal =
    kSmall +
    " --set rtl.own.block=warp_oldest --set rtl.own.mode=shadow --set rtl.own.model=lrr "
    "--policy warp_scheduler=rtl.own";

TEST_F(RtlRun, TheFirstDifferenceEndsTheRunAndIsTold) {
  const Outcome outcome = run(kUnequal + " --out r");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(std::regex_search(
      outcome.err,
      std::regex(R"(rtl\.own at sm\d\.scheduler\d differs from the model in core cycle \d+ \(\d+ ps\): )"
                 R"(pick is \d+, the model's is \d+\n  input candidates = 'h[0-9a-f]+\n)")))
      << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.err, std::regex(R"(cycle \d+: RTL \d+, model \d+  <- differs\n)")))
      << outcome.err;
  EXPECT_FALSE(exists("r"));
  EXPECT_EQ(run(kUnequal + " --out r").err, outcome.err) << "the same difference again";
  EXPECT_EQ(run(kUnequal + " --out r --build-reversed").err, outcome.err);
}

// The message has the options.
TEST_F(RtlRun, TheSameCommandWritesAWaveformOfTheDifference) {
  const std::string message = run(kUnequal + " --out r").err;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      message, found,
      std::regex(R"(in core cycle (\d+) \((\d+) ps\): pick is (\d+), the model's is (\d+)\n[^$]*)"
                 R"(the same command with (--set rtl\.own\.dump\.instance=(sm\d\.scheduler\d).*)\n)")))
      << message;
  const std::string file = found[6].str() + ".vcd";
  EXPECT_EQ(run(kUnequal + " --out r " + found[5].str()).err, message) << "the same difference";
  const Waves waves = read_waves((directory_ / file).string());
  using Changes = std::vector<std::pair<std::uint64_t, std::string>>;
  const WaveSignal& differs = waves.signals.at("beside.differs");
  ASSERT_FALSE(differs.changes.empty());
  EXPECT_EQ(differs.changes.back(), (Changes::value_type{std::stoull(found[2]), "1"}));
  EXPECT_EQ(std::stoull(waves.signals.at("beside.rtl").changes.back().second, nullptr, 2),
            std::stoull(found[3]));
  EXPECT_EQ(std::stoull(waves.signals.at("beside.model").changes.back().second, nullptr, 2),
            std::stoull(found[4]));
  EXPECT_NE(read(file + ".gtkw").find("TOP.candidates_i[63:0]"), std::string::npos);
  EXPECT_FALSE(exists(file + ".rtl.vcd"));
  EXPECT_NE(run(kUnequal + " --out r " + found[5].str()).err.find(file + ": the file exists"),
            std::string::npos);
}

TEST_F(RtlRun, AWaveformIsPackedAsAnFstIfItsNameSaysSo) {
  const std::string dump =
      " --set rtl.own.block=l2_tags --set l2.block=rtl.own --set rtl.own.dump.instance=l2_3"
      " --set rtl.own.dump.from=0cycles --set rtl.own.dump.to=90000cycles --set rtl.own.dump.file=l2.";
  if (!run_tool({"vcd2fst", "--help"}).started) GTEST_SKIP() << "vcd2fst of GTKWave is not installed";
  run_well(kSmall + dump + "vcd --out text");
  run_well(kSmall + dump + "fst --out packed");
  const Waves text = read_waves((directory_ / "l2.vcd").string());
  const Waves packed = read_waves((directory_ / "l2.fst").string());
  const std::string pin = "TOP.l2_tags.request_address_i";
  EXPECT_GT(text.signals.at(pin).changes.size(), 10u);
  EXPECT_EQ(packed.signals.at(pin).changes, text.signals.at(pin).changes);
  EXPECT_FALSE(exists("l2.fst.vcd"));
  EXPECT_TRUE(exists("l2.fst.gtkw"));
}

TEST_F(RtlRun, AWaveformChangesNothing) {
  const std::string use = kSmall + " --set rtl.own.block=l2_tags --set l2.block=rtl.own";
  run_well(use + " --out plain");
  run_well(use +
           " --set rtl.own.dump.instance=l2_3 --set rtl.own.dump.from=0cycles --set "
           "rtl.own.dump.to=90000cycles --set rtl.own.dump.file=l2.vcd --out dumped");
  EXPECT_EQ(summary("dumped"), summary("plain"));
  EXPECT_NE(read("l2.vcd").find("request_valid_i"), std::string::npos);
}

TEST_F(RtlRun, DifferencesAreCountedWhereTheRunGoesOn) {
  const Outcome outcome = run(kUnequal + " --set rtl.own.on_divergence=go-on --out r");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(compared(outcome.err, "choices"),
            (std::vector<std::uint64_t>{statistic("r", "gpu.rtl.own.choices"),
                                        statistic("r", "gpu.rtl.own.differences")}));
  run_well(kSmall + " --policy warp_scheduler=lrr --out model");
  EXPECT_EQ(summary("r"), summary("model")) << "the model decides";
  std::string file;
  for (const std::string& one : files())
    if (one.find("rtl_differences.json") != std::string::npos) file = one;
  ASSERT_NE(file, "");
  const Json list = Json::parse(read(file));
  std::uint64_t told = 0;
  for (const Json& one : list) {
    told += 1 + one["followed"].get<std::uint64_t>();
    EXPECT_EQ(one["block"], "rtl.own");
    EXPECT_NE(one["rtl"], one["model"]);
    EXPECT_EQ(one["events"].back()["cycle"], one["cycle"]);
    EXPECT_LE(one["events"].size(), 20u);
  }
  EXPECT_EQ(told, statistic("r", "gpu.rtl.own.differences"));
  EXPECT_GT(told, list.size());
}

TEST_F(RtlRun, OnlyNamedInstancesAreInRtl) {
  run_well(kSmall +
           " --set rtl.own.block=warp_greedy --set rtl.own.instances=['sm1.*'] --policy "
           "warp_scheduler=rtl.own --out some");
  run_well(kSmall + " --set rtl.own=warp_greedy --policy warp_scheduler=rtl.own --out all");
  EXPECT_EQ(summary("some"), summary("all"));
  const std::uint64_t some = statistic("some", "gpu.rtl.own.choices");
  EXPECT_GT(some, 0u);
  EXPECT_LT(some, statistic("all", "gpu.rtl.own.choices"));
  EXPECT_EQ(some, statistic("some", "gpu.rtl.own.sm1.scheduler0.choices") +
                      statistic("some", "gpu.rtl.own.sm1.scheduler1.choices"))
      << "the counters inside the RTL count what the machine asked";
}

TEST_F(RtlRun, AnInstanceThatTheMachineLacksEndsTheRun) {
  const Outcome outcome = run(kSmall +
                              " --set rtl.own.block=warp_greedy --set rtl.own.instances=['sm9.*'] "
                              "--policy warp_scheduler=rtl.own --out r");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("rtl.own: the machine has no instance sm9.*"), std::string::npos) << outcome.err;
}

TEST_F(RtlRun, ASecondSeedGivesTheSameOutputs) {
  run_well(kSmall +
           " --set rtl.own.block=crossbar_round_robin --set rtl.own.second_seed=7 --policy "
           "crossbar_arbiter=rtl.own --out r");
  EXPECT_GT(statistic("r", "gpu.rtl.own.choices"), 0u);
}

TEST_F(RtlRun, AnExperimentMayHaveABlockOfItsOwn) {
  write("e.yaml",
        "experiment: e\nplatform: gtx480\napplications: [vector_add]\ntermination: once-each\n"
        "rtl:\n  mine: {block: warp_greedy, mode: shadow, model: {name: gto}}\ncompare:\n"
        "  - {warp_scheduler: gto}\n  - {warp_scheduler: rtl.mine}\n");
  run_well("e.yaml --set sm.count=2 --out r");
  const Json runs = Json::parse(read("r/summary.json"))["runs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["simulated_ps"], runs[1]["simulated_ps"]);
  run_well("r/experiment.yaml --out again");
  EXPECT_EQ(read("again/summary.json"), read("r/summary.json"));
}

TEST_F(RtlRun, BadBlocksAreOneMessageEach) {
  const auto expect = [&](const std::string& words, const std::string& message) {
    const Outcome outcome = run(kSmall + words + " --out r");
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << words << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(exists("r"));
  };
  expect(" --policy warp_scheduler=rtl.none", "the platform's section rtl has no block 'none'; it has none");
  expect(" --set rtl.own=warp_greedy --policy crossbar_arbiter=rtl.own",
         "the role of the block 'own' is warp_scheduler, which does not decide crossbar_arbiter");
  expect(" --set rtl.own=warp_gredy --policy warp_scheduler=rtl.own", "warp_greedy");
  expect(" --set rtl.own.block=warp_greedy --set rtl.own.mode=both --policy warp_scheduler=rtl.own",
         "shadow");
  expect(" --set rtl.own.block=warp_greedy --set rtl.own.model=fifo --policy warp_scheduler=rtl.own",
         "unknown warp_scheduler policy 'fifo'");
  expect(" --set rtl.own.block=token_unit --set rtl.own.model=even --policy sm_partitioner=rtl.own",
         "a unit with the role token is asked by the policy token");
  write("both.yaml",
        "experiment: both\nplatform: gtx480\napplications: [vector_add, fma32]\nrtl: {t: none.yaml}\n"
        "policies: {crossbar_arbiter: rtl.u, warp_scheduler: rtl.t}\n");
  const Outcome both = run("both.yaml --out r");
  EXPECT_EQ(both.err,
            "heddle: both.yaml:4:10: rtl.t: there is no file 'none.yaml'\n"
            "both.yaml:5:30: policies.crossbar_arbiter: the platform's section rtl has no block 'u'; it "
            "has t\n");
  expect(" --policy page_policy=rtl.own", "unknown page_policy policy 'rtl.own'");
}

TEST_F(RtlRun, ABlockThatWasNotBuiltBeforeIsToldAndBuiltOnce) {
  const SharedRuntime runtime(directory_ / "cache");
  const std::string words =
      "run " + kSmall + " --set rtl.own=warp_oldest --policy warp_scheduler=rtl.own --quiet";
  const std::string told =
      "note: rtl.own was not built before: Verilator and the C++ compiler make it from " +
      source_directory() + "/stimuli/rtl/warp_oldest.yaml\n";
  EXPECT_EQ(heddle(words + " --out first").err, told);
  EXPECT_EQ(heddle(words + " --out second").err, "");
}

TEST_F(RtlRun, OptionsThatRunCommandsAreRefusedBeforeTheyRun) {
  write("b.sv", "module b(input clk, input [63:0] c, output [63:0] p); assign p = c & -c; endmodule\n");
  write("b.yaml",
        "rtl: b\nrole: warp_scheduler\nmodel: lrr\nsources: [b.sv]\ntop: b\nclocks: {clk: core}\n"
        "options: [--pipe-filter, touch ran]\npins: {c: candidates, p: pick_mask}\n");
  const Outcome outcome = run(kSmall + " --set rtl.own=./b.yaml --policy warp_scheduler=rtl.own --out r");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("b.yaml:7:11: '--pipe-filter' runs a command; --trust allows it"),
            std::string::npos)
      << outcome.err;
  EXPECT_FALSE(exists("ran"));
  EXPECT_FALSE(exists("r"));
}

}  // namespace
}  // namespace heddle::test
