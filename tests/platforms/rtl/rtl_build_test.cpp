// Libraries that Verilator and the compiler make: what they do, and when they are made anew.

#include "platforms/rtl/rtl_build.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <thread>

#include "models/rtl/rtl_check.h"
#include "tests/support/problems.h"
#include "tests/support/rtl/verilated.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RtlBuild : public VerilatedTest {
 protected:
  // Returns a Verilator that notes each time at which it makes C++.
  RtlBuildOptions counted() const {
    write("verilator.sh", fmt::format("#!/bin/sh\ncase \"$*\" in *--cc*) echo run >> {};; esac\n"
                                      "exec verilator \"$@\"\n",
                                      file("../runs")));
    ::chmod(file("verilator.sh").c_str(), 0755);
    return {file("verilator.sh"), false};
  }
  std::ptrdiff_t runs() const {
    const std::string text = read("../runs");
    return std::count(text.begin(), text.end(), '\n');
  }
};

TEST_F(RtlBuild, TheLibraryDoesWhatTheRtlSays) {
  const auto made = unchanged_library();
  EXPECT_EQ(made->top(), "arbiter");
  EXPECT_THAT(made->tool(), testing::MatchesRegex("Verilator [0-9.]+"));
  check_pins(spec(), *made);
  Arbiter arbiter(*made);
  arbiter.set("req_i", 0b100101);
  std::vector<std::uint64_t> grants;
  for (int i = 0; i < 4; ++i) {
    arbiter.set("clk", 0);
    arbiter.eval();
    grants.push_back(arbiter.get("grant_o"));
    arbiter.set("clk", 1);
    arbiter.eval();
  }
  EXPECT_THAT(grants, ElementsAre(0b000001, 0b000100, 0b100000, 0b000001));
  EXPECT_EQ(arbiter.get("grants.count"), 4u);
  EXPECT_EQ(arbiter.get("width_o"), 8u);
}

TEST_F(RtlBuild, WidePinsAndArraysOfPinsAreConnected) {
  Arbiter arbiter(*unchanged_library());
  arbiter.block->find("wide_i")->set(60, 64, 0x0123456789abcdef);
  arbiter.set("lanes_i[0]", 4);
  arbiter.set("lanes_i[1]", 3);
  arbiter.cycle();
  EXPECT_EQ(arbiter.block->find("wide_o")->get(60, 64), ~std::uint64_t{0x0123456789abcdef});
  EXPECT_EQ(arbiter.block->find("wide_o")->get(124, 6), 0x3fu);
  EXPECT_EQ(arbiter.get("sum_o"), 7u);
  EXPECT_EQ(arbiter.get("lane[1].lane_counter.count"), 1u);
  EXPECT_EQ(arbiter.block->find("lane[1].lane_counter.count")->bits(), 40u);
}

TEST_F(RtlBuild, ParametersAndDefinesChangeTheBlock) {
  edit("arbiter.yaml", "PORTS: 6", "PORTS: 3");
  edit("arbiter.yaml", "includes:", "defines: {ARBITER_WIDTH: 13}\nincludes:");
  write("arbiter_width.svh", "");
  Arbiter arbiter(*library());
  EXPECT_EQ(arbiter.block->find("req_i")->bits(), 3u);
  EXPECT_EQ(arbiter.block->find("width_o")->bits(), 13u);
}

TEST_F(RtlBuild, ASecondBuildFindsTheLibrary) {
  const RtlBuildOptions options = counted();
  const std::string made = build_rtl_library(spec(), options);
  EXPECT_EQ(runs(), 1);
  EXPECT_EQ(build_rtl_library(spec(), options), made);
  EXPECT_EQ(runs(), 1);
  EXPECT_EQ(build_rtl_library(spec(), {options.verilator, true}), made);
  EXPECT_EQ(runs(), 2);
}

TEST_F(RtlBuild, AChangedIncludedFileMakesAnotherLibrary) {
  const RtlBuildOptions options = counted();
  const std::string before = build_rtl_library(spec(), options);
  write("arbiter_width.svh", "`define ARBITER_WIDTH 9\n");
  const std::string after = build_rtl_library(spec(), options);
  EXPECT_NE(before, after);
  EXPECT_EQ(RtlLibrary::load(after)->create(1)->find("width_o")->bits(), 9u);
  EXPECT_EQ(RtlLibrary::load(before)->create(1)->find("width_o")->bits(), 8u);
  write("arbiter_width.svh", "`define ARBITER_WIDTH 8\n");
  EXPECT_EQ(build_rtl_library(spec(), options), before);
  EXPECT_EQ(runs(), 2);
}

TEST_F(RtlBuild, AnIncludedFileThatAppearsInAnEarlierFolderIsNoticed) {
  fs::create_directory(file("first"));
  edit("arbiter.yaml", "includes: [.]", "includes: [first, .]");
  const std::string before = build_rtl_library(spec());
  write("first/arbiter_width.svh", "`define ARBITER_WIDTH 10\n");
  const std::string after = build_rtl_library(spec());
  EXPECT_NE(before, after);
  EXPECT_EQ(RtlLibrary::load(after)->create(1)->find("width_o")->bits(), 10u);
}

TEST_F(RtlBuild, AFileThatIsNoInputOfTheBlockDoesNotMakeAnotherLibrary) {
  const std::string before = build_rtl_library(spec());
  const auto time = fs::last_write_time(before);
  write("notes.txt", "nothing for Verilator");
  EXPECT_EQ(build_rtl_library(spec()), before);
  EXPECT_EQ(fs::last_write_time(before), time);
}

TEST_F(RtlBuild, BuildsAtOnceMakeOneLibrary) {
  const RtlSpec block = spec();
  std::vector<std::string> made(3);
  std::vector<std::thread> builders;
  for (std::string& path : made) builders.emplace_back([&path, &block] { path = build_rtl_library(block); });
  for (std::thread& builder : builders) builder.join();
  EXPECT_EQ(made[1], made[0]);
  EXPECT_EQ(made[2], made[0]);
  Arbiter arbiter(*RtlLibrary::load(made[0]));
  for (const auto& entry : fs::directory_iterator(folder_ / "cache/rtl"))
    EXPECT_TRUE(entry.is_regular_file()) << entry.path();
}

TEST_F(RtlBuild, SourcesThatAreRefusedAreTheFirstErrorAndALog) {
  edit("arbiter.sv", "last <= '0", "last <= missing");
  const Problems problems = problems_of([&] { build_rtl_library(spec()); });
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0], HasSubstr(file("arbiter.yaml") + ":1:1: "));
  EXPECT_THAT(problems[0], HasSubstr(folder_.string() + "/rtl/" + line_of("missing")));
  EXPECT_THAT(problems[0], HasSubstr("Can't find definition of variable: 'missing'"));
  const std::string log = problems[0].substr(problems[0].find("the log is ") + 11);
  EXPECT_THAT(log, testing::StartsWith(folder_ / "cache/rtl/test_arbiter"));
  std::ifstream in(log);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("--top-module arbiter"));
  EXPECT_THAT(text, HasSubstr("missing"));
}

TEST_F(RtlBuild, ATopModuleThatIsMissingIsAnError) {
  edit("arbiter.yaml", "top: arbiter", "top: arbitre");
  EXPECT_THAT(problems_of([&] { build_rtl_library(spec()); }).at(0), HasSubstr("arbitre"));
}

TEST_F(RtlBuild, AWarningIsAnErrorUnlessAnOptionAllowsIt) {
  edit("arbiter.yaml", "options: [-Wno-UNOPTFLAT]", "options: []");
  EXPECT_THAT(problems_of([&] { build_rtl_library(spec()); }).at(0), HasSubstr("[UNOPTFLAT]"));
}

TEST_F(RtlBuild, AnUnknownSignalOfACounterIsNamedWithTheNearest) {
  edit("arbiter.yaml", "signal: grants.count", "signal: grants.cuont");
  EXPECT_THAT(problems_of([&] { build_rtl_library(spec()); }).at(0),
              HasSubstr("counter 'grants': 'grants.cuont' is no variable of the block; did you mean "
                        "'grants.count'?"));
}

TEST_F(RtlBuild, ACounterMayReadAPin) {
  edit("arbiter.yaml", "signal: grants.count", "signal: grant_o");
  const auto block = library()->create(1);
  std::ptrdiff_t pins = 0;
  for (const RtlSignal& signal : block->signals()) pins += signal.name() == std::string("grant_o") ? 1 : 0;
  EXPECT_EQ(pins, 1);
}

TEST_F(RtlBuild, TheLibraryExportsNothingButItsEntry) {
  const ChildOutput symbols = run_tool({"nm", "-D", "--defined-only", unchanged_library()->file()});
  EXPECT_THAT(symbols.text, testing::MatchesRegex("[0-9a-f]+ T heddle_rtl\n"));
}

TEST_F(RtlBuild, LibrariesWithModulesOfTheSameNameStandSideBySide) {
  const auto one = unchanged_library();
  edit("arbiter.sv", "count + 1'b1", "count + WIDTH'(2)");
  const auto two = library();
  Arbiter first(*one);
  Arbiter second(*two);
  for (Arbiter* arbiter : {&first, &second}) {
    arbiter->set("req_i", 1);
    arbiter->cycle();
    arbiter->cycle();
  }
  EXPECT_EQ(first.get("grants.count"), 2u);
  EXPECT_EQ(second.get("grants.count"), 4u);
}

}  // namespace
}  // namespace heddle::test
