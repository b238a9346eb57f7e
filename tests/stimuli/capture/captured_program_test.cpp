// The facts that are known of captured programs before they run, and of their kernels by their symbols.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "models/core/config/config.h"
#include "stimuli/application/names.h"
#include "stimuli/capture/format/program_file.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::capture {
namespace {

std::string this_program() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(KernelName, IsWithoutWhatTheKernelTakesAndReturns) {
  EXPECT_EQ(ptx::kernel_name("_Z5saxpyifPKfPf"), "saxpy");
  EXPECT_EQ(ptx::kernel_name("_Z5scaleIfEvPT_i"), "scale<float>");
  EXPECT_EQ(ptx::kernel_name("_ZN4grid4stepEPf"), "grid::step");
  EXPECT_EQ(ptx::kernel_name("_ZN12_GLOBAL__N_14stepEPf"), "(anonymous namespace)::step");
  EXPECT_EQ(ptx::kernel_name("plain"), "plain");
  EXPECT_EQ(ptx::kernel_name("f"), "f");
  EXPECT_EQ(ptx::kernel_name("__nv_static_42__0123abcd_7_step_cu_89ef__Z4stepIiEvPT_"), "step<int>");
}

TEST(PlainNames, AreNumberedWhereTheyWouldBeAlike) {
  UniqueNames names;
  EXPECT_EQ(names.add(plain_name("a<b>")), "a_b_");
  EXPECT_EQ(names.add(plain_name("a(b)")), "a_b_-2");
  EXPECT_EQ(names.add(std::string(64, 'x')), std::string(64, 'x'));
  EXPECT_EQ(names.add(std::string(64, 'x')), std::string(62, 'x') + "-2");
}

// Each of n equal names must not look at all numbers before it.
TEST(PlainNames, OfAHundredThousandEqualKernelsAreNumberedAtOnce) {
  UniqueNames names;
  names.add("k-3");
  std::string last;
  for (int i = 0; i < 100'000; ++i) last = names.add("k");
  EXPECT_EQ(last, "k-100001");
}

TEST(ProgramFile, StatesWhatAProgramNeeds) {
  const ProgramFile program = read_program_file(this_program(), "test");
  EXPECT_TRUE(program.elf);
  EXPECT_FALSE(program.device_code);
  const auto needs = [&](const std::string& part) {
    for (const std::string& needed : program.needed)
      if (needed.find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(needs("libheddle_logic.so"));
  EXPECT_FALSE(needs("libcudart"));
  EXPECT_EQ(runtime_of(program, "test"), "");
}

TEST(ProgramFile, AScriptIsNone) {
  EXPECT_FALSE(read_program_file("#!/bin/sh\n", "script").elf);
  EXPECT_FALSE(read_program_file("", "empty").elf);
}

TEST(ProgramFile, AStaticRuntimeIsRefused) {
  ProgramFile program;
  program.elf = program.device_code = true;
  EXPECT_THROW(runtime_of(program, "saxpy"), config::Error);
  program.needed = {"libc.so.6", "libcudart.so.11.0"};
  EXPECT_EQ(runtime_of(program, "saxpy"), "libcudart.so.11.0");
}

TEST(ProgramFile, DamagedOnesAreRefused) {
  const std::string whole = this_program();
  for (const std::size_t size : {std::size_t{20}, std::size_t{64}, whole.size() / 2, whole.size() - 1})
    EXPECT_THROW(read_program_file(std::string_view(whole).substr(0, size), "test"), config::Error) << size;
}

}  // namespace
}  // namespace heddle::capture
