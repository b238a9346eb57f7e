// Random kernels under random policies on random machines, down to one of everything. Each run ends and its
// counters close, or the platform is refused with a reason. Nothing deadlocks and nothing starves.

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <optional>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"
#include "policies/registry.h"
#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/random_code.h"
#include "tests/support/requests/splits.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

class ExtremeMachine {
 public:
  explicit ExtremeMachine(std::uint64_t seed) : random_(seed), has_subcores_(seed % 2 == 0) {}

  // Returns the settings of a machine. About a third of the values are the least that a platform may state.
  // The SMs of every second machine have sub-cores.
  std::vector<std::string> settings() {
    number("sm.count", 1, 3);
    number("sm.block_slots", 1, 8);
    number("queues.count", 1, 4);
    number("queues.entries", 1, 8);
    number("engine.contexts", 4, 6);
    number("engine.ksrs", 1, 6);
    number("dma.engines", 1, 2);
    number("dma.transfers", 1, 4);
    pipeline();
    if (has_subcores_) subcores();
    for (const char* cache : {"instruction", "constant", "l1"}) this->cache(cache);
    number("load_store.entries", 1, 16);
    memory_path();
    policies();
    return settings_;
  }

  std::vector<HostProcessSpec> processes(std::uint64_t seed) {
    std::vector<HostProcessSpec> result;
    for (std::uint64_t i = between(1, 4); i > 0; --i) {
      const std::string code = RandomCode(100 * seed + i, RandomCode::Memory::kAll).with_barriers(1);
      const KernelSize size{between(1, 6), static_cast<std::uint32_t>(between(1, 96)), 40, 2048};
      result.push_back(process_of(synthetic(code, size), static_cast<std::int32_t>(between(0, 1)),
                                  static_cast<std::int32_t>(between(1, 3))));
      result.back().start_ps = between(0, 3'000'000);
    }
    return result;
  }

 private:
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + random_.below(most - least + 1);
  }
  std::uint64_t small(std::uint64_t least, std::uint64_t most) {
    return random_.below(3) == 0 ? least : between(least, most);
  }
  void set(const std::string& key, const std::string& value) { settings_.push_back(key + "=" + value); }
  void number(const std::string& key, std::uint64_t least, std::uint64_t most, const std::string& unit = "") {
    set(key, std::to_string(small(least, most)) + unit);
  }
  std::uint64_t power(std::uint64_t most_bits) { return std::uint64_t{1} << small(0, most_bits); }

  void pipeline() {
    const std::uint64_t schedulers = between(1, 4);
    set("pipeline.schedulers", std::to_string(schedulers));
    number("pipeline.issue_width", 1, has_subcores_ ? 1 : 2);
    number("pipeline.fetch_width", 1, 4);
    number("pipeline.buffer_entries", 1, 4);
    set("pipeline.register_banks", std::to_string(power(5)));
    number("pipeline.writebacks", 1, 4);
    number("pipeline.collect_latency", 0, 1, "cycles");
    number("pipeline.dispatch_latency", 0, 4, "cycles");
    number("pipeline.result_latency", 0, 4, "cycles");
    for (const char* unit : {"sp", "sfu", "memory"}) {
      const std::string key = std::string("units.") + unit;
      if (std::string(unit) != "memory") number(key + ".count", 1, 3);
      number(key + ".collectors", 1, 4);
      number(key + ".ports", 1, 2);
    }
  }

  void subcores() {
    set("pipeline.kind", "subcore");
    number("subcore.memory_queue", 1, 6);
    number("subcore.memory_latency", 3, 12, "cycles");
    number("subcore.memory_interval", 1, 5, "cycles");
    number("subcore.memory_port", 1, 2, "cycles");
    number("subcore.load_interval", 1, 3, "cycles");
    cache("l0");
    number("caches.l0.way", 0, 40, "cycles");
    number("caches.l0.prefetch", 0, 8);
    set("caches.l0.replacement", "lru");
  }

  void cache(const std::string& name) {
    const std::uint64_t ways = small(1, 4);
    const std::string key = "caches." + name;
    set(key + ".ways", std::to_string(ways));
    set(key + ".size", std::to_string(128 * ways * power(3)) + "B");
    set(key + ".sector", std::to_string(32 * power(2)) + "B");
    number(key + ".mshrs", 1, 4);
    number(key + ".merges", 1, 4);
    if (name != "l0") number(key + ".miss_queue", 1, 4);  // the misses of L0 wait for no crossbar
    number(key + ".latency", 1, 40, "cycles");
  }

  void memory_path() {
    number("crossbar.input_buffer", 4, 12);
    number("crossbar.output_buffer", 4, 12);
    set("crossbar.reply_data", std::to_string(32 * power(2)) + "B");
    set("policies.crossbar_arbiter", random_.below(2) == 0 ? "round-robin" : "oldest-first");
    set("l2.sets", std::to_string(power(4)));
    number("l2.ways", 1, 4);
    number("l2.mshrs", 4, 8);
    number("l2.merges", 1, 4);
    for (const char* queue : {"request_queue", "reply_queue", "return_queue"})
      number(std::string("l2.") + queue, 1, 4);
    number("l2.dram_queue", 6, 8);
    number("l2.write_backs", 2, 4);
    number("l2.hit_latency", 0, 20, "cycles");
    number("l2.request_latency", 0, 120, "cycles");
    set("device_memory", "256MiB");
    number("dram.channels", 1, 3);
    const std::uint64_t queue = small(1, 8);
    const std::uint64_t high = between(1, queue);
    set("dram.queue", std::to_string(queue));
    set("dram.write_high", std::to_string(high));
    set("dram.write_low", std::to_string(random_.below(high)));
    number("dram.return_queue", 1, 4);
    number("dram.latency", 0, 150, "cycles");
    number("dram.refresh_postpone", 0, 8);
  }

  void policies() {
    std::string partitioner;
    for (const std::string& decision : PolicyCatalogue::instance().decisions()) {
      if (decision == "replacement") continue;  // a key of each cache
      if (decision == "instances") continue;    // a split GPU is several machines
      const std::vector<std::string> names = PolicyCatalogue::instance().names(decision);
      std::vector<std::string> shipped;
      for (const std::string& name : names)
        if (name.rfind("test-", 0) != 0) shipped.push_back(name);
      const std::string& name = shipped[random_.below(shipped.size())];
      if (decision == SmPartitioner::kDecision) partitioner = name;
      if (decision == Submission::kDecision)
        set("policies.sm_partitioner", following_partitioner(partitioner, name, random_));
      const bool is_of_dram = decision == "refresh_policy" || decision == "write_drain";
      set((is_of_dram ? "dram." : "policies.") + decision, name);
      if (name == "single-queue") set("queues.count", "1");
    }
  }

  Random random_;
  const bool has_subcores_;
  std::vector<std::string> settings_;
};

std::string listed(const std::vector<std::string>& settings) {
  return fmt::format("--set {}", fmt::join(settings, " --set "));
}

TEST(ExtremeMachines, EveryRunEndsWithCountersThatCloseOrThePlatformIsRefused) {
  std::uint64_t refused = 0;
  const std::uint64_t runs = full_size() ? 10'000 : 120;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    ExtremeMachine machine(seed);
    const std::vector<std::string> settings = machine.settings();
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, listed(settings)));
    const std::vector<HostProcessSpec> processes = machine.processes(seed);
    std::optional<GpuSpec> gpu;
    try {
      gpu = gtx480(settings);
    } catch (const config::Error& error) {
      EXPECT_FALSE(error.problems().empty());
      ++refused;
      continue;
    }
    expect_closed(run(*gpu, processes));
    if (HasFailure()) return;
  }
  EXPECT_LT(refused, runs / 10) << "machines that are not tried";
}

}  // namespace
}  // namespace heddle::test
