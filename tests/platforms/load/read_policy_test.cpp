#include "platforms/load/read_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PolicyChoice read(const std::string& text) {
  config::Document document = config::Document::parse(text, "f.yaml");
  const PolicyChoice choice = read_policy("sm_partitioner", document.root().value("policy"), 0);
  document.finish();
  return choice;
}

double quantum(const std::string& text) {
  return read("policy: {name: time-slice, quantum: " + text + "}").parameters.at("quantum").number();
}

TEST(ReadPolicy, AParameterInAUnitOfTimeTakesATimeInAnyUnit) {
  EXPECT_EQ(quantum("1500"), 1500);  // microseconds
  EXPECT_EQ(quantum("1.5ms"), 1500);
  EXPECT_EQ(quantum("2500ns"), 2.5);
  EXPECT_EQ(quantum("3us"), 3);
  EXPECT_EQ(quantum("2s"), 2e6);
}

TEST(ReadPolicy, ATimeForAParameterThatIsNoneIsAProblemAtItsPlace) {
  try {
    read("policy: {name: token, imbalance: 2ms}");
    FAIL() << "no problem";
  } catch (const config::Error& error) {
    EXPECT_THAT(error.problems(), ElementsAre(HasSubstr("f.yaml:1:")));
  }
}

TEST(ReadPolicy, AnUnknownUnitOfTimeIsAProblemAtItsPlace) {
  try {
    quantum("2weeks");
    FAIL() << "no problem";
  } catch (const config::Error& error) {
    EXPECT_THAT(error.problems(), ElementsAre(HasSubstr("f.yaml:1:37: policy.quantum")));
  }
}

IntegerLists tpcs(const std::string& text) {
  return read("policy: {name: tpc-mask, tpcs: " + text + "}").parameters.at("tpcs").lists();
}

TEST(ReadPolicy, ARangeInAListStandsForEachOfItsNumbers) {
  EXPECT_EQ(tpcs("[[0-3], [1, 4-5, 7]]"), (IntegerLists{{0, 1, 2, 3}, {1, 4, 5, 7}}));
  EXPECT_EQ(tpcs("[2-2, 5]"), (IntegerLists{{2, 5}}));
}

TEST(ReadPolicy, ThreeAndMoreNumbersInARowAreWrittenAsARangeThatReadsAsThem) {
  const auto written = [](const IntegerLists& lists) { return PolicyValue(lists).text(); };
  EXPECT_EQ(written({{0, 1, 2, 3}, {1, 2, 5, 7, 8, 9}}), "[[0-3], [1, 2, 5, 7-9]]");
  EXPECT_EQ(written({{PolicyValue::kAll, 0, 1}, {3, 2, 1}}), "[[all, 0, 1], [3, 2, 1]]");
  EXPECT_EQ(written({{50, 51, 52}}), "[50-52]");
  const IntegerLists lists{{0, 1, 2, 7, 8, 9, 10}, {4095, PolicyValue::kAll}};
  EXPECT_EQ(tpcs(written(lists)), lists);
}

TEST(ReadPolicy, ARangeThatIsNoneIsAProblemAtItsPlace) {
  for (const char* wrong : {"[3-1]", "[0-]", "[0-5000]", "[-3--1]", "[1-2-3]"}) try {
      tpcs(wrong);
      ADD_FAILURE() << wrong;
    } catch (const config::Error& error) {
      EXPECT_THAT(error.problems(), ElementsAre(HasSubstr("f.yaml:1:33: policy.tpcs"))) << wrong;
    }
}

// The papers compare with a GPU that runs one kernel an SM; a product's platform does what the product does.
TEST(PaperPlatforms, KeepOneKernelAnSmAlsoWithCycleSms) {
  for (const char* name : {"k20-cusched", "fermi-warped-slicer", "fermi-zorua", "kepler-zorua",
                           "maxwell-zorua", "m2090-perf-sat", "k20x-perf-sat"}) {
    config::Document document = load_platform_document(name);
    set_platform_key(document, "sm.model=cycle");
    const GpuSpec gpu = read_platform(document.root());
    document.finish();
    EXPECT_EQ(gpu.policies.at("sm_partitioner").name, "fcfs-s") << name;
  }
  for (const char* name : {"gtx480", "m2090", "k20", "k20x", "k40"})
    EXPECT_EQ(load_platform(name).policies.at("sm_partitioner").name, "left-over") << name;
}

}  // namespace
}  // namespace heddle
