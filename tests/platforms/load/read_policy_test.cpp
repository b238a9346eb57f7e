#include "platforms/load/read_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(ReadPolicy, ARangeThatIsNoneIsAProblemAtItsPlace) {
  for (const char* wrong : {"[3-1]", "[0-]", "[0-5000]", "[-3--1]", "[1-2-3]"}) try {
      tpcs(wrong);
      ADD_FAILURE() << wrong;
    } catch (const config::Error& error) {
      EXPECT_THAT(error.problems(), ElementsAre(HasSubstr("f.yaml:1:33: policy.tpcs"))) << wrong;
    }
}

}  // namespace
}  // namespace heddle
