// The records of launches add up to the counters of their kernels, and these to the counters of the GPU's
// blocks. The times of launches are in order.

#include <fmt/format.h>
#include <fnmatch.h>
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
  std::uint64_t warp_instructions = 0, thread_instructions = 0, cycles = 0, wait_cycles = 0, held_time = 0;
  LaunchCounts counts;

  void add(const LaunchRecord& record) {
    ++launched;
    blocks_issued += record.blocks_issued;
    blocks_done += record.blocks_done;
    warp_instructions += record.work.warp_instructions;
    thread_instructions += record.work.thread_instructions;
    held_time += record.held_time;
    counts += record.counts;
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

// The counters of a tree, and what does not add up among them.
class Tree {
 public:
  explicit Tree(const Group& stats) {
    stats.visit([this](const Statistic& statistic) {
      if (!statistic.is_formula()) counters_[statistic.path] = statistic.counter->value();
    });
  }

  // Compares the counter with the value that the launches give.
  void compare(const std::string& path, std::uint64_t value) {
    const auto found = counters_.find(path);
    if (found == counters_.end() || found->second != value) wrong_ << path << ": " << value << "\n";
  }
  template <class Counts>
  void compare(const std::string& group, const Counts& counts) {
    for (const auto& field : Counts::fields()) compare(group + "." + field.name, counts.*field.value);
  }
  // Compares sums over the paths that match the patterns.
  void compare_sums(const std::string& left, const std::string& right) {
    if (sum(left) != sum(right))
      wrong_ << left << ": " << sum(left) << ", " << right << ": " << sum(right) << "\n";
  }
  template <class Counts>
  void compare_sums_of_fields(const std::string& kernels, const std::string& blocks) {
    for (const auto& field : Counts::fields())
      compare_sums("applications.*." + kernels + "." + field.name, "gpu." + blocks + "." + field.name);
  }
  std::string wrong() const { return wrong_.str(); }

 private:
  std::uint64_t sum(const std::string& pattern) const {
    std::uint64_t sum = 0;
    for (const auto& [path, value] : counters_)
      if (fnmatch(pattern.c_str(), path.c_str(), 0) == 0) sum += value;
    return sum;
  }

  std::map<std::string, std::uint64_t> counters_;
  std::ostringstream wrong_;
};

void compare_with_blocks(Tree& tree) {
  tree.compare_sums_of_fields<KernelCounts>("sm", "sm[0-9]*");
  tree.compare_sums_of_fields<L2Counts>("l2", "l2_*");
  tree.compare_sums_of_fields<DramCounts>("dram", "dram[0-9]*");
  tree.compare_sums("applications.*.crossbar.request_flits", "gpu.crossbar.requests.flits");
  tree.compare_sums("applications.*.crossbar.reply_flits", "gpu.crossbar.replies.flits");
}

// Runs the machine. Returns what does not add up, and in the last line the launches.
std::string differences(const MachineSpec& spec) {
  return in_child([&] {
    Machine machine("machine", spec);
    std::map<std::pair<std::string, std::string>, Sums> sums;
    std::ostringstream wrong;
    std::uint64_t launches = 0;
    std::uint32_t accounts = 0;
    const auto take = [&](const LaunchRecord& record) {
      ++launches;
      accounts = std::max(accounts, record.launch.account.value + 1);
      sums[{std::string(record.application), std::string(record.kernel)}].add(record);
      if (const std::string text = disorder(record); !text.empty())
        wrong << "launch " << record.launch.kernel.value << ": " << text << "\n";
    };
    machine.kernel_log().record(take);
    machine.run();
    Tree tree(machine.stats());
    machine.kernel_log().visit_open(take);
    const bool has_memory = machine.gpu().memory() != nullptr;
    for (const auto& [names, sum] : sums) {
      const std::string kernel = fmt::format("applications.{}.{}.", names.first, names.second);
      tree.compare(kernel + "launched", sum.launched);
      tree.compare(kernel + "ended", sum.ended);
      tree.compare(kernel + "blocks_issued", sum.blocks_issued);
      tree.compare(kernel + "blocks_done", sum.blocks_done);
      tree.compare(kernel + "warp_instructions", sum.warp_instructions);
      tree.compare(kernel + "thread_instructions", sum.thread_instructions);
      tree.compare(kernel + "cycles", sum.cycles);
      tree.compare(kernel + "wait_cycles", sum.wait_cycles);
      tree.compare(kernel + "held_time", sum.held_time);
      if (!has_memory) continue;
      tree.compare(kernel + "sm", sum.counts.sm);
      tree.compare(kernel + "crossbar", sum.counts.crossbar);
      tree.compare(kernel + "l2", sum.counts.l2);
      tree.compare(kernel + "dram", sum.counts.dram);
    }
    if (has_memory) compare_with_blocks(tree);
    // On timed SMs nothing of a launch is left when it ends, so that the next one has its account.
    if (!has_memory && accounts > spec.gpu.engine.ksrs) wrong << accounts << " accounts\n";
    wrong << tree.wrong();
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
