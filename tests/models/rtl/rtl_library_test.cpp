// Libraries of RTL blocks, with one that is written by hand: what is loaded, and what is refused.

#include "models/rtl/rtl_library.h"
#include "models/rtl/rtl_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/allocation_counter.h"
#include "tests/support/rtl/fake_block.h"

namespace heddle::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string refusal_of(const std::string& file, const std::string& fault = "") {
  ::setenv("HEDDLE_FAKE_FAULT", fault.c_str(), 1);
  try {
    RtlLibrary::load(file);
  } catch (const RtlError& error) {
    EXPECT_THAT(error.what(), HasSubstr(file));
    return error.what();
  }
  return "";
}

std::string fault_of_instance(std::uint64_t seed) {
  const auto library = RtlLibrary::load(fake_library());
  try {
    library->create(100 + seed);
  } catch (const RtlError& error) {
    return error.what();
  }
  return "";
}

TEST(RtlLibrary, SaysWhatItHolds) {
  const auto library = RtlLibrary::load(fake_library());
  EXPECT_EQ(library->file(), fake_library());
  EXPECT_EQ(library->top(), "fake");
  EXPECT_EQ(library->tool(), "hand");
}

TEST(RtlLibrary, SignalsHaveNamesWidthsAndDirections) {
  const auto block = RtlLibrary::load(fake_library())->create(0);
  EXPECT_EQ(block->signals().size(), 11u);
  ASSERT_NE(block->find("in_130"), nullptr);
  EXPECT_EQ(block->find("in_130")->bits(), 130u);
  EXPECT_EQ(block->find("in_130")->direction(), HEDDLE_RTL_INPUT);
  EXPECT_EQ(block->find("out_16")->direction(), HEDDLE_RTL_OUTPUT);
  EXPECT_EQ(block->find("unit.evals")->direction(), HEDDLE_RTL_INTERNAL);
  EXPECT_EQ(block->find("in_13"), nullptr);
}

TEST(RtlLibrary, EvaluatesInputsOfEveryWordSize) {
  const auto block = RtlLibrary::load(fake_library())->create(0);
  for (const int bits : {8, 16, 32, 64}) {
    const std::string width = std::to_string(bits);
    block->find("in_" + width)->set(0x5a);
    block->eval();
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    EXPECT_EQ(block->find("out_" + width)->get(), all - 0x5a) << bits;
  }
  block->find("in_130")->set(100, 30, 0x2aaaaaaa);
  block->eval();
  EXPECT_EQ(block->find("out_130")->get(100, 30), 0x15555555u);
  EXPECT_EQ(block->find("unit.evals")->get(), 5u);
}

TEST(RtlLibrary, InstancesAreIndependentAndKeepTheLibraryLoaded) {
  auto library = RtlLibrary::load(fake_library());
  const auto one = library->create(0);
  const auto other = library->create(0);
  library.reset();
  one->find("in_8")->set(1);
  one->eval();
  other->eval();
  other->eval();
  EXPECT_EQ(one->find("out_8")->get(), 0xfeu);
  EXPECT_EQ(other->find("out_8")->get(), 0xffu);
  EXPECT_EQ(other->find("unit.evals")->get(), 2u);
}

TEST(RtlLibrary, AFailedEvaluationIsAnErrorWithTheBlocksMessage) {
  const auto block = RtlLibrary::load(fake_library())->create(0);
  block->find("in_8")->set(0xee);
  try {
    block->eval();
    FAIL() << "no error";
  } catch (const RtlError& error) {
    EXPECT_STREQ(error.what(), "RTL block fake: fake.sv:7: in_8 is 0xee");
  }
}

TEST(RtlLibrary, EvaluationsAllocateNothing) {
  const auto block = RtlLibrary::load(fake_library())->create(0);
  RtlSignal* const input = block->find("in_130");
  arm_allocation_counter();
  for (std::uint32_t i = 0; i < 100; ++i) {
    input->set(i, 30, i);
    block->eval();
  }
  EXPECT_EQ(disarm_allocation_counter(), 0u);
}

TEST(RtlLibrary, AFileThatIsNoLibraryIsRefused) {
  EXPECT_THAT(refusal_of("/no/such/library.so"), HasSubstr("No such file"));
  EXPECT_THAT(refusal_of(source_directory() + "/README.md"), HasSubstr("README.md"));
  EXPECT_THAT(refusal_of(library_without_entry()), HasSubstr("does not export the function heddle_rtl()"));
}

std::string end_of_trial(const std::string& fault) {
  ::setenv("HEDDLE_FAKE_FAULT", fault.c_str(), 1);
  try {
    try_rtl_library(fake_library());
  } catch (const RtlError& error) {
    return error.what();
  }
  return "";
}

TEST(RtlLibrary, ATrialTellsACrashAndWhatTheLoadRefuses) {
  EXPECT_THAT(end_of_trial("crash"),
              EndsWith("fake_block.so: signal 6 ended a trial of it; is the file damaged?"));
  EXPECT_THAT(end_of_trial("exit"),
              EndsWith("fake_block.so: a trial of it ended with status 17; is the file damaged?"));
  EXPECT_EQ(end_of_trial("version"), refusal_of(fake_library(), "version"));
  EXPECT_EQ(end_of_trial(""), "");
}

TEST(RtlLibrary, AnInterfaceOfAnotherVersionIsRefused) {
  EXPECT_THAT(refusal_of(fake_library(), "version"),
              HasSubstr("it has version 2 of the interface; this Heddle reads version 1"));
  EXPECT_THAT(refusal_of(fake_library(), "size"), HasSubstr("bytes, and version 1 has"));
  EXPECT_EQ(refusal_of(fake_library(), "longer"), "");
}

TEST(RtlLibrary, AnIncompleteInterfaceIsRefused) {
  EXPECT_THAT(refusal_of(fake_library(), "null"), HasSubstr("heddle_rtl() returns null"));
  for (const char* fault : {"no top", "no eval"})
    EXPECT_THAT(refusal_of(fake_library(), fault), HasSubstr("of its interface is null")) << fault;
  EXPECT_THAT(refusal_of(fake_library(), "half a trace"), HasSubstr("some functions of waveforms"));
}

TEST(RtlLibrary, AWrongTableOfSignalsIsRefused) {
  EXPECT_THAT(fault_of_instance(1), HasSubstr("no instance can be made"));
  EXPECT_THAT(fault_of_instance(2), HasSubstr("a signal without a name"));
  EXPECT_THAT(fault_of_instance(3), HasSubstr("a signal without a name"));
  EXPECT_THAT(fault_of_instance(4), HasSubstr("a signal without a value"));
  EXPECT_THAT(fault_of_instance(5), HasSubstr("a signal without bits or direction"));
  EXPECT_THAT(fault_of_instance(6), HasSubstr("a signal without bits or direction"));
  EXPECT_THAT(fault_of_instance(7), HasSubstr("a signal whose words have a wrong size"));
  EXPECT_THAT(fault_of_instance(8), HasSubstr("a signal of several words that are not of 4 bytes"));
  EXPECT_THAT(fault_of_instance(9), HasSubstr("a null list of signals"));
}

TEST(RtlLibrary, WaveformsAreRefusedByALibraryWithoutThem) {
  const auto block = RtlLibrary::load(fake_library())->create(0);
  EXPECT_THROW(block->trace_open("a.vcd"), RtlError);
  ::setenv("HEDDLE_FAKE_FAULT", "failing trace", 1);
  const auto failing = RtlLibrary::load(fake_library())->create(0);
  try {
    failing->trace_open("a.vcd");
    FAIL() << "no error";
  } catch (const RtlError& error) {
    EXPECT_STREQ(error.what(), "RTL block fake: no disk");
  }
}

}  // namespace
}  // namespace heddle::test
