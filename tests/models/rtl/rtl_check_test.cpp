// What a spec says about pins and counters, checked against the library that is written by hand.

#include "models/rtl/rtl_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/problems.h"
#include "tests/support/rtl/fake_block.h"

namespace heddle::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A pin of one bit serves as a clock here: none of the library has one, so each test that needs a valid clock
// has none at all.
RtlSpec valid_spec() {
  RtlSpec spec;
  spec.name = "block";
  spec.place = "block.yaml:1:1";
  spec.seed = 0;
  spec.pins = {{"in_8", "number", 0, false, 0, "block.yaml:2:1"},
               {"in_16", "", 0, false, 0xffff, "block.yaml:3:1"},
               {"in_32", "ages", 8, false, 0, "block.yaml:4:1"},
               {"in_64", "", 0, false, ~std::uint64_t{0}, "block.yaml:5:1"},
               {"in_130", "mask", 0, false, 0, "block.yaml:6:1"},
               {"out_8", "pick", 0, false, 0, "block.yaml:7:1"}};
  spec.counters.push_back({"evals", "unit.evals", {}, 0, false, "block.yaml:8:1"});
  return spec;
}

Problems problems(const RtlSpec& spec) {
  const auto library = RtlLibrary::load(fake_library());
  return problems_of([&] { check_pins(spec, *library); });
}

TEST(RtlCheck, AValidSpecHasNoProblem) {
  EXPECT_THAT(problems(valid_spec()), IsEmpty());
}

TEST(RtlCheck, APinThatTheBlockLacksIsNamedWithTheNearest) {
  RtlSpec spec = valid_spec();
  spec.pins.push_back({"out_61", "x", 0, false, 0, "block.yaml:9:1"});
  spec.clocks.push_back({"in_9", "core", "block.yaml:10:1"});
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:10:1: the block has no pin 'in_9'; did you mean 'in_8'?",
                          "block.yaml:9:1: the block has no pin 'out_61'; did you mean 'out_16'?"));
}

TEST(RtlCheck, AVariableInsideTheBlockIsNoPin) {
  RtlSpec spec = valid_spec();
  spec.pins.push_back({"unit.evals", "x", 0, false, 0, "block.yaml:9:1"});
  EXPECT_THAT(problems(spec), ElementsAre("block.yaml:9:1: the block has no pin 'unit.evals'"));
}

TEST(RtlCheck, EveryInputIsConnectedOrTied) {
  RtlSpec spec = valid_spec();
  spec.pins.erase(spec.pins.begin() + 4);
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:1:1: input 'in_130' of 130 bits is neither connected nor tied"));
}

TEST(RtlCheck, ClocksAndResetsAreInputsOfOneBit) {
  RtlSpec spec = valid_spec();
  spec.pins.erase(spec.pins.begin());
  spec.clocks.push_back({"in_8", "core", "block.yaml:9:1"});
  spec.resets.push_back({"out_16", true, 1, 0, "block.yaml:10:1"});
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:9:1: clock 'in_8' has 8 bits and needs one",
                          "block.yaml:10:1: pin 'out_16' is an output and cannot be a reset"));
}

TEST(RtlCheck, AnOutputCannotBeTied) {
  RtlSpec spec = valid_spec();
  spec.pins.push_back({"out_16", "", 0, false, 3, "block.yaml:9:1"});
  EXPECT_THAT(problems(spec), ElementsAre("block.yaml:9:1: pin 'out_16' is an output and cannot be tied"));
}

TEST(RtlCheck, AConstantFitsItsPin) {
  RtlSpec spec = valid_spec();
  spec.pins[1].constant = 0x10000;
  EXPECT_THAT(problems(spec), ElementsAre("block.yaml:3:1: 65536 does not fit the 16 bits of pin 'in_16'"));
}

TEST(RtlCheck, ElementsFillTheirPin) {
  RtlSpec spec = valid_spec();
  spec.pins[2].element = 7;
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:4:1: pin 'in_32' has 32 bits, which are no whole number "
                          "of elements of 7 bits"));
}

TEST(RtlCheck, TwoOutputsCannotDriveOneSignal) {
  RtlSpec spec = valid_spec();
  spec.pins.push_back({"out_16", "pick", 0, false, 0, "block.yaml:9:1"});
  spec.pins[0].signal = "mask";
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:6:1: signal 'mask' has two pins: 'in_8' and 'in_130'",
                          "block.yaml:9:1: signal 'pick' has two drivers: pin 'out_8' and pin 'out_16'"));
}

TEST(RtlCheck, APinHasTheDirectionOfItsSignal) {
  RtlSpec spec = valid_spec();
  spec.role = "crossbar_arbiter";
  spec.pins[4].signal = "grant_mask";
  spec.pins[5].signal = "requests";
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:6:1: pin 'in_130' is an input of the block, and the signal grant_mask "
                          "needs an output",
                          "block.yaml:7:1: pin 'out_8' is an output of the block, and the signal requests "
                          "needs an input"));
}

TEST(RtlCheck, TakenHasABitForEachThingThatIsChosenFrom) {
  RtlSpec spec = valid_spec();
  spec.role = "crossbar_arbiter";
  spec.pins[0].signal = "taken";
  spec.pins[1] = {"in_16", "requests", 0, false, 0, "block.yaml:3:1"};
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:2:1: pin 'in_8' has 8 bits, and the signal taken needs 16: "
                          "a bit for each one of pin 'in_16'"));
  const auto most = most_things(spec, *RtlLibrary::load(fake_library()));
  ASSERT_TRUE(most.has_value());
  EXPECT_EQ(most->things, 4u);  // elements of 8 bits
  EXPECT_EQ(most->pin, "in_32");
}

TEST(RtlCheck, ACounterReadsBitsThatItsSignalHas) {
  RtlSpec spec = valid_spec();
  spec.counters = {{"a", "unit.eval", {}, 0, false, "block.yaml:8:1"},
                   {"b", "out_16", 16, 3, false, "block.yaml:9:1"},
                   {"c", "out_130", {}, 0, false, "block.yaml:10:1"},
                   {"d", "out_130", {}, 0, true, "block.yaml:11:1"},
                   {"e", "out_130", 129, 66, false, "block.yaml:12:1"}};
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:8:1: counter 'a': the library has no signal 'unit.eval'; did you mean "
                          "'unit.evals'?",
                          "block.yaml:9:1: counter 'b': 'out_16' has bits 15:0 and no bit 16",
                          "block.yaml:10:1: counter 'c': 'out_130' has 130 bits; a counter reads at most 64, "
                          "which 'bits' names"));
}

// The 16 bits of in_16 and the lowest byte of in_130 are one pin, the other bits of in_130 two more.
RtlSpec spec_with_vectors() {
  RtlSpec spec = valid_spec();
  spec.vectors = {{"wide", {{"in_16", {}, 0}, {"in_130", 7, 0}}, "block.yaml:9:1"},
                  {"field", {{"in_130", 120, 8}}, "block.yaml:10:1"},
                  {"rest", {{"in_130", 129, 121}}, "block.yaml:11:1"}};
  spec.pins[1].pin = "wide";
  spec.pins[4].pin = "field";
  spec.pins.push_back({"rest", "", 0, false, 5, "block.yaml:12:1"});
  return spec;
}

TEST(RtlCheck, VectorsOfPinsAreConnectedAsPinsAre) {
  EXPECT_THAT(problems(spec_with_vectors()), IsEmpty());
  RtlSpec spec = spec_with_vectors();
  spec.pins.pop_back();
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:1:1: input 'rest' of 9 bits is neither connected nor tied"));
}

TEST(RtlCheck, EachBitOfAnInputIsInOneVector) {
  RtlSpec twice = spec_with_vectors();
  twice.vectors[2].parts[0].low = 119;
  EXPECT_THAT(problems(twice), ElementsAre("block.yaml:11:1: bit 119 of pin 'in_130' has two drivers: the "
                                           "vectors 'field' and 'rest'"));
  RtlSpec gap = spec_with_vectors();
  gap.vectors[2].parts[0].low = 123;
  EXPECT_THAT(problems(gap), ElementsAre("block.yaml:1:1: bit 121 of input 'in_130' is in no vector"));
  RtlSpec pin = spec_with_vectors();
  pin.pins.push_back({"in_16", "", 0, false, 0, "block.yaml:13:1"});
  EXPECT_THAT(problems(pin),
              ElementsAre("block.yaml:13:1: pin 'in_16' has two drivers: a vector has it already"));
}

TEST(RtlCheck, AVectorIsMadeOfPinsOfOneDirection) {
  RtlSpec spec = valid_spec();
  spec.vectors = {{"a", {{"out_16", {}, 0}, {"in_16", {}, 0}}, "block.yaml:9:1"},
                  {"b", {{"out_17", {}, 0}}, "block.yaml:10:1"},
                  {"c", {{"out_16", 16, 16}}, "block.yaml:11:1"},
                  {"out_16", {{"out_16", {}, 0}}, "block.yaml:12:1"},
                  {"d", {{"unit.evals", {}, 0}}, "block.yaml:13:1"}};
  EXPECT_THAT(problems(spec),
              ElementsAre("block.yaml:9:1: vector 'a': pins 'out_16' and 'in_16' are an input and an output",
                          "block.yaml:10:1: vector 'b': the block has no pin 'out_17'",
                          "block.yaml:11:1: vector 'c': pin 'out_16' has bits 15:0 and no bit 16",
                          "block.yaml:12:1: vector 'out_16': the block has a signal of this name",
                          "block.yaml:13:1: vector 'd': the block has no pin 'unit.evals'"));
}

TEST(RtlCheck, TheTableSaysWhichVectorsAPinHas) {
  std::map<std::string, std::string> uses;
  const RtlSpec spec = spec_with_vectors();
  for (const RtlUse& use : signal_uses(spec, *RtlLibrary::load(fake_library()))) uses[use.signal] = use.use;
  EXPECT_EQ(uses["in_16"], "vector wide");
  EXPECT_EQ(uses["in_130"], "[7:0] vector wide; [120:8] vector field; [129:121] vector rest");
  EXPECT_EQ(uses["field"], "signal mask");
  EXPECT_EQ(uses["rest"], "tied to 5");
}

TEST(RtlCheck, TheTableSaysWhatEachSignalIsUsedFor) {
  RtlSpec spec = valid_spec();
  spec.counters.push_back({"low", "out_8", 3, 0, true, ""});
  std::map<std::string, std::string> uses;
  for (const RtlUse& use : signal_uses(spec, *RtlLibrary::load(fake_library()))) uses[use.signal] = use.use;
  EXPECT_EQ(uses.size(), 11u);
  EXPECT_EQ(uses["in_8"], "signal number");
  EXPECT_EQ(uses["in_16"], "tied to 65535");
  EXPECT_EQ(uses["in_32"], "signal ages, 8 bits each");
  EXPECT_EQ(uses["out_8"], "signal pick; counter low [3:0], pulse");
  EXPECT_EQ(uses["out_16"], "");
  EXPECT_EQ(uses["unit.evals"], "counter evals");
}

}  // namespace
}  // namespace heddle::test
