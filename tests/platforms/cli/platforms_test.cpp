// The shipped platforms: each runs, and the figures that `check` derives from each equal those that its
// source publishes.

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// The rounded figures of data sheets, board specifications and tables of papers.
struct Published {
  const char* name;
  int sms;
  // Single precision. For the machines of papers it follows from their clock and SIMT width.
  double gflops;
  int l1_kib;            // of each SM
  int l2_kib;            // of the GPU
  double dram_gb_s;      // of device memory
  double dram_gib;       // of device memory
  const char* as_cycle;  // the setting that selects cycle SMs
};

const Published kPublished[] = {
    {"a100-timed", 108, 19490.0, 28, 40960, 1555.0, 40, " --set sm.model=cycle --set contention.kernels=off"},
    {"a100-80-timed", 108, 19490.0, 28, 40960, 2039.0, 80,
     " --set sm.model=cycle --set contention.kernels=off"},
    {"a100-40", 108, 19490.0, 192, 40960, 1555.0, 40, ""},
    {"a100-40-subcore", 108, 19490.0, 192, 40960, 1555.0, 40, ""},
    {"a100-80", 108, 19490.0, 192, 40960, 1935.0, 80, ""},
    {"a100-80-subcore", 108, 19490.0, 192, 40960, 1935.0, 80, ""},
    {"a6000-timed", 84, 38700.0, 28, 6144, 768.0, 48, " --set sm.model=cycle --set contention.kernels=off"},
    {"fermi-warped-slicer", 16, 1433.6, 16, 768, 177.4, 1.5, ""},
    {"fermi-zorua", 15, 1344.0, 32, 768, 177.4, 1.5, ""},
    {"gp100", 56, 10600.0, 24, 4096, 732.0, 16, ""},
    {"gtx1080", 20, 8228.0, 48, 2048, 320.0, 8, ""},
    {"gtx480", 15, 1345.0, 16, 768, 177.4, 1.5, ""},
    {"gv100-timed", 80, 16660.0, 32, 6144, 870.0, 32, " --set sm.model=cycle"},
    {"k20", 13, 3520.0, 16, 1280, 208.0, 5, ""},
    {"k20-cusched", 13, 587.4, 16, 768, 208.0, 5, " --set sm.model=cycle"},
    {"k20x", 14, 3935.0, 16, 1536, 250.0, 6, ""},
    {"k20x-perf-sat", 14, 3935.0, 16, 1536, 250.0, 6, ""},
    {"k40", 15, 4290.0, 16, 1536, 288.0, 12, ""},
    {"k40-timed", 15, 4290.0, 16, 1536, 288.0, 12, " --set sm.model=cycle"},
    {"h100-pcie", 114, 51200.0, 256, 51200, 2039.0, 80, ""},
    {"h100-pcie-ncu", 114, 32102.4, 256, 51200, 2039.0, 80, ""},
    {"h100-pcie-subcore", 114, 51200.0, 256, 51200, 2039.0, 80, ""},
    {"h100-sxm", 132, 66900.0, 256, 51200, 3352.0, 80, ""},
    {"h100-sxm-subcore", 132, 66900.0, 256, 51200, 3352.0, 80, ""},
    {"h200", 132, 66900.0, 256, 61440, 4915.0, 140, ""},  // all channels; the card uses 94 of 96
    {"h200-subcore", 132, 66900.0, 256, 61440, 4915.0, 140, ""},
    {"kepler-titan", 14, 4500.0, 16, 1536, 288.4, 6, ""},
    {"kepler-zorua", 15, 1344.0, 32, 768, 177.4, 1.5, ""},
    // No product: a GTX 1080 times 108 / 20 with the memory of an A100.
    {"large-pascal", 108, 44430.0, 48, 10240, 1555.0, 40, ""},
    {"m2090", 16, 1331.0, 16, 768, 177.0, 6, ""},
    {"m2090-perf-sat", 16, 1331.0, 16, 768, 177.0, 6, ""},
    {"maxwell-zorua", 15, 1344.0, 32, 768, 177.4, 1.5, ""},
    {"rtx3080", 68, 29770.0, 28, 5120, 760.0, 10, ""},
    {"rtx3090", 82, 35580.0, 128, 6144, 936.0, 24, ""},
    {"rtx3090-subcore", 82, 35580.0, 128, 6144, 936.0, 24, ""},
    {"rtx4090", 128, 82580.0, 128, 73728, 1008.0, 24, ""},
    {"rtx4090-subcore", 128, 82580.0, 128, 73728, 1008.0, 24, ""},
    {"t4", 40, 8141.0, 32, 4096, 320.0, 16, ""},
    {"v100", 80, 15700.0, 128, 6144, 900.0, 16, ""},
    {"v100-subcore", 80, 15700.0, 128, 6144, 900.0, 16, ""},
};

std::string file_of(const std::string& name) {
  return source_directory() + "/platforms/" + name + ".yaml";
}

// Returns the numbers in the line of `check` that starts with `what`.
std::vector<double> numbers(const std::string& text, const std::string& what) {
  std::istringstream lines(text);
  std::vector<double> found;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  " + what + "  ", 0) != 0) continue;
    for (std::size_t i = what.size() + 2; i < line.size();) {
      if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) {
        ++i;
        continue;
      }
      std::size_t length = 0;
      found.push_back(std::stod(line.substr(i), &length));
      i += length;
    }
  }
  return found;
}

class Platforms : public CliTest {
 protected:
  std::string check(const Published& platform) {
    const Outcome outcome = heddle("check " + file_of(platform.name) + platform.as_cycle);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.rfind(std::string("platform ") + platform.name + "\n", 0), 0u) << outcome.out;
    return outcome.out;
  }
};

TEST_F(Platforms, EveryOneIsInTheTable) {
  std::vector<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source_directory()) / "platforms"))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path().stem());
  std::sort(found.begin(), found.end());
  std::vector<std::string> known;
  for (const Published& platform : kPublished) known.emplace_back(platform.name);
  std::sort(known.begin(), known.end());
  EXPECT_EQ(found, known);
}

TEST_F(Platforms, DerivedTotalsAreThePublishedOnes) {
  for (const Published& platform : kPublished) {
    SCOPED_TRACE(platform.name);
    const std::string text = check(platform);
    const std::vector<double> sms = numbers(text, "SMs");
    const std::vector<double> peak = numbers(text, "single precision");
    const std::vector<double> l1 = numbers(text, "L1");
    const std::vector<double> l2 = numbers(text, "L2");
    const std::vector<double> dram = numbers(text, "DRAM bandwidth");  // GB/s, channels, GB/s and MiB of each
    ASSERT_TRUE(!sms.empty() && !peak.empty() && !l1.empty() && l2.size() == 3 && dram.size() == 4) << text;
    EXPECT_EQ(sms[0], platform.sms);
    EXPECT_NEAR(peak[0], platform.gflops, 0.005 * platform.gflops);
    EXPECT_EQ(l1[0], platform.l1_kib);
    EXPECT_EQ(l2[0], platform.l2_kib);
    EXPECT_EQ(l2[1] * l2[2], platform.l2_kib);
    EXPECT_NEAR(dram[0], platform.dram_gb_s, 0.01 * platform.dram_gb_s);
    EXPECT_NEAR(numbers(text, "device copies").at(0), dram[0] / 2, 1e-3);
    EXPECT_GE(dram[1] * dram[3], 1024 * platform.dram_gib) << "the channels hold less than device memory";
  }
}

// The output states for each value of a derived platform the file and line of its origin, or that it is a
// default.
TEST_F(Platforms, CheckShowsWhereEachValueComesFrom) {
  const Outcome outcome = heddle("check k20x --set sm.warp_size=32");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto expect = [&](const std::string& key, const std::string& value, const std::string& place) {
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind(key + " ", 0) != 0) continue;
      EXPECT_NE(line.find(" " + value + " "), std::string::npos) << line;
      EXPECT_NE(line.find(place), std::string::npos) << line;
      return;
    }
    ADD_FAILURE() << "no line of " << key << " in\n" << outcome.out;
  };
  expect("sm.count", "14", "/k20x.yaml:");
  expect("sm.threads", "2048", "/k20.yaml:51:12");
  expect("sm.warp_size", "32", "--set sm.warp_size=32");
  expect("operations.int_add", "[sp, 7, 1]", "/k20.yaml:");
  expect("caches.instruction.sector", "128B", "default");
}

TEST_F(Platforms, KeysAndCountersAreListedFromTheProgramItself) {
  const Outcome keys = heddle("list keys");
  ASSERT_EQ(keys.code, 0) << keys.err;
  EXPECT_NE(keys.out.find("\nsm.count "), std::string::npos) << keys.out;
  const Outcome counters = heddle("list counters --platform k20 --markdown");
  ASSERT_EQ(counters.code, 0) << counters.err;
  EXPECT_EQ(counters.out.rfind("| counter | kind | unit | what it counts |\n| --- |", 0), 0u) << counters.out;
  EXPECT_NE(counters.out.find("\n| gpu.sm*.bank_conflicts | counter |"), std::string::npos) << counters.out;
  EXPECT_NE(counters.out.find("\n| applications.APPLICATION.KERNEL.blocks_done |"), std::string::npos);
  EXPECT_EQ(counters.out.find("sm0."), std::string::npos) << counters.out;
  EXPECT_EQ(heddle("list counters --platform none").code, 2);
}

// Fermi has one queue, which serialises streams. GK110 and later GPUs have 32 queues.
TEST_F(Platforms, ProductsHaveTheQueuesOfTheirGeneration) {
  for (const auto& [name, queues] :
       {std::pair{"gtx480", 1}, {"m2090", 1}, {"k20", 32}, {"k40", 32}, {"gtx1080", 32}, {"gp100", 32}})
    EXPECT_EQ(numbers(check({name, 0, 0, 0, 0, 0, 0, ""}), "queues").at(0), queues) << name;
}

// Every number has a source: the line of a number has a comment, or follows a line with one.
TEST_F(Platforms, EveryNumberHasItsSource) {
  for (const Published& platform : kPublished) {
    std::istringstream lines(read_file(file_of(platform.name)));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::size_t colon = line.find(": ");
      if (line.find_first_not_of(' ') == std::string::npos || line[line.find_first_not_of(' ')] == '#' ||
          colon == std::string::npos || line.rfind("description", 0) == 0)
        continue;
      const std::string value = line.substr(colon + 2);
      const bool gives = std::isdigit(static_cast<unsigned char>(value[0])) != 0 || value[0] == '{' ||
                         (value[0] == '[' && value.find("pipeline") == std::string::npos && value[1] != ']');
      EXPECT_TRUE(!gives || line.find("  # ") != std::string::npos)
          << platform.name << ":" << number << ": " << line;
    }
  }
}

TEST_F(Platforms, EveryOneRunsATrace) {
  const std::string trace = source_directory() + "/stimuli/traces/vecadd4k/kernelslist.g";
  for (const Published& platform : kPublished) {
    SCOPED_TRACE(platform.name);
    const std::string name = platform.name;
    const Outcome outcome =
        heddle("run " + trace + " --platform " + name + platform.as_cycle + " --out " + name + " --json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json summary = Json::parse(outcome.out);
    EXPECT_EQ(summary["platform"], platform.name);
    EXPECT_GT(summary["cycles"], 1000);  // less than the launch and memory latencies of any of them
    EXPECT_EQ(summary["warp_instructions"], 2816);
  }
}

TEST_F(Platforms, BurstsShorterThanL2sAreRefused) {
  const Outcome outcome = heddle("check " + file_of("gtx480") +
                                 " --set dram.burst=32B --set dram.map=RRRRRRRRRRRRRRBBGCCCCGCCSSSSS");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("dram.burst: must be at least 64B, which L2 asks for at once"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Platforms, CheckShowsThePseudoChannels) {
  EXPECT_EQ(numbers(check({"gp100", 0, 0, 0, 0, 0, 0, ""}), "pseudo-channels"), (std::vector<double>{64, 2}));
  EXPECT_TRUE(numbers(check({"gtx480", 0, 0, 0, 0, 0, 0, ""}), "pseudo-channels").empty());
}

TEST_F(Platforms, L2sQueueHoldsTheTransfersOfAMiss) {
  const Outcome outcome = heddle("check " + file_of("gp100") + " --set l2.dram_queue=7");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("l2.dram_queue: must be at least 8 with bursts of 32B"), std::string::npos)
      << outcome.err;
}

TEST_F(Platforms, EnergiesOfAnotherCardAreToldWithTheCard) {
  const std::string told =
      "note: the energies are of another card (GTX 480, GPUWattch's energies per access and GDDR5 by "
      "currents): SMs "
      "of compute capability 2.0 on 'gp100', which has 6.0; DRAM of the standard gddr5 on 'gp100', which has "
      "hbm2\n";
  const std::string set = " --set energy=fermi --set dram.refresh=all";
  EXPECT_NE(heddle("check " + file_of("gp100") + set).out.find(told), std::string::npos);
  EXPECT_EQ(heddle("check " + file_of("gtx480")).out.find("another card"), std::string::npos);
  EXPECT_EQ(heddle("check " + file_of("k40")).out.find("another card"), std::string::npos);
  EXPECT_EQ(heddle("check " + file_of("v100-subcore")).out.find("another card"), std::string::npos);
}

TEST_F(Platforms, ASetOfEnergiesWithoutTheRefreshOfOneBankIsRefusedWhereBanksRefreshAlone) {
  EXPECT_EQ(heddle("check " + file_of("gp100") + " --set energy=fermi").code, 0);
  const Outcome outcome = heddle("check " + file_of("gp100") + " --set energy=fermi --set dram.refresh=bank");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("dram.refresh: the set of energies has the refresh of all banks"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Platforms, MoreCollectorsThanAnSmCanHaveAreRefused) {
  const Outcome outcome = heddle("check " + file_of("gtx480") + " --set units.sp.collectors=64");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("units: 74 collectors in all units; the most is 64"), std::string::npos)
      << outcome.err;
}

TEST_F(Platforms, CUschedsRunsTimedUnlessStatedOtherwise) {
  const Outcome timed = heddle("check " + file_of("k20-cusched"));
  EXPECT_EQ(timed.code, 0) << timed.err;
  EXPECT_EQ(timed.out.find("single precision"), std::string::npos) << timed.out;
}

}  // namespace
}  // namespace heddle::test
