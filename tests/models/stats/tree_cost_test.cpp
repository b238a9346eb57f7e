// The cost of building and writing the statistics of a machine, in steps and not in seconds: a fixed number
// of steps for each counter and for each operand of a formula, however large the machine is.

#include <gtest/gtest.h>

#include <deque>
#include <sstream>
#include <string>

#include "models/stats/group.h"
#include "models/stats/writers.h"

namespace heddle {
namespace {

// A tree as deep and as wide as that of a GPU: SMs with formulas over their own counters, channels with
// counters for each context, and formulas of the root over all SMs and all channels.
class Tree {
 public:
  Tree(int sms, int channels, int contexts) : root_("gpu") {
    CounterList all_sms, all_channels;
    for (int i = 0; i < sms; ++i) all_sms.push_back(add_sm("sm" + std::to_string(i)));
    for (int i = 0; i < channels; ++i)
      all_channels.push_back(add_channel("dram" + std::to_string(i), contexts));
    for (int i = 0; i < 10; ++i) add_ratio(root_, i, all_sms, all_channels);
  }

  std::size_t size() const { return counters_.size() + operands_; }
  double steps_each() const { return static_cast<double>(root_.steps()) / static_cast<double>(size()); }
  const Group& root() const { return root_; }

 private:
  const Counter& add_sm(const std::string& name) {
    Group& sm = groups_.emplace_back(name);
    const CounterList cycles = add_counters(sm.child("cycles"), 8);
    for (int i = 0; i < 2; ++i) add_counters(sm.child("scheduler" + std::to_string(i)), 8);
    for (int i = 0; i < 6; ++i) add_ratio(sm, i, {cycles[0]}, cycles);
    root_.attach(sm);
    return cycles[0];
  }
  const Counter& add_channel(const std::string& name, int contexts) {
    Group& channel = groups_.emplace_back(name);
    for (int i = 0; i < contexts; ++i) add_counters(channel.child("context" + std::to_string(i)), 4);
    root_.attach(channel);
    return add_counters(channel, 20)[0];
  }
  CounterList add_counters(Group& group, int count) {
    CounterList added;
    for (int i = 0; i < count; ++i) {
      Counter& counter = counters_.emplace_back();
      group.add(counter, "counter" + std::to_string(i), "event", "Events");
      added.emplace_back(counter);
    }
    return added;
  }
  void add_ratio(Group& group, int number, const CounterList& numerator, const CounterList& denominator) {
    group.add_formula("ratio" + std::to_string(number), "1", "Events per event", numerator, denominator);
    operands_ += numerator.size() + denominator.size();
  }

  std::deque<Counter> counters_;
  std::deque<Group> groups_;
  Group root_;
  std::size_t operands_ = 0;
};

void write(const Tree& tree) {
  std::ostringstream out;
  write_json(tree.root(), out);
}

TEST(TreeCost, BuildingTakesAsManyStepsForEachCounterOfALargeMachineAsOfASmallOne) {
  const Tree small(16, 5, 64), large(128, 40, 64);
  EXPECT_EQ(large.size(), 8 * small.size());
  EXPECT_LE(large.steps_each(), 1.01 * small.steps_each());
  EXPECT_LE(large.steps_each(), 6);
}

TEST(TreeCost, SoDoesWriting) {
  const Tree small(16, 5, 64), large(128, 40, 64);
  const double small_built = small.steps_each(), large_built = large.steps_each();
  write(small);
  write(large);
  EXPECT_LE(large.steps_each() - large_built, 1.01 * (small.steps_each() - small_built));
  EXPECT_LE(large.steps_each() - large_built, 2);
}

TEST(TreeCost, EveryWalkCostsTheSame) {
  const Tree tree(4, 4, 4);
  const std::uint64_t built = tree.root().steps();
  write(tree);
  const std::uint64_t once = tree.root().steps() - built;
  write(tree);
  EXPECT_EQ(tree.root().steps() - built, 2 * once);
}

// Each group is attached to an empty group, which becomes the new root.
TEST(TreeCost, AChainThatGrowsAtItsTopIsNotWalkedForEachLink) {
  constexpr std::size_t kLinks = 1000;
  Counter counter;
  std::deque<Group> links;
  links.emplace_back("bottom").add(counter, "events", "event", "Events");
  while (links.size() < kLinks) {
    Group& below = links.back();
    links.emplace_back("link" + std::to_string(links.size())).attach(below);
  }
  EXPECT_LE(links.back().steps(), 10 * kLinks);
}

}  // namespace
}  // namespace heddle
