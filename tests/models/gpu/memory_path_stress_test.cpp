// Random traffic from several sources over the whole memory path, with random back-pressure at every link, in
// four clock domains whose edges drift against each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "models/gpu/clock_stats.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/gtx480_memory.h"
#include "tests/support/machine/memory_path_rig.h"
#include "tests/support/machine/random_requester.h"
#include "tests/support/rig.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kLimit = 20'000;  // core cycles without progress

// Returns a memory path with small buffers and few MSHRs, so that every buffer is full at times.
MemoryPathOptions tight() {
  MemoryPathOptions options;
  options.noc = gtx480_noc();
  options.noc.input_flits = 6;
  options.noc.output_flits = 5;
  options.l2 = gtx480_l2();
  options.l2.sets = 8;
  options.l2.ways = 3;
  options.l2.mshrs = 8;
  options.l2.merges = 2;
  options.l2.request_latency = 12;
  options.l2.request_queue = 4;
  options.l2.hit_latency = 4;
  options.l2.reply_queue = 1;
  options.l2.dram_queue = 6;
  options.l2.return_queue = 2;
  options.l2.write_backs = 4;
  options.dram = {2, 1, 60, 24, 6, 99};
  return options;
}

struct Stress {
  Stress(const MemoryPathOptions& options, std::uint64_t requests) : rig(options), sources(options.sms) {
    rig.finish(
        [&, each = requests / options.sms](std::uint32_t i) {
          sources[i] = std::make_unique<RandomRequester>(("sm" + std::to_string(i)).c_str(), *rig.core,
                                                         SmId{i}, each, 1000 + i);
        },
        [&](std::uint32_t i) -> tlm::tlm_initiator_socket<>& { return sources[i]->memory(); });
    for (const auto& source : sources)
      watchdog.watch({source->basename(), [&s = *source] { return s.answered(); },
                      [&s = *source] { return s.idle(); }, [] { return std::string("answers"); }});
    rig.watch(watchdog);
  }
  bool done() const {
    return std::all_of(sources.begin(), sources.end(), [](const auto& s) { return s->idle(); }) && rig.idle();
  }
  // Runs until everything is answered or no progress is made. Returns a description of the problem, or an
  // empty string.
  std::string run() {
    std::string complaint;
    for (Cycle at{0}; !done() && complaint.empty(); at = at + kLimit / 4) {
      run_to(*rig.core, at);
      complaint = watchdog.check(at);
    }
    return complaint;
  }
  std::uint64_t sum(const std::string& counter) const {
    std::uint64_t sum = 0;
    for (const auto& slice : rig.slices) {
      const Counter* found = slice->stats().find(std::string(slice->basename()) + "." + counter);
      EXPECT_NE(found, nullptr) << counter;
      if (found != nullptr) sum += found->value();
    }
    return sum;
  }
  void expect_closed(std::uint64_t requests) {
    for (const auto& slice : rig.slices) EXPECT_EQ(slice->requests_in_use(), 0u);
    for (const auto& checker : rig.checkers) {
      EXPECT_TRUE(checker->idle());
      EXPECT_EQ(checker->requests(), checker->responses());
    }
    EXPECT_EQ(sum("requests"), requests);
    EXPECT_EQ(sum("replies"), requests);
    EXPECT_EQ(sum("hits") + sum("misses"), sum("accesses"));
    EXPECT_EQ(sum("line_misses") + sum("sector_misses") + sum("pending_hits"), sum("misses"));
    L2Counts launches;
    for (const auto& slice : rig.slices)
      for (const AccountId account : {AccountId{0}, AccountId{1}, AccountId{2}, AccountId{3}, AccountId{}}) {
        launches += slice->cache().counts(account);
        EXPECT_FALSE(slice->holds(account)) << slice->name() << " " << account.value;
      }
    EXPECT_EQ(launches.accesses, sum("accesses"));
    EXPECT_EQ(launches.hits, sum("hits"));
    EXPECT_EQ(launches.misses, sum("misses"));
    EXPECT_EQ(launches.write_backs, sum("write_backs"));
    EXPECT_GT(launches.accesses, rig.slices[0]->cache().counts(AccountId{}).accesses);
    std::uint64_t dram = 0;
    for (const auto& sink : rig.sinks) dram += sink->taken();
    EXPECT_EQ(sum("fills") + sum("write_backs"), dram);
  }
  void expect_stressed() {
    for (const char* stall : {"reserved", "mshr", "merge", "dram_queue", "reply"})
      EXPECT_GT(sum(std::string("stall_cycles.") + stall), 0u) << stall;
    EXPECT_GT(sum("partial_write_backs"), 0u);
    EXPECT_GT(sum("atomics"), 0u);
    for (const char* way : {"requests", "replies"})
      for (const char* where : {"refused_cycles", "blocked_cycles", "arbitration_cycles"})
        EXPECT_GT(rig.crossbar->stats().find(std::string("crossbar.") + way + "." + where)->value(), 0u)
            << way << " " << where;
  }
  std::string digest() {
    std::ostringstream text;
    for (const auto& source : sources) text << source->basename() << " " << source->digest() << "\n";
    const auto add = [&](const Group& group) {
      group.visit([&](const Statistic& s) {
        if (!s.is_formula()) text << s.path << " " << s.counter->value() << "\n";
      });
    };
    for (const auto& slice : rig.slices) {
      slice->update_stats(rig.l2->now());
      add(slice->stats());
    }
    add(rig.crossbar->stats());
    for (ClockDomain* clock : {rig.core.get(), rig.icnt.get(), rig.l2.get(), rig.dram.get()})
      add(ClockStats(*clock).group());
    return text.str();
  }

  MemoryPathRig rig;
  std::vector<std::unique_ptr<RandomRequester>> sources;
  Watchdog watchdog{kLimit};
};

std::string stressed(const MemoryPathOptions& options, std::uint64_t requests) {
  Stress stress(options, requests);
  EXPECT_EQ(stress.run(), "");
  stress.expect_closed(requests / options.sms * options.sms);
  if (options.core_hz != options.icnt_hz) stress.expect_stressed();
  return stress.digest();
}

TEST(MemoryPathStress, EveryRequestIsAnsweredOnceAndInOrder) {
  stressed(tight(), full_size() ? 1'000'000 : 50'000);
}

TEST(MemoryPathStress, SectorFillsAndOldestFirst) {
  MemoryPathOptions options = tight();
  options.arbiter = "oldest-first";
  options.l2.fill_bytes = 32;
  stressed(options, full_size() ? 1'000'000 : 50'000);
}

TEST(MemoryPathStress, TheOrderOfConstructionLeavesNoTrace) {
  const std::uint64_t requests = full_size() ? 200'000 : 20'000;
  std::vector<std::string> digests;
  for (const bool equal_clocks : {false, true})
    for (const bool reversed : {false, true}) {
      MemoryPathOptions options = tight();
      options.reversed = reversed;
      if (equal_clocks) options.core_hz = options.icnt_hz = options.l2_hz = options.dram_hz = 700e6;
      digests.push_back(in_child([&] { return stressed(options, requests); }));
    }
  EXPECT_FALSE(digests[0].empty());
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[2], digests[3]) << "edges of all domains coincide";
}

TEST(MemoryPathStress, AMemoryThatTakesNothingIsADeadlockWithAReason) {
  MemoryPathOptions options = tight();
  options.sms = 1;
  options.slices = 1;
  options.dram = {0, MemorySink::kNever, 1};
  Stress stress(options, 1000);
  const std::string complaint = stress.run();
  EXPECT_THAT(complaint, testing::StartsWith("deadlock: no progress for 2"));
  EXPECT_THAT(complaint, testing::HasSubstr("\n  crossbar: "));
  EXPECT_THAT(complaint, testing::HasSubstr("requests for slice 0, which has no room"));
  EXPECT_THAT(complaint, testing::HasSubstr("\n  l2s0: "));
  EXPECT_THAT(complaint, testing::HasSubstr("the oldest stalled: "));
  EXPECT_THAT(complaint, testing::HasSubstr("transfers for DRAM, which has no room"));
}

}  // namespace
}  // namespace heddle::test
