// Runs in which L2 slices and memory channels are blocks in RTL, or run beside the model.

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "tests/platforms/cli/verbs/rtl_run.h"

namespace heddle::test {
namespace {

struct Place {
  const char* block;  // of stimuli/rtl, or of the tests' data
  const char* key;
};

class RtlInTheMemoryPath : public RtlRun, public testing::WithParamInterface<Place> {
 protected:
  static std::string use() {
    const std::string own = std::string("/stimuli/rtl/") + GetParam().block + ".yaml";
    const std::string folder =
        std::filesystem::exists(source_directory() + own) ? "/stimuli/rtl/" : "/tests/data/rtl/";
    return fmt::format(" --set rtl.own.block={}{}{}.yaml --set {}=rtl.own", source_directory(), folder,
                       GetParam().block, GetParam().key);
  }
};

TEST_P(RtlInTheMemoryPath, AnswersWholeRuns) {
  for (const std::string& words : {kSmall, kTrace}) {
    const std::string suffix = words == kSmall ? "s" : "t";
    run_well(words + use() + " --out rtl" + suffix);
    run_well(words + use() + " --build-reversed --out reversed" + suffix);
    EXPECT_EQ(summary("reversed" + suffix), summary("rtl" + suffix));
    EXPECT_GT(statistic("rtl" + suffix, "gpu.rtl.own.answers"), 100u);
  }
}

TEST_P(RtlInTheMemoryPath, BesideTheModelChangesNothing) {
  run_well(kSmall + " --out model");
  const Outcome outcome =
      run(kSmall + use() + " --set rtl.own.mode=shadow --set rtl.own.on_divergence=go-on --out shadow");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(compared(outcome.err, "answers"),
            (std::vector<std::uint64_t>{statistic("shadow", "gpu.rtl.own.answers")}));
  EXPECT_EQ(summary("shadow"), summary("model"));
  EXPECT_GT(statistic("shadow", "gpu.rtl.own.answers"), 100u);
  EXPECT_EQ(statistic("shadow", "gpu.rtl.own.differences"), 0u);
}

INSTANTIATE_TEST_SUITE_P(, RtlInTheMemoryPath,
                         testing::Values(Place{"l2_tags", "l2.block"}, Place{"l2_tags_axi4", "l2.block"},
                                         Place{"axi4_channel", "dram.block"}),
                         [](const auto& one) { return std::string(one.param.block); });

TEST_F(RtlRun, EnergyThatNobodyCountsIsToldOnce) {
  const std::string channel = " --set rtl.own.block=" + source_directory() +
                              "/tests/data/rtl/axi4_channel.yaml --set dram.block=rtl.own";
  const Outcome outcome = run(kSmall + channel + " --out r");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("energy is not counted: the channels are rtl.own, which does not say its DRAM "
                             "commands"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(run(kSmall + channel + " --set rtl.own.mode=shadow --out s").err.find("energy"),
            std::string::npos)
      << "beside the model it is counted";
}

TEST_P(RtlInTheMemoryPath, ABenchGivesItRandomRequests) {
  const std::string words = use();
  const std::size_t at = words.find('/');
  const Outcome bench =
      cached(fmt::format("rtl bench {} --cycles 20000", words.substr(at, words.find(' ', at) - at)));
  ASSERT_EQ(bench.code, 0) << bench.err;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(bench.out, found, std::regex("requests answered +([0-9.]+) +in 1000")))
      << bench.out;
  EXPECT_GT(std::stod(found[1]), 5) << bench.out;
}

// The model answers after its latency and the RTL at once. Some answers of the model wait for the crossbar.
TEST_F(RtlRun, AFasterSliceBesideTheModelSeesEachRequestOnce) {
  const Outcome outcome =
      run("vector_add --platform gtx480 --set rtl.own.block=" + source_directory() +
          "/tests/data/rtl/forwarding_slice.yaml --set rtl.own.instances=[l2_0] --set rtl.own.mode=shadow "
          "--set l2.block=rtl.own --out r");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::uint64_t requests = statistic("r", "gpu.l2_0.requests");
  EXPECT_EQ(statistic("r", "gpu.rtl.own.requests"), requests);
  EXPECT_EQ(compared(outcome.err, "answers"), (std::vector<std::uint64_t>{requests}));
  EXPECT_EQ(statistic("r", "gpu.rtl.own.l2_0.reads") + statistic("r", "gpu.rtl.own.l2_0.writes"), requests);
  const Outcome written = cached("stimuli vector_add --platform gtx480 --at l2_0");
  ASSERT_EQ(written.code, 0) << written.err;
  std::map<std::string, std::uint64_t> kinds;
  std::istringstream lines(read("l2_0.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, cycle, number, kind;
    words >> what >> cycle >> number >> kind;
    ++kinds[what + " " + kind];
  }
  EXPECT_EQ(statistic("r", "gpu.rtl.own.l2_0.reads"), kinds["request read"]);
  EXPECT_EQ(statistic("r", "gpu.rtl.own.l2_0.writes"), kinds["request write"]);
  EXPECT_EQ(kinds["answer read"], kinds["request read"]);
  EXPECT_EQ(kinds["answer write"], kinds["request write"]);
}

TEST_F(RtlRun, OneSliceMayBeInRtl) {
  run_well(kSmall +
           " --set rtl.own.block=l2_tags --set rtl.own.instances=[l2_3] --set l2.block=rtl.own --out r");
  EXPECT_EQ(statistic("r", "gpu.rtl.own.answers"), statistic("r", "gpu.l2_3.requests"));
  EXPECT_EQ(statistic("r", "gpu.rtl.own.l2_3.hits") + statistic("r", "gpu.rtl.own.l2_3.misses"),
            statistic("r", "gpu.l2_3.requests"));
  EXPECT_GT(statistic("r", "gpu.l2_4.replies"), 0u) << "the model's slices";
}

}  // namespace
}  // namespace heddle::test
