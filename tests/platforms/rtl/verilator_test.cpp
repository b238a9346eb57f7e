// Verilator's command line, its messages, and what it is told to publish. Verilator itself is not run.

#include "platforms/rtl/verilator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/rtl/child_process.h"
#include "platforms/rtl/rtl_tools.h"
#include "tests/support/problems.h"

namespace heddle::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

RtlSource source() {
  RtlSource source;
  source.files = {"/b.sv", "/a.sv"};
  source.top = "arbiter";
  source.parameters = {{"PORTS", "32"}};
  source.includes = {"/include"};
  source.defines = {{"FAST", ""}, {"WIDTH", "8"}};
  source.options = {"-Wno-WIDTH", "-y", "cells"};
  return source;
}

TEST(Verilator, TheCommandLineHasEverythingOfTheSource) {
  const std::vector<std::string> arguments = verilator_arguments({"verilator", "", {}, ""}, source());
  EXPECT_EQ(arguments.front(), "verilator");
  EXPECT_THAT(arguments, IsSupersetOf({"--cc", "-O3", "--top-module", "arbiter", "-GPORTS=32", "-I/include",
                                       "-DFAST", "-DWIDTH=8", "-Wno-WIDTH", "-y", "cells"}));
  EXPECT_THAT(std::vector<std::string>(arguments.end() - 2, arguments.end()), ElementsAre("/b.sv", "/a.sv"));
  EXPECT_THAT(arguments, Not(Contains("--trace")));
  RtlSource with_waves = source();
  with_waves.waves = true;
  EXPECT_THAT(verilator_arguments({"verilator", "", {}, ""}, with_waves), Contains("--trace"));
}

TEST(Verilator, SignalsOfCountersArePublishedOnce) {
  const auto counter = [](const char* signal) {
    RtlCounter read;
    read.signal = signal;
    return read;
  };
  EXPECT_EQ(publishing_of(source(), {counter("fifo.count"), counter("other.count"), counter("state")}),
            "`verilator_config\npublic_flat_rd -module \"*\" -var \"count\"\n"
            "public_flat_rd -module \"arbiter\" -var \"state\"\n");
}

TEST(Verilator, TheFirstProblemIsOneLine) {
  EXPECT_EQ(first_problem("- note\n%Error: a.sv:3:7: syntax error, unexpected ';'\n    3 | x\n%Error: b\n"),
            "a.sv:3:7: syntax error, unexpected ';'");
  EXPECT_EQ(first_problem("%Warning-WIDTH: a.sv:9:1: too wide\n%Error: Exiting due to 1 warning(s)\n"),
            "a.sv:9:1: too wide [WIDTH]");
  EXPECT_EQ(first_problem("c++: fatal error: no input files\ncompilation terminated\n"),
            "c++: fatal error: no input files");
  EXPECT_EQ(first_problem(""), "");
}

TEST(RtlTools, AProgramThatIsNotThereIsOneMessageWithThePackage) {
  const Problems problems = problems_of([] { find_rtl_tools("/no/such/verilator"); });
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0], HasSubstr("'/no/such/verilator' cannot be run"));
  EXPECT_THAT(problems[0], HasSubstr("Debian's package verilator"));
  EXPECT_THAT(problems[0], HasSubstr("a ready library needs none"));
}

TEST(RtlTools, ToolsAreTakenFromTheEnvironment) {
  ::setenv("HEDDLE_VERILATOR", "/no/such/tool", 1);
  EXPECT_THAT(problems_of([] { find_rtl_tools(""); }).at(0), HasSubstr("'/no/such/tool' cannot be run"));
  ::setenv("HEDDLE_VERILATOR", "echo", 1);  // prints its arguments
  EXPECT_EQ(find_rtl_tools("").verilator, "echo");
  EXPECT_EQ(find_rtl_tools("printf").verilator, "printf");
  ::setenv("CXX", "echo c++", 1);
  EXPECT_EQ(find_rtl_tools("").compiler_version, "c++ --version");
  ::setenv("CXX", "/no/such/compiler", 1);
  EXPECT_THAT(problems_of([] { find_rtl_tools(""); }).at(0),
              HasSubstr("the C++ compiler '/no/such/compiler' cannot be run"));
}

TEST(ChildProcess, ReturnsWhatAToolPrintsAndHowItEnds) {
  const ChildOutput good = run_tool({"sh", "-c", "echo out; echo err >&2; pwd"}, "/");
  EXPECT_TRUE(good.started);
  EXPECT_EQ(good.end, "");
  EXPECT_EQ(good.text, "out\nerr\n/\n");
  EXPECT_EQ(run_tool({"sh", "-c", "exit 3"}).end, "ended with status 3");
  EXPECT_EQ(run_tool({"sh", "-c", "kill -9 $$"}).end, "was ended by signal 9");
  EXPECT_FALSE(run_tool({"/no/such/tool"}).started);
}

}  // namespace
}  // namespace heddle::test
