// Values of a platform that contradict each other. Each gives one problem at its place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems(const std::vector<std::string>& sets,
                                  const std::string& platform = "gtx480") {
  config::Document document = load_platform_document(platform);
  for (const std::string& set : sets) document.set(set);
  try {
    read_platform(document.root());
    document.finish();
  } catch (const config::Error& error) {
    return error.problems();
  }
  return {};
}

TEST(Contradictions, NoShippedPlatformHasOne) {
  for (const std::string& platform : known_data("platforms")) {
    EXPECT_THAT(problems({}, platform), IsEmpty()) << platform;
    EXPECT_THAT(problems({"sm.model=cycle", "contention.kernels=off"}, platform), IsEmpty()) << platform;
  }
}

TEST(Contradictions, EachIsReportedOnceAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"device_memory=7GiB", "device_memory: more than the DRAM holds: 6 channels of 1024 MiB"},
      {"sm.warps=64", "sm.warps: must be 48: 1536 threads in warps of 32"},
      {"sm.warps=32", "sm.warps: must be 48: 1536 threads in warps of 32"},
      {"sm.threads_per_block=2048", "sm.threads_per_block: more threads than the SM has"},
      {"sm.registers=32700", "sm.registers: must be a multiple of register_granularity, 64"},
      {"sm.registers_per_thread=1025", "sm.registers_per_thread: a warp of such threads needs more"},
      {"sm.shared_memory=49000B", "sm.shared_memory: must be a multiple of shared_granularity, 128B"},
      {"dram.timing.ras=41", "dram.timing.rc: must be at least ras + rp - 1, 52: a bank is precharged"},
      {"l2.slice_bit=30", "l2.slice_bit: the numbers of 2 slices lie beyond a channel's 1024 MiB"},
      {"caches.l1.size=16640B", "caches.l1.size: must be whole sets of 4 lines of 128 B"},
      {"sm.shared_reserved=49KiB", "sm.shared_reserved: more than the shared memory of the SM"},
      {"pipeline.instruction_bytes=12B", "pipeline.instruction_bytes: must be 8B or 16B"},
      {"caches.l1.size=128MiB", "caches.l1.size: must lie in 128B .. 64MiB"},
  };
  for (const auto& [set, message] : bad) EXPECT_THAT(problems({set}), ElementsAre(HasSubstr(message))) << set;
}

TEST(Contradictions, OfSubcores) {
  const std::string constants = "subcore.constants.";
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad{
      {{"subcore.uniform.global=9cycles"}, "subcore.uniform: must be at most memory_latency less 3 cycles"},
      {{"subcore.reads.global_load=[11]"}, "subcore.reads.global_load: needs two entries"},
      {{"subcore.reads.shared_store=[12, 2]"}, "subcore.reads.shared_store[1]: is 2, must be from 3 to 60"},
      {{constants + "size=520B", constants + "miss=79cycles", constants + "switch=4cycles"},
       "subcore.constants.size: must be whole lines of 64 B"},
      {{constants + "size=2KiB", constants + "miss=79cycles"}, "subcore.constants.switch"},
  };
  for (const auto& [sets, message] : bad)
    EXPECT_THAT(problems(sets, "rtx3090-subcore"), ElementsAre(HasSubstr(message))) << message;
}

TEST(Contradictions, OfSharedMemoryInTheMemoryOfL1) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"[0KiB, 8KiB]", "sm.shared_memory: more than the largest of shared_memory.carve_outs"},
      {"[8KiB, 8KiB, 48KiB]", "shared_memory.carve_outs[1]: must be larger than the one before"},
      {"[0KiB, 64KiB]", "shared_memory.carve_outs[1]: must leave L1 a part of its memory"},
      {"[]", "shared_memory.carve_outs: must have a size"},
  };
  const std::string size = "caches.l1.size=64KiB";
  for (const auto& [sizes, message] : bad)
    EXPECT_THAT(problems({size, "shared_memory.carve_outs=" + sizes}), ElementsAre(HasSubstr(message)))
        << sizes;
  EXPECT_THAT(problems({size, "shared_memory.carve_outs=[0KiB, 48KiB]"}), IsEmpty());
  EXPECT_THAT(problems({size, "caches.l1.replacement=srrip", "shared_memory.carve_outs=[0KiB, 48KiB]"}),
              ElementsAre(HasSubstr("caches.l1.replacement: must be lru or fifo")));
}

TEST(Contradictions, WhatJustFitsIsRight) {
  EXPECT_THAT(problems({"device_memory=6GiB"}), IsEmpty());
  EXPECT_THAT(problems({"sm.threads=1535", "sm.threads_per_block=1024"}), IsEmpty());
  EXPECT_THAT(problems({"sm.registers_per_thread=1024"}), IsEmpty());
  EXPECT_THAT(problems({"dram.timing.ras=40", "dram.timing.rc=51"}), IsEmpty());
  EXPECT_THAT(problems({"l2.slice_bit=29"}), IsEmpty());
}

TEST(Contradictions, ATimedPlatformNeedsNoWarpsOf32) {
  const std::vector<std::string> wide{"sm.warp_size=64", "sm.warps=32"};
  EXPECT_THAT(problems(wide, "k20-cusched"), IsEmpty());
  std::vector<std::string> cycle = wide;
  cycle.emplace_back("sm.model=cycle");
  EXPECT_THAT(problems(cycle, "k20-cusched"), ElementsAre(HasSubstr("a cycle SM has warps of 32 lanes")));
}

}  // namespace
}  // namespace heddle
