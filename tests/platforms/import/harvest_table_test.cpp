#include "platforms/import/harvest_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "tests/support/paths.h"

namespace heddle::imported {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const std::string kCard =
    "# heddle-harvest: 1\n# card: mine\n# compute_capability: 7.5\n# sms: 40\n# memory_mib: 15109\n"
    "# l2_kib: 4096\n# threads_per_sm: 1024\n# registers_per_sm: 65536\n# shared_kib_per_sm: 64\n"
    "# driver: 12.4\n# runtime: 12.2\n# date: 2025-01-01T00:00:00Z\n";
const std::string kHead = "what,parameters,value,unit,repetitions,least,most\n";
const std::string kRow = "latency,memory=global footprint=4096,24,ns,21,23.5,30\n";

Harvest read(const std::string& text) {
  return read_harvest(text, "card.csv");
}

std::string problem_with(const std::string& text) {
  try {
    read(text);
  } catch (const config::Error& error) {
    EXPECT_EQ(error.problems().size(), 1u);
    return error.what();
  }
  return "none";
}

std::string problem_with_row(const std::string& row) {
  return problem_with(kCard + kHead + row + "\n");
}

TEST(HarvestTable, HasTheCardAndItsMeasurements) {
  const Harvest harvest = read(kCard + "\n" + kHead + kRow + "clock,domain=core,1590.5,MHz,3,1590,1591\n");
  EXPECT_EQ(harvest.card.name, "mine");
  EXPECT_EQ(harvest.card.compute_capability, 7.5);
  EXPECT_EQ(harvest.card.sms, 40);
  EXPECT_EQ(harvest.card.memory_clock_mhz, 0);  // the driver did not tell
  EXPECT_EQ(harvest.card.runtime, "12.2");
  ASSERT_EQ(harvest.rows.size(), 2u);
  EXPECT_EQ(harvest.rows[0].number("footprint"), 4096u);
  EXPECT_EQ(harvest.rows[0].repetitions, 21u);
  EXPECT_EQ(harvest.rows[0].most, 30);
  EXPECT_EQ(harvest.find("clock", {{"domain", "core"}}), 1590.5);
  EXPECT_EQ(harvest.find("clock", {{"domain", "l2"}}), std::nullopt);
}

TEST(HarvestTable, ReadsTheFilesThatAreThere) {
  for (const auto& [name, rows] :
       {std::pair{"example_card", 90u}, {"heddle_t4", 69u}, {"h100_sxm", 511u}, {"h200", 511u}}) {
    const std::string file = test::source_directory() + "/tests/data/hardware/" + name + ".csv";
    EXPECT_EQ(read_harvest(config::read_file(file), file).rows.size(), rows) << file;
  }
}

TEST(HarvestTable, TheFirstLineNamesTheFormatAndItsVersion) {
  const std::string first = "card.csv:1: the first line must be '# heddle-harvest: 1'";
  EXPECT_EQ(problem_with(""), first);
  EXPECT_EQ(problem_with(kHead + kRow), first);
  EXPECT_EQ(problem_with("# card: mine\n# heddle-harvest: 1\n" + kHead + kRow), first);
  EXPECT_EQ(problem_with("# heddle-harvest: 2\n# card: mine\n"),
            "card.csv:1: is of version '2' of the format; this program reads version 1");
}

TEST(HarvestTable, ACardIsWholeAndKnown) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string card = kCard;
    card.replace(card.find(from), from.size(), to);
    return problem_with(card + kHead + kRow);
  };
  EXPECT_EQ(changed("# card: mine\n", ""), "card.csv:12: has no line '# card: ...' before the table");
  EXPECT_EQ(changed("# card: mine", "# card:"), "card.csv:2: 'card' has no value");
  EXPECT_EQ(changed("# sms: 40", "# sms: -1"), "card.csv:4: '-1' of 'sms' is no number above 0");
  EXPECT_EQ(changed("# sms: 40", "# sms: many"), "card.csv:4: 'many' of 'sms' is no number above 0");
  EXPECT_EQ(changed("# sms: 40", "# card: two"), "card.csv:4: 'card' stands twice");
  EXPECT_THAT(changed("# sms: 40", "# smms: 40"), HasSubstr("card.csv:4: unknown key 'smms'; known: card, "));
  EXPECT_EQ(changed("# sms: 40", "# forty SMs"), "card.csv:4: is no '# key: value'");
}

TEST(HarvestTable, ATableHasItsHeadAndAMeasurement) {
  EXPECT_EQ(problem_with(kCard), "card.csv: has no table behind the card");
  EXPECT_EQ(problem_with(kCard + kHead), "card.csv: has no measurement");
  EXPECT_EQ(problem_with(kCard + "what,value\n"),
            "card.csv:13: the head of the table must be what,parameters,value,unit,repetitions,least,most");
}

struct BadRow {
  const char* row;
  const char* message;
};

class BadHarvestRows : public testing::TestWithParam<BadRow> {};

TEST_P(BadHarvestRows, AreOneMessageWithItsLine) {
  EXPECT_THAT(problem_with_row(GetParam().row), EndsWith(std::string("card.csv:14: ") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadHarvestRows,
    testing::Values(
        BadRow{"latencies,memory=shared,1,ns,3,1,1",
               "unknown row 'latencies'; known: clock, launch, dispatch, latency, l2_spread, bandwidth, "
               "occupancy, "
               "atomic, instruction, throughput, tensor, kernel, program, alone, pair, background, start, "
               "time_slice"},
        BadRow{"latency,memory=shared,-17,ns,3,1,1", "'-17' of 'value' is not above 0"},
        BadRow{"latency,memory=shared,0,ns,3,0,1", "'0' of 'value' is not above 0"},
        BadRow{"latency,memory=shared,,ns,3,1,1", "'value' is missing"},
        BadRow{"latency,memory=shared,nan,ns,3,1,1", "'nan' of 'value' is no number"},
        BadRow{"latency,memory=shared,17,ns,3,,18", "'least' is missing"},
        BadRow{"latency,memory=shared,17,ns,3,18,19", "the value 17 does not lie between 18 and 19"},
        BadRow{"latency,memory=shared,17,ns,0,17,17", "'0' of 'repetitions' is no whole number above 0"},
        BadRow{"latency,memory=shared,17,us,3,17,17", "'latency' is in ns, not in 'us'"},
        BadRow{"latency,memory=shared,17,ns,3,17", "has 6 cells, the head has 7"},
        BadRow{"latency,,17,ns,3,17,17", "'latency' has no parameter 'memory'"},
        BadRow{"latency,memory=l3,17,ns,3,17,17",
               "unknown memory 'l3' of 'latency'; known: shared, global, dram"},
        BadRow{"latency,memory=global,17,ns,3,17,17",
               "'latency' of this memory has no parameter 'footprint'"},
        BadRow{"latency,memory=global footprint=4k,17,ns,3,17,17",
               "'4k' of the parameter 'footprint' is no whole number above 0"},
        BadRow{"latency,memory=shared stride=4,17,ns,3,17,17", "unknown parameter 'stride' of 'latency'"},
        BadRow{"latency,memory=shared memory=shared,17,ns,3,17,17", "the parameter 'memory' stands twice"},
        BadRow{"latency,shared,17,ns,3,17,17", "'shared' of 'parameters' is no name=value"},
        BadRow{"kernel,n=4,17,us,3,17,17", "'kernel' has no parameter 'name'"}));

TEST(HarvestTable, ARowStandsOnce) {
  EXPECT_EQ(problem_with(kCard + kHead + kRow + kRow), "card.csv:15: this row stands twice");
}

}  // namespace
}  // namespace heddle::imported
