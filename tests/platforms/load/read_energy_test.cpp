// Sets of energies: a file, a section, a base and what is wrong with them.

#include "platforms/load/read_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/data_path.h"
#include "models/gpu/peak_power.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/machine/energy.h"

namespace heddle::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> problems(const std::string& text) {
  try {
    const config::Document document = config::Document::parse(text, "set.yaml");
    read_energy(document.root());
    document.finish();
  } catch (const config::Error& error) {
    return error.problems();
  }
  return {};
}

std::vector<std::string> problems_of_platform(const std::vector<std::string>& sets) {
  try {
    config::Document document = load_platform_document("gtx480");
    for (const std::string& set : sets) set_platform_key(document, set);
    read_platform(document.root());
    document.finish();
  } catch (const config::Error& error) {
    return error.problems();
  }
  return {};
}

GpuSpec gtx480_with(const std::vector<std::string>& sets) {
  config::Document document = load_platform_document("gtx480");
  for (const std::string& set : sets) set_platform_key(document, set);
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

double event_of(const EnergySpec& spec, const std::string& event) {
  return spec.events[event_number(event)].value;
}

TEST(ReadEnergy, EveryEventAndPowerIsReadWithItsSource) {
  const config::Document document = config::Document::parse(energy_text(), "set.yaml");
  const EnergySpec spec = read_energy(document.root());
  document.finish();
  const EnergySpec expected = numbered_energies();
  for (std::size_t i = 0; i < kEnergyEvents; ++i) {
    EXPECT_DOUBLE_EQ(spec.events[i].value, expected.events[i].value) << energy_events()[i].name;
    EXPECT_EQ(spec.events[i].source, "test");
  }
  for (std::size_t i = 0; i < kStaticPowers; ++i)
    EXPECT_DOUBLE_EQ(spec.powers[i].value, expected.powers[i].value) << static_powers()[i].name;
}

TEST(ReadEnergy, UnitsAreThoseOfEnergyAndPower) {
  const auto fetch = [](const std::string& value) {
    const config::Document document =
        config::Document::parse(energy_text("fetch", "  fetch: [" + value + ", test]\n"), "set.yaml");
    return event_of(read_energy(document.root()), "fetch");
  };
  EXPECT_DOUBLE_EQ(fetch("12.5pJ"), 12500);
  EXPECT_DOUBLE_EQ(fetch("3fJ"), 3);
  EXPECT_DOUBLE_EQ(fetch("0.25nJ"), 250'000);
  EXPECT_DOUBLE_EQ(fetch("0pJ"), 0);
  const config::Document document =
      config::Document::parse(energy_text("other", "  other: [1.5W, test]\n"), "set.yaml");
  EXPECT_DOUBLE_EQ(read_energy(document.root()).powers[static_number("other")].value, 1500);
}

TEST(ReadEnergy, ABadCoefficientIsOneProblemAtItsPlace) {
  const auto fetch = [](const std::string& value) {
    return problems(energy_text("fetch", "  fetch: " + value + "\n"));
  };
  // The line of the event: two lines stand above the first event.
  const std::string place = fmt::format("set.yaml:{}:", event_number("fetch") + 3);
  for (const char* bad : {"[-1pJ, test]", "[.nan, test]", "[infpJ, test]", "[1e3pJ, test]", "[1, test]",
                          "[1W, test]", "[12pJ, '']", "[12pJ]", "12pJ", "[12pJ, a, b]", "[]"})
    EXPECT_THAT(fetch(bad), ElementsAre(AllOf(HasSubstr(place), HasSubstr("events.fetch")))) << bad;
  EXPECT_THAT(fetch("[12pJ, '']"), ElementsAre(HasSubstr("needs the source of the number")));
  EXPECT_THAT(fetch("[-1pJ, test]"), ElementsAre(HasSubstr("needs an energy such as 12.5pJ, has '-1pJ'")));
}

TEST(ReadEnergy, AnUnknownEventListsTheKnownOnes) {
  std::string text = energy_text();
  text.replace(text.find("events:\n"), 8, "events:\n  sp_lanes: [1pJ, test]\n");
  EXPECT_THAT(problems(text), ElementsAre(AllOf(HasSubstr("events.sp_lanes: is none of sp_instruction, "),
                                                HasSubstr("sp_lane, "), HasSubstr("pcie_byte"))));
}

TEST(ReadEnergy, AMissingEventIsAProblem) {
  EXPECT_THAT(problems(energy_text("sp_lane", "")), ElementsAre(HasSubstr("events.sp_lane: missing key")));
  EXPECT_THAT(problems(energy_text("other", "")), ElementsAre(HasSubstr("static.other: missing key")));
}

TEST(ReadEnergy, APlatformNamesASetAndTheCommandLineChangesIt) {
  const GpuSpec own = gtx480_with({});
  ASSERT_TRUE(own.energy);
  const EnergySpec fermi = load_energy("fermi");
  EXPECT_EQ(event_of(*own.energy, "dram_read"), event_of(fermi, "dram_read"));
  const GpuSpec changed = gtx480_with({"energy.events.fetch[0]=77pJ"});
  EXPECT_DOUBLE_EQ(event_of(*changed.energy, "fetch"), 77'000);
  EXPECT_EQ(event_of(*changed.energy, "dram_read"), event_of(fermi, "dram_read"));
  const GpuSpec other = gtx480_with({"energy=k40"});
  EXPECT_EQ(event_of(*other.energy, "l2_sector"), event_of(load_energy("k40"), "l2_sector"));
  EXPECT_NE(event_of(*other.energy, "l2_sector"), event_of(fermi, "l2_sector"));
}

// A set belongs to one card: a platform does not inherit it, and may say that it has none.
TEST(ReadEnergy, ADerivedPlatformHasNoEnergiesOfItsBase) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "derived_energy";
  std::filesystem::create_directories(folder);
  const auto derived = [&](const std::string& energy) {
    const std::filesystem::path file = folder / "derived.yaml";
    std::ofstream(file) << "platform: derived\ndescription: d\nbase: gtx480\n" << energy;
    return load_platform(file.string());
  };
  EXPECT_FALSE(derived("").energy);
  EXPECT_FALSE(derived("energy: none\n").energy);
  EXPECT_TRUE(derived("energy: k40\n").energy);
  std::filesystem::remove_all(folder);
}

TEST(ReadEnergy, NoneDropsTheEnergiesOfAPlatformAlsoWhenItIsResolved) {
  EXPECT_FALSE(gtx480_with({"energy=none"}).energy);
  config::Document document = load_platform_document("gtx480");
  set_platform_key(document, "energy=none");
  const config::Document resolved = config::Document::parse(document.to_yaml(), "platform.yaml");
  EXPECT_FALSE(read_platform(resolved.root()).energy);
  resolved.finish();
}

TEST(ReadEnergy, TheResolvedPlatformHasTheNumbersOfTheSetItself) {
  const std::string yaml = load_platform_document("gtx480").to_yaml();
  const config::Document document = config::Document::parse(yaml, "platform.yaml");
  const GpuSpec spec = read_platform(document.root());
  document.finish();
  ASSERT_TRUE(spec.energy);
  const EnergySpec fermi = load_energy("fermi");
  for (std::size_t i = 0; i < kEnergyEvents; ++i)
    EXPECT_EQ(spec.energy->events[i].value, fermi.events[i].value) << energy_events()[i].name;
  EXPECT_THAT(yaml, HasSubstr("sp_lane:"));
}

TEST(ReadEnergy, ASetThatDoesNotExistIsOneProblem) {
  EXPECT_THAT(problems_of_platform({"energy=k41"}),
              ElementsAre(AllOf(HasSubstr("energy"), HasSubstr("k41"))));
  EXPECT_THAT(problems_of_platform({"energy.events.fetch[0]=-1pJ"}),
              ElementsAre(HasSubstr("energy.events.fetch[0]: needs an energy")));
}

TEST(ReadEnergy, TimedSmsHaveNoEnergies) {
  EXPECT_FALSE(gtx480_with({"sm.model=timed"}).energy);
}

TEST(ReadEnergy, EveryShippedSetIsWhole) {
  const std::vector<std::string> sets = known_data("platforms/energy");
  EXPECT_THAT(sets, testing::IsSupersetOf({"fermi", "k40", "v100", "a100", "h100", "h100-sxm"}));
  for (const std::string& set : sets) EXPECT_NO_THROW(load_energy(set)) << set;
}

GpuSpec platform_with(const std::string& platform, const std::string& set) {
  config::Document document = load_platform_document(platform);
  if (!set.empty()) set_platform_key(document, "energy=" + set);
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

TEST(ReadEnergy, CardsOfVoltaToHopperHaveSetsOfTheirSmsAndTheirDram) {
  const std::pair<const char*, const char*> cases[] = {
      {"v100", ""},          {"v100-subcore", ""},     {"a100-40", "a100"}, {"a100-80-subcore", "a100"},
      {"h100-pcie", "h100"}, {"h100-sxm", "h100-sxm"}, {"h200", "h100-sxm"}};
  for (const auto& [platform, set] : cases) {
    const GpuSpec spec = platform_with(platform, set);
    ASSERT_TRUE(spec.energy) << platform;
    EXPECT_EQ(foreign_energies(*spec.energy, spec), "") << platform;
    EXPECT_EQ(energy_misfit(*spec.energy, spec.memory->dram), "") << platform;
  }
  EXPECT_NE(foreign_energies(load_energy("h100"), platform_with("h100-sxm", "")), "");
}

TEST(ReadEnergy, GuessesOfACardSayWhatTheyAre) {
  for (const char* set : {"a100", "h100"}) {
    const EnergySpec spec = load_energy(set);
    for (std::size_t i = 0; i < kEnergyEvents; ++i)
      EXPECT_TRUE(spec.events[i].value == 0 || spec.events[i].source.rfind("guess: ", 0) == 0)
          << set << " " << energy_events()[i].name;
  }
}

// A set in which everything costs nothing but one thing, so that bounds can be computed by hand.
GpuSpec gtx480_where(const std::string& event, double fj, const std::string& power, double mw) {
  GpuSpec spec = gtx480_with({});
  spec.energy = EnergySpec{};
  if (!event.empty()) spec.energy->events[event_number(event)].value = fj;
  if (!power.empty()) spec.energy->powers[static_number(power)].value = mw;
  return spec;
}

TEST(PeakPower, IsTheRateOfEachEventTimesItsEnergy) {
  const auto peak = [](const std::string& event) { return peak_watts(gtx480_where(event, 1000, "", 0)); };
  // A picojoule, 15 SMs at 700 MHz: two sp pipelines, one sfu every 8 cycles, one access.
  const double cycles = 15 * 700e6 * 1e-12;
  EXPECT_NEAR(peak("sp_instruction"), 2 * cycles, 1e-9);
  EXPECT_NEAR(peak("sp_lane"), 64 * cycles, 1e-9);
  EXPECT_NEAR(peak("sfu_lane"), 4 * cycles, 1e-9);
  EXPECT_NEAR(peak("operand_collector"), (2 + 0.125 + 1) * cycles, 1e-9);
  EXPECT_NEAR(peak("register_read"), 16 * cycles, 1e-9);
  EXPECT_NEAR(peak("shared_pass"), cycles, 1e-9);
  EXPECT_NEAR(peak("l2_sector"), 12 * 700e6 * 1e-12, 1e-9);
  EXPECT_NEAR(peak("crossbar_flit"), 2 * 12 * 700e6 * 1e-12, 1e-9);
  EXPECT_NEAR(peak("dram_read"), 6 * 924e6 / 2 * 1e-12, 1e-9);
  EXPECT_NEAR(peak("dram_activate"), 6 * 924e6 / 6 * 1e-12, 1e-9);
  EXPECT_NEAR(peak("dram_refresh"), 6 * 924e6 / 3604 * 1e-12, 1e-12);
  EXPECT_NEAR(peak("pcie_byte"), 16e9 * 1e-12, 1e-9);
}

// An SM of a V100 makes a product in two cycles on its four units, one of an H100 two, with wgmma.
TEST(PeakPower, OfTensorUnitsIsThatOfTheFastestProducts) {
  const auto peak = [](const std::string& platform) {
    GpuSpec spec = platform_with(platform, "");
    spec.energy = EnergySpec{};
    spec.energy->events[event_number("tensor_product")].value = 1000;
    return peak_watts(spec);
  };
  EXPECT_NEAR(peak("v100"), 0.5 * 80 * 1530e6 * 1e-12, 1e-9);
  EXPECT_NEAR(peak("h100-pcie"), 2 * 114 * 1755e6 * 1e-12, 1e-9);
}

TEST(PeakPower, IdleHasSmsAsleepRowsClosedAndRefreshes) {
  const auto idle = [](const std::string& power) { return idle_watts(gtx480_where("", 0, power, 1000)); };
  EXPECT_DOUBLE_EQ(idle("sm_asleep"), 15);
  EXPECT_DOUBLE_EQ(idle("sm_awake"), 0);
  EXPECT_DOUBLE_EQ(idle("l2_slice"), 12);
  EXPECT_DOUBLE_EQ(idle("dram_closed"), 6);
  EXPECT_DOUBLE_EQ(idle("dram_open"), 0);
  EXPECT_DOUBLE_EQ(idle("other"), 1);
  EXPECT_NEAR(idle_watts(gtx480_where("dram_refresh", 1000, "", 0)), 6 * 924e6 / 3604 * 1e-12, 1e-12);
  EXPECT_DOUBLE_EQ(idle_watts(gtx480_where("sp_lane", 1000, "", 0)), 0);
}

}  // namespace
}  // namespace heddle::test
