// heddle energy prices a finished run again; heddle check prints the idle and the peak power.

#include <nlohmann/json.hpp>

#include "models/stats/stats_reader.h"
#include "tests/platforms/cli/cli.h"
#include "tests/support/machine/energy.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

class EnergyVerb : public CliTest {
 protected:
  EnergyVerb() {
    write("set.yaml", energy_text());
    write("small.yaml",
          "experiment: small\nplatform: gtx480\napplications: [vector_add]\ntermination: once-each\n");
  }
  void run(const std::string& options) const {
    const Outcome outcome =
        heddle("run vector_add --set parameters.n=4096 --set sm.count=2 --out r " + options);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  // Returns the statistics of the only run, by path.
  Json stats() const {
    Json read = Json::object();
    for (const ReadStatistic& statistic : read_stats(heddle::test::read_file(directory_ / stats_file())))
      read[statistic.path]["value"] =
          statistic.formula ? Json(statistic.value.value_or(0)) : Json(statistic.count);
    return read;
  }
  std::string stats_file() const {
    for (const std::string& file : files())
      if (file.size() > 10 && file.substr(file.size() - 10) == "stats.json") return file;
    ADD_FAILURE() << "no stats.json";
    return {};
  }
  Json price(const std::string& options = "") const {
    const Outcome outcome = heddle("energy r --json " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  void expect_refusal(const std::string& words, const std::string& message) const {
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << words << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
};

TEST_F(EnergyVerb, OfTheFilesIsThatOfTheRun) {
  run("--platform gtx480");
  const Json live = stats();
  const Json priced = price()["runs"][0];
  EXPECT_EQ(priced["energy"]["total_fj"], live["gpu.energy.total"]["value"]);
  EXPECT_GT(priced["energy"]["total_fj"].get<std::uint64_t>(), 0u);
  for (const auto& [part, energy] : priced["energy"]["parts"].items()) {
    EXPECT_EQ(energy["dynamic_fj"], live["gpu.energy." + part + ".dynamic"]["value"]) << part;
    EXPECT_EQ(energy["static_fj"], live["gpu.energy." + part + ".static"]["value"]) << part;
  }
  ASSERT_EQ(priced["kernels"].size(), 1u);
  const Json& kernel = priced["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "vector_add");
  EXPECT_EQ(priced["unassigned_fj"], live["gpu.energy.unassigned"]["value"]);
  EXPECT_EQ(kernel["energy"]["total_fj"].get<std::uint64_t>(),
            live["applications.vector_add.vector_add.energy.dynamic"]["value"].get<std::uint64_t>() +
                live["applications.vector_add.vector_add.energy.static"]["value"].get<std::uint64_t>());
  EXPECT_NEAR(priced["mean_watts"].get<double>(), live["gpu.power"]["value"].get<double>(), 1e-6);
  const Json summary = Json::parse(read("r/summary.json"))["runs"][0];
  EXPECT_EQ(summary["energy"], priced["joules"]);
  EXPECT_NEAR(priced["energy_delay_product"].get<double>(),
              priced["joules"].get<double>() * priced["simulated_ps"].get<double>() * 1e-12, 1e-18);
}

TEST_F(EnergyVerb, ASetOfTheCommandLineTakesThePlaceOfThePlatforms) {
  run("--platform gtx480");
  const Json own = price();
  const Json other = price("--with set.yaml");
  EXPECT_NE(own["runs"][0]["energy"], other["runs"][0]["energy"]);
  // Each warp instruction costs one operand collector.
  const std::uint64_t instructions = stats()["gpu.sm0.warp_instructions"]["value"].get<std::uint64_t>() +
                                     stats()["gpu.sm1.warp_instructions"]["value"].get<std::uint64_t>();
  const Json stats_of = stats();
  const auto both = [&](const std::string& counter) {
    return stats_of["gpu.sm0." + counter]["value"].get<std::uint64_t>() +
           stats_of["gpu.sm1." + counter]["value"].get<std::uint64_t>();
  };
  EXPECT_EQ(other["runs"][0]["energy"]["parts"]["register_file"]["dynamic_fj"],
            1009 * ((event_number("operand_collector") + 1) * instructions +
                    (event_number("register_read") + 1) * both("register_reads") +
                    (event_number("register_write") + 1) * both("register_writes")));
}

TEST_F(EnergyVerb, ARunWithoutEnergiesIsPricedWithASet) {
  run("--platform m2090");
  expect_refusal("energy r", "the platform has no energies; --with names a set");
  EXPECT_GT(price("--with fermi")["runs"][0]["joules"].get<double>(), 0);
  EXPECT_EQ(Json::parse(read("r/summary.json"))["runs"][0].count("energy"), 0u);
}

TEST_F(EnergyVerb, WithoutTheRefreshOfABankWhatTheRunRefusesIsRefusedHereToo) {
  run("--platform large-pascal --set dram.refresh=bank");
  const std::string why =
      "dram.refresh: the set of energies has the refresh of all banks, not that of one bank";
  expect_refusal("energy r --with fermi", why);
  EXPECT_NE(heddle("run vector_add --platform large-pascal --set energy=fermi --out other").err.find(why),
            std::string::npos);
}

TEST_F(EnergyVerb, RefreshesOfSingleBanksArePriced) {
  run("--platform large-pascal --set dram.refresh=bank --set energy=" + (directory_ / "set.yaml").string());
  const Json counts = stats();
  std::uint64_t dram = 0;
  std::uint64_t refreshes = 0;
  const auto add = [&](const std::string& event, const std::string& counter) {
    for (const auto& [path, statistic] : counts.items()) {
      if (path.rfind("gpu.dram", 0) != 0 || path.size() < counter.size() ||
          path.compare(path.size() - counter.size(), counter.size(), counter) != 0)
        continue;
      const auto count = statistic["value"].get<std::uint64_t>();
      dram += count * 1009 * (event_number(event) + 1);
      if (event == "dram_refresh_bank") refreshes += count;
    }
  };
  add("dram_activate", ".commands.ACT");
  add("dram_read", ".reads");
  add("dram_write", ".writes");
  add("dram_refresh_bank", ".commands.REFSB");
  EXPECT_GT(refreshes, 0u);
  EXPECT_EQ(counts["gpu.energy.dram.dynamic"]["value"].get<std::uint64_t>(), dram);
  EXPECT_EQ(price()["runs"][0]["energy"]["parts"]["dram"]["dynamic_fj"].get<std::uint64_t>(), dram);
}

TEST_F(EnergyVerb, ASetWithHbm2PricesItWhereBanksRefreshAlone) {
  run("--platform large-pascal --set dram.refresh=bank");
  const Json all = stats();
  std::uint64_t bursts = 0;
  for (const auto& [path, statistic] : all.items())
    if (path.rfind("gpu.dram", 0) == 0 &&
        (path.find(".reads", 8) == path.size() - 6 || path.find(".writes", 8) == path.size() - 7))
      bursts += statistic["value"].get<std::uint64_t>();
  EXPECT_GT(bursts, 0u);
  const Json dram = price("--with k40-hbm2")["runs"][0]["energy"]["parts"]["dram"];
  EXPECT_EQ(dram["dynamic_fj"].get<std::uint64_t>(), bursts * 5'402'000);  // 21.1 pJ/bit, 32 B
}

TEST_F(EnergyVerb, EnergiesOfAnotherCardAreTold) {
  run("--platform gp100 --set dram.refresh=all");
  const Outcome outcome = heddle("energy r --with fermi");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("note: the energies are of another card (GTX 480"), std::string::npos)
      << outcome.err;
  std::filesystem::remove_all(directory_ / "r");
  run("--platform gtx480");
  EXPECT_EQ(heddle("energy r").err, "");
}

TEST_F(EnergyVerb, ARunOnAV100DrawsMoreThanTheIdleCardAndLessThanTheBound) {
  for (const std::string platform : {"v100", "v100-subcore"}) {
    std::filesystem::remove_all(directory_ / "r");
    run("--platform " + platform);
    const Json priced = price()["runs"][0];
    // 64.2 W of the card and 0.283 W of each of two SMs when nothing runs, and at most 0.2 W more of each
    // awake.
    EXPECT_GT(priced["mean_watts"].get<double>(), 64.2 + 2 * 0.283) << platform;
    EXPECT_LT(priced["mean_watts"].get<double>(), 80) << platform;
    EXPECT_GT(priced["energy"]["parts"]["dram"]["dynamic_fj"].get<std::uint64_t>(), 0u) << platform;
    EXPECT_EQ(priced["energy"]["parts"]["dram"]["static_fj"].get<std::uint64_t>(), 0u) << platform;
  }
}

TEST_F(EnergyVerb, PrintsATableOfParts) {
  run("--platform gtx480");
  const Outcome outcome = heddle("energy r");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text : {"energy-delay product", "register_file", "mean power (W)", "total"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
}

TEST_F(EnergyVerb, WhatIsNoResultIsOneMessage) {
  expect_refusal("energy none", "none: is no directory");
  std::filesystem::create_directory(directory_ / "empty");
  expect_refusal("energy empty", "is no result of heddle run: it has no platform.yaml");
  run("--platform gtx480");
  expect_refusal("energy r --with none.yaml", "none.yaml");
  write("bad.yaml", energy_text("fetch", "  fetch: [-1pJ, test]\n"));
  expect_refusal("energy r --with bad.yaml", "events.fetch[0]: needs an energy");
  write(stats_file(), "{}\n");
  expect_refusal("energy r", "stats.json: ");
}

TEST_F(EnergyVerb, CheckPrintsIdleAndPeakPower) {
  const Outcome outcome = heddle("check gtx480");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("idle power           40."), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("peak power "), std::string::npos) << outcome.out;
  EXPECT_EQ(heddle("check k20-cusched").out.find("idle power"), std::string::npos);
  EXPECT_NE(heddle("check v100-subcore").out.find("idle power           86.8"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
