// The records of launches add up to the counters of their kernels, and their times are in order.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <vector>

#include "models/machine/machine.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/random_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

struct Sums {
  std::uint64_t launched = 0, ended = 0, blocks_issued = 0, blocks_done = 0;
  std::uint64_t warp_instructions = 0, thread_instructions = 0, cycles = 0, wait_cycles = 0;

  void add(const LaunchRecord& record) {
    ++launched;
    blocks_issued += record.blocks_issued;
    blocks_done += record.blocks_done;
    warp_instructions += record.work.warp_instructions;
    thread_instructions += record.work.thread_instructions;
    if (record.started) wait_cycles += *record.started - *record.activated;
    if (!record.ended) return;
    ++ended;
    cycles += *record.ended - record.loaded;
  }
};

// Returns which two events of the launch are in the wrong order, or an empty text if none are.
std::string disorder(const LaunchRecord& record) {
  if (record.activated && *record.activated < record.loaded) return "active before it is loaded";
  if (record.started && (!record.activated || *record.started < *record.activated))
    return "started before it is active";
  if (record.ended && record.started && *record.ended < *record.started) return "ended before it starts";
  if (!record.started && record.blocks_issued > 0) return "blocks before it starts";
  if (record.ended && record.blocks_done != record.blocks_issued) return "ended with blocks that run";
  if (record.ended && !record.is_halted && record.blocks_done != record.launch.blocks)
    return "ended without all blocks";
  return "";
}

// Runs the machine. Returns what does not add up, and in the last line the launches.
std::string differences(const MachineSpec& spec) {
  return in_child([&] {
    Machine machine("machine", spec);
    std::map<std::pair<std::string, std::string>, Sums> sums;
    std::ostringstream wrong;
    std::uint64_t launches = 0;
    const auto take = [&](const LaunchRecord& record) {
      ++launches;
      sums[{std::string(record.application), std::string(record.kernel)}].add(record);
      if (const std::string text = disorder(record); !text.empty())
        wrong << "launch " << record.launch.kernel.value << ": " << text << "\n";
    };
    machine.kernel_log().record(take);
    machine.run();
    const Group& stats = machine.stats();
    machine.kernel_log().visit_open(take);
    for (const auto& [names, sum] : sums) {
      const auto compare = [&, names = names](const char* counter, std::uint64_t value) {
        const std::string path = fmt::format("applications.{}.{}.{}", names.first, names.second, counter);
        const std::uint64_t expected = stats.find(path)->value();
        if (value != expected) wrong << path << ": " << value << " of " << expected << "\n";
      };
      compare("launched", sum.launched);
      compare("ended", sum.ended);
      compare("blocks_issued", sum.blocks_issued);
      compare("blocks_done", sum.blocks_done);
      compare("warp_instructions", sum.warp_instructions);
      compare("thread_instructions", sum.thread_instructions);
      compare("cycles", sum.cycles);
      compare("wait_cycles", sum.wait_cycles);
    }
    wrong << machine.failure() << launches;
    return wrong.str();
  });
}

TEST(LaunchRecords, AddUpToTheCountersOfTheirKernelsOnCycleSms) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    const std::string text = differences(random_cycle_mix(seed));
    EXPECT_EQ(text.find_first_not_of("0123456789"), std::string::npos) << "seed " << seed << ": " << text;
  }
}

TEST(LaunchRecords, AddUpToTheCountersOfTheirKernelsOnTimedSms) {
  const GpuSpec k20 = load_platform("k20-cusched");
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    const std::string text = differences(random_machine(4'000'000 + seed, k20));
    EXPECT_EQ(text.find_first_not_of("0123456789"), std::string::npos) << "seed " << seed << ": " << text;
  }
}

}  // namespace
}  // namespace heddle::test
