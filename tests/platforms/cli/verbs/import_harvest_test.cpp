// heddle import harvest: the platform of a card that was measured, and what it simulates.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class ImportHarvest : public CliTest {
 protected:
  void import(const std::string& file) const {
    const Outcome outcome = execute({"import", "harvest", folder_ + file, "-o", "mine.yaml"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  // Returns the nanoseconds in which a launch file runs on the platform.
  double nanoseconds(const std::string& launch) const {
    const Outcome outcome = heddle("run " + launch + " --platform mine.yaml --json --out out");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::filesystem::remove_all(directory_ / "out");
    const Json run = Json::parse(outcome.out)["runs"][0];
    return 1e9 * run["cycles"].get<double>() / run["core_hz"].get<double>();
  }

  // Returns the time of a step of a chase, as scripts/harvest measures it.
  double step_ns(const std::string& chase, int first, int more) const {
    const auto steps = [&](int count) { return " --set parameters.steps=" + std::to_string(count); };
    return (nanoseconds(chase + steps(first + more)) - nanoseconds(chase + steps(first))) / more;
  }

  const std::string folder_ = source_directory() + "/tests/data/hardware/";
};

TEST_F(ImportHarvest, MakesAPlatformThatIsCheckedAndRuns) {
  import("example_card.csv");
  EXPECT_THAT(read("mine.yaml"), HasSubstr("base: t4 "));
  const Outcome check = heddle("check mine.yaml");
  ASSERT_EQ(check.code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("SMs                  8 (1024 threads"));
  EXPECT_THAT(check.out, HasSubstr("DRAM bandwidth       160.000 GB/s, 4 channels"));
  EXPECT_THAT(check.out, HasSubstr("L2                   1024 KiB"));
  EXPECT_EQ(heddle("run vector_add --platform mine.yaml --quiet").code, 0);
}

// The file states 17.5 ns of shared memory, 24 of L1, 140 of L2 and 340 of DRAM. The rings are those of the
// card.
TEST_F(ImportHarvest, LatenciesThatWereMeasuredAreThoseThatAreSimulated) {
  import("example_card.csv");
  EXPECT_NEAR(step_ns("shared_chase", 512, 1024), 17.5, 0.05 * 17.5);
  EXPECT_NEAR(step_ns("pointer_chase --set parameters.footprint=16384", 128, 1024), 24, 0.05 * 24);
  EXPECT_NEAR(step_ns("pointer_chase --set parameters.footprint=262144", 2048, 1024), 140, 0.05 * 140);
  EXPECT_NEAR(
      step_ns("pointer_chase --set parameters.footprint=1048576 --set parameters.stride=512", 512, 1024), 340,
      0.05 * 340);
}

struct Card {
  const char* file;
  const char* base;
  double l2_ns, dram_ns;  // of a step, as the file has them
};

// Half of the lines are far from an SM, and each load from DRAM opens a row.
TEST_F(ImportHarvest, CardsWithTwoHalvesOfL2HaveTheLatenciesThatWereMeasured) {
  for (const Card& card :
       {Card{"h100_sxm.csv", "h100-sxm", 140.9, 342.8}, {"h200.csv", "h200", 145.9, 348.8}}) {
    import(card.file);
    EXPECT_THAT(read("mine.yaml"), HasSubstr(std::string("base: ") + card.base + " "));
    EXPECT_NEAR(step_ns("pointer_chase --set parameters.footprint=262144", 2048, 1024), card.l2_ns,
                0.05 * card.l2_ns);
    EXPECT_NEAR(step_ns("pointer_chase --set parameters.footprint=1048576 --set parameters.stride=512 --set "
                        "l2.copies=dram",
                        512, 1024),
                card.dram_ns, 0.05 * card.dram_ns);
    std::filesystem::remove(directory_ / "mine.yaml");
  }
}

TEST_F(ImportHarvest, TheFileOfTheProgramUnderCaptureIsRead) {
  import("heddle_t4.csv");
  EXPECT_EQ(heddle("check mine.yaml").code, 0);
  EXPECT_EQ(heddle("run vector_add --platform mine.yaml --quiet").code, 0);
}

TEST_F(ImportHarvest, GivesTheSameBytesEachTimeAndTheMeasurementsAsJson) {
  import("example_card.csv");
  const std::string first = read("mine.yaml");
  const Outcome outcome =
      execute({"import", "harvest", folder_ + "example_card.csv", "-o", "mine.yaml", "--json"});
  EXPECT_EQ(read("mine.yaml"), first);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["card"], "example card (made up)");
  EXPECT_EQ(json["base"], "t4");
  EXPECT_EQ(json["rows"].size(), 90u);
  EXPECT_EQ(json["rows"][0]["parameters"]["domain"], "core");
  EXPECT_EQ(json["rows"][0]["value"], 1480);
}

TEST_F(ImportHarvest, RefusesWithOneMessageAndWritesNothing) {
  const std::string good = read_file(folder_ + "example_card.csv");
  const auto expect_refused = [&](const std::string& from, const std::string& to, const std::string& message,
                                  const std::string& more = "") {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write("card.csv", text.replace(at, from.size(), to));
    const Outcome outcome = heddle("import harvest card.csv -o mine.yaml" + more);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(files(), std::vector<std::string>{"card.csv"});
  };
  expect_refused("harvest: 1", "harvest: 2", "card.csv:1: is of version '2' of the format");
  expect_refused("# card: example card (made up)\n", "",
                 "card.csv:16: has no line '# card: ...' before the table");
  expect_refused("clock,domain=core,1480", "clock,domain=core,-1480",
                 "card.csv:18: '-1480' of 'value' is not above 0");
  expect_refused("clock,", "clocks,", "card.csv:18: unknown row 'clocks'");
  // Well formed line by line, and no GPU: the reader of platforms says why.
  expect_refused("registers_per_sm: 65536", "registers_per_sm: 0.5",
                 "no platform can be made of these measurements");
  expect_refused("x", "x", "'k2000' is not in platforms", " --base k2000");
}

}  // namespace
}  // namespace heddle::test
