#include "policies/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const PolicyError& error) {
    return error.what();
  }
  return "no error";
}

PolicyCatalogue catalogue() {
  PolicyCatalogue catalogue;
  catalogue.add({"colour", "red", "the warmest", "Goethe", {}});
  catalogue.add({"colour",
                 "blue",
                 "the coldest",
                 "Goethe",
                 {{"depth", "shades", 3, 1, 8, "how dark", true}, {"glow", "1", 0.5, 0, 1, "how bright"}}});
  catalogue.add({"shape", "round", "no corner", "Euclid", {}});
  return catalogue;
}

TEST(PolicyCatalogue, ListsDecisionsAndNamesSorted) {
  EXPECT_THAT(catalogue().decisions(), ElementsAre("colour", "shape"));
  EXPECT_THAT(catalogue().names("colour"), ElementsAre("blue", "red"));
}

TEST(PolicyCatalogue, AnUnknownDecisionListsTheKnownOnes) {
  EXPECT_EQ(error_of([] { catalogue().names("colours"); }),
            "unknown decision 'colours'; did you mean 'colour'? Known: colour, shape");
}

TEST(PolicyCatalogue, AnUnknownNameListsTheKnownOnesAndTheNearest) {
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"yellow", {}});
            }),
            "unknown colour policy 'yellow'; known: blue, red");
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"blu", {}});
            }),
            "unknown colour policy 'blu'; did you mean 'blue'? Known: blue, red");
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"", {}});
            }),
            "unknown colour policy ''; known: blue, red");
}

TEST(PolicyCatalogue, ANameOfAnotherDecisionIsUnknown) {
  EXPECT_THAT(error_of([] {
                catalogue().resolve("shape", {"red", {}});
              }),
              HasSubstr("unknown shape policy 'red'"));
}

TEST(PolicyCatalogue, ANameTakenTwiceIsRefused) {
  PolicyCatalogue twice = catalogue();
  EXPECT_THROW(twice.add({"colour", "red", "another", "Newton", {}}), std::logic_error);
  EXPECT_EQ(twice.info("colour", "red").source, "Goethe");
  twice.add({"shape", "red", "the same name for another decision", "Newton", {}});
  EXPECT_EQ(twice.info("shape", "red").source, "Newton");
}

TEST(PolicyCatalogue, ParametersNotGivenTakeTheirDefault) {
  const PolicyParameters given = catalogue().resolve("colour", {"blue", {{"depth", 8}}});
  EXPECT_EQ(given["depth"], 8);
  EXPECT_EQ(given["glow"], 0.5);
}

TEST(PolicyCatalogue, AnUnknownParameterListsTheKnownOnesAndTheNearest) {
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"blue", {{"glow", 1}, {"width", 2}}});
            }),
            "unknown blue parameter 'width'; known: depth, glow");
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"blue", {{"dept", 2}}});
            }),
            "unknown blue parameter 'dept'; did you mean 'depth'? Known: depth, glow");
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"red", {{"depth", 2}}});
            }),
            "unknown red parameter 'depth'; known: none");
}

TEST(PolicyCatalogue, AParameterOnTheEdgeOfItsRangeIsTakenAndOneBeyondIsNot) {
  EXPECT_EQ(catalogue().resolve("colour", {"blue", {{"depth", 1}}})["depth"], 1);
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"blue", {{"depth", 0}}});
            }),
            "blue parameter 'depth' is 0; it must lie in 1 .. 8 shades");
  EXPECT_THAT(error_of([] {
                catalogue().resolve("colour", {"blue", {{"depth", 9}}});
              }),
              HasSubstr("1 .. 8 shades"));
}

TEST(PolicyCatalogue, WhatIsNoNumberIsOutOfRange) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(error_of([bad] {
                  catalogue().resolve("colour", {"blue", {{"glow", bad}}});
                }),
                HasSubstr("it must lie in 0 .. 1"));
}

TEST(PolicyCatalogue, ACountIsAWholeNumber) {
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"blue", {{"depth", 1.5}}});
            }),
            "blue parameter 'depth' is 1.5; it must be a whole number");
}

PolicyCatalogue with_lists() {
  PolicyCatalogue catalogue;
  catalogue.add({"colour",
                 "striped",
                 "one beside the other",
                 "Buren",
                 {{"widths", "cm", IntegerLists{{8, 7}}, PolicyValue::kAll, 9, "of each stripe"}}});
  return catalogue;
}

TEST(PolicyCatalogue, ListsNotGivenTakeTheirDefault) {
  EXPECT_EQ(with_lists().resolve("colour", {"striped", {}}).lists("widths"), (IntegerLists{{8, 7}}));
  const PolicyParameters given =
      with_lists().resolve("colour", {"striped", {{"widths", IntegerLists{{1}, {}, {2, -1}}}}});
  EXPECT_EQ(given.lists("widths"), (IntegerLists{{1}, {}, {2, -1}}));
}

TEST(PolicyCatalogue, EveryEntryOfAListLiesInItsRange) {
  EXPECT_EQ(error_of([] {
              with_lists().resolve("colour", {"striped", {{"widths", IntegerLists{{1}, {9, 10}}}}});
            }),
            "striped parameter 'widths' is 10; it must lie in -1 .. 9 cm");
}

TEST(PolicyCatalogue, AListIsNoNumberAndANumberNoList) {
  EXPECT_EQ(error_of([] {
              with_lists().resolve("colour", {"striped", {{"widths", 3}}});
            }),
            "striped parameter 'widths' is 3; it must be a list, a list of lists, or all");
  EXPECT_EQ(error_of([] {
              catalogue().resolve("colour", {"blue", {{"depth", IntegerLists{{1, 2}, {-1}}}}});
            }),
            "blue parameter 'depth' is [[1, 2], [all]]; it must be a number");
}

TEST(PolicyCatalogue, AParameterThatIsANameIsOneOfItsNames) {
  PolicyCatalogue catalogue;
  catalogue.add({"colour",
                 "mixed",
                 "two in one",
                 "Itten",
                 {{"with", "colour", std::string("red"), 0, 0, "the other one", false, {"red", "green"}}}});
  EXPECT_EQ(catalogue.resolve("colour", {"mixed", {}}).name("with"), "red");
  EXPECT_EQ(catalogue.resolve("colour", {"mixed", {{"with", std::string("green")}}}).name("with"), "green");
  EXPECT_EQ(error_of([&] {
              catalogue.resolve("colour", {"mixed", {{"with", std::string("gren")}}});
            }),
            "mixed parameter 'with' is gren; it must be one of red, green");
  EXPECT_EQ(error_of([&] {
              catalogue.resolve("colour", {"mixed", {{"with", 1}}});
            }),
            "mixed parameter 'with' is 1; it must be one of red, green");
}

TEST(PolicyCatalogue, FindsAParameterOrNothing) {
  const PolicyCatalogue known = catalogue();
  ASSERT_NE(known.find("colour", "blue", "glow"), nullptr);
  EXPECT_EQ(known.find("colour", "blue", "glow")->unit, "1");
  EXPECT_EQ(known.find("colour", "blue", "width"), nullptr);
  EXPECT_EQ(known.find("colour", "green", "glow"), nullptr);
  EXPECT_EQ(known.find("taste", "blue", "glow"), nullptr);
}

// Returns a catalogue with a decision that applies to GPUs with DRAM only, and with a policy that needs as
// many SMs as its parameter states.
PolicyCatalogue with_constraints() {
  PolicyCatalogue catalogue;
  PolicyInfo wide{
      "row_order", "wide", "for large GPUs", "nowhere", {{"sms", "SMs", 4, 1, 64, "at least", true}}};
  wide.misfit = [](const GpuDescription& gpu, const PolicyParameters& parameters) {
    const bool suits = gpu.sms >= parameters["sms"];
    return suits ? std::string() : "wide needs more SMs than " + std::to_string(gpu.sms);
  };
  catalogue.add(wide, {[](const GpuDescription& gpu) { return gpu.has_dram; }, "a dram section"});
  return catalogue;
}

GpuDescription gpu_of(std::uint32_t sms, bool has_dram) {
  GpuDescription gpu;
  gpu.sms = sms;
  gpu.has_dram = has_dram;
  return gpu;
}

TEST(PolicyCatalogue, APolicySaysWhyItDoesNotSuitAGpuWithItsParametersCompleted) {
  EXPECT_EQ(with_constraints().misfit("row_order", {"wide", {}}, gpu_of(4, true)), "");
  EXPECT_EQ(with_constraints().misfit("row_order", {"wide", {}}, gpu_of(3, true)),
            "wide needs more SMs than 3");
  EXPECT_EQ(with_constraints().misfit("row_order", {"wide", {{"sms", 2}}}, gpu_of(3, true)), "");
  EXPECT_THAT(error_of([] {
                with_constraints().misfit("row_order", {"wide", {{"sms", 0}}}, gpu_of(3, true));
              }),
              HasSubstr("must lie in 1 .. 64"));
}

TEST(PolicyCatalogue, ADecisionThatAGpuDoesNotAskForSaysWhatTheGpuLacks) {
  EXPECT_TRUE(with_constraints().is_asked("row_order", gpu_of(1, true)));
  EXPECT_FALSE(with_constraints().is_asked("row_order", gpu_of(1, false)));
  EXPECT_EQ(with_constraints().misfit("row_order", {"wide", {}}, gpu_of(8, false)),
            "row_order wide needs a dram section");
}

TEST(PolicyCatalogue, ADecisionWithoutADemandIsAskedEverywhereAndAPolicyWithoutOneSuitsEveryGpu) {
  EXPECT_TRUE(catalogue().is_asked("colour", {}));
  EXPECT_EQ(catalogue().misfit("colour", {"red", {}}, {}), "");
}

TEST(PolicyParameters, ReadingAListAsANumberIsRefusedLikeAnUndeclaredOne) {
  const PolicyParameters given = with_lists().resolve("colour", {"striped", {}});
  EXPECT_EQ(error_of([&] { given["widths"]; }), "parameter 'widths' is read but not declared");
}

TEST(PolicyParameters, ReadingOneThatIsNotDeclaredNamesIt) {
  const PolicyParameters given = catalogue().resolve("colour", {"blue", {}});
  EXPECT_EQ(error_of([&] { given["width"]; }), "parameter 'width' is read but not declared");
}

TEST(PolicyRegistry, MakesAPolicyByItsName) {
  const std::vector<TransferView> transfers{{0, ContextId{0}, 1, 100}, {1, ContextId{1}, 2, 100}};
  EXPECT_EQ(PolicyRegistry<DmaArbiter>::make({"fcfs", {}})->choose({transfers}), 0);
  EXPECT_EQ(PolicyRegistry<DmaArbiter>::make({"priority", {}})->choose({transfers}), 1);
}

TEST(PolicyRegistry, ATypingErrorIsMetWithTheNearestName) {
  EXPECT_THAT(error_of([] {
                PolicyRegistry<SmPartitioner>::make({"tokens", {}});
              }),
              AllOf(HasSubstr("unknown sm_partitioner policy 'tokens'; did you mean 'token'?"),
                    HasSubstr("fcfs-m, fcfs-s, "), HasSubstr("time-slice, token, ")));
  EXPECT_THAT(error_of([] {
                PolicyRegistry<SmPartitioner>::make({"warps", {}});
              }),
              Not(HasSubstr("did you mean")));
  EXPECT_THAT(error_of([] {
                PolicyRegistry<SmPartitioner>::make({"token", {{"imbalance", 0}}});
              }),
              HasSubstr("'imbalance' is 0; it must lie in 1 .. 1024 tokens"));
}

TEST(PolicyRegistry, APolicyIsNotReplacedByAnotherOfItsName) {
  const auto none = [](const PolicyParameters&) { return std::unique_ptr<DmaArbiter>(); };
  EXPECT_THROW(PolicyRegistry<DmaArbiter>::add({"dma_arbiter", "fcfs", "an impostor", "nowhere", {}}, none),
               std::logic_error);
  EXPECT_NE(PolicyRegistry<DmaArbiter>::make({"fcfs", {}}), nullptr);
}

}  // namespace
}  // namespace heddle
