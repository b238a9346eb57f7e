// The accounts of a machine that is stopped anywhere: whatever has passed in the cycles before is counted,
// and nothing that comes later. Copies over PCIe cross the link while a kernel fills the crossbar and DRAM.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "models/core/base/random.h"
#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/machine/machine.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kStarvationPs = 1'000'000'000'000;

// The counters of one stop, and those of the stop before it.
class Accounts {
 public:
  explicit Accounts(const GpuSpec& gpu) : gpu_(gpu) {}

  void look(const Group& stats) {
    before_ = std::move(now_);
    now_.clear();
    stats.visit([&](const Statistic& statistic) {
      if (statistic.counter != nullptr) now_[statistic.path] = statistic.counter->value();
    });
    const std::uint64_t core = at("gpu.core.cycles");
    for (std::uint32_t i = 0; i < gpu_.sm.count; ++i) expect_sm(fmt::format("gpu.sm{}.", i), core);
    const std::uint64_t dram = at("gpu.dram.cycles");
    std::size_t buses = 0;
    for (const auto& [path, value] : now_)
      if (const std::size_t end = path.find(".data_bus.busy"); end != std::string::npos) {
        expect_channel(path.substr(0, end + 1), dram);
        ++buses;
      }
    EXPECT_EQ(buses, gpu_.memory->dram.map.channels * gpu_.memory->dram.map.pseudo_channels());
    for (std::uint32_t i = 0; i < gpu_.memory->slices(); ++i)
      EXPECT_LE(sum(fmt::format("gpu.l2_{}.stall_cycles.", i)), at("gpu.l2.cycles"));
    expect_links();
  }

  // Returns the sum over the counters with this end.
  std::uint64_t total(const std::string& end) const {
    std::uint64_t total = 0;
    for (const auto& [path, value] : now_)
      if (path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0)
        total += value;
    return total;
  }

 private:
  std::uint64_t at(const std::string& path) const {
    const auto found = now_.find(path);
    EXPECT_NE(found, now_.end()) << path;
    return found == now_.end() ? 0 : found->second;
  }
  // What has been added since the stop before.
  std::uint64_t added(const std::string& path) const {
    const auto found = before_.find(path);
    const std::uint64_t before = found == before_.end() ? 0 : found->second;
    EXPECT_GE(at(path), before) << path << " takes something back";
    return at(path) - before;
  }
  std::uint64_t sum(const std::string& prefix) const {
    std::uint64_t sum = 0;
    for (auto at = now_.lower_bound(prefix); at != now_.end() && at->first.rfind(prefix, 0) == 0; ++at)
      sum += at->second;
    return sum;
  }
  void expect_sm(const std::string& sm, std::uint64_t core) const {
    EXPECT_EQ(sum(sm + "cycles."), core) << sm;
    EXPECT_EQ(at(sm + "busy_cycles") + at(sm + "idle_cycles"), core) << sm;
    for (std::uint32_t s = 0; s < gpu_.sm.execution()->schedulers; ++s)
      EXPECT_EQ(sum(fmt::format("{}scheduler{}.", sm, s)), core) << sm;
    for (std::size_t i = 0; i < kUnitKinds; ++i) {
      const std::string busy = sm + "unit_busy." + name_of(static_cast<UnitKind>(i));
      if (now_.count(busy) == 0) continue;
      EXPECT_LE(added(busy), gpu_.sm.execution()->units[i].count * added("gpu.core.cycles")) << busy;
    }
    EXPECT_LE(added(sm + "shared_passes"), added("gpu.core.cycles")) << sm;
  }
  void expect_channel(const std::string& channel, std::uint64_t dram) const {
    EXPECT_EQ(sum(channel + "data_bus."), dram) << channel;
    EXPECT_EQ(at(channel + "open_cycles") + at(channel + "closed_cycles"), dram) << channel;
    EXPECT_LE(added(channel + "data_bus.busy"), added("gpu.dram.cycles")) << channel;
  }
  void expect_links() const {
    for (const char* way : {"gpu.link.to_gpu.", "gpu.link.to_host."}) {
      EXPECT_LE(added(way + std::string("busy_cycles")), added("gpu.pcie.cycles")) << way;
      EXPECT_LE(added(way + std::string("bytes")),
                added(way + std::string("busy_cycles")) * gpu_.pcie.bytes_per_cycle())
          << way;
    }
    const std::uint64_t icnt = added("gpu.icnt.cycles");
    EXPECT_LE(added("gpu.crossbar.requests.flits"), icnt * std::min(gpu_.sm.count, gpu_.memory->slices()));
    EXPECT_LE(added("gpu.crossbar.replies.flits"), icnt * std::min(gpu_.sm.count, gpu_.memory->slices()));
  }

  const GpuSpec& gpu_;
  std::map<std::string, std::uint64_t> before_, now_;
};

GpuSpec platform(const std::string& name) {
  config::Document document = load_platform_document(find_data("platforms", name));
  document.set("sm.count=4");
  const GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

// Stops a machine again and again, one core cycle or a few later, once the kernels have begun.
void stop_often(const std::string& name, std::uint64_t seed, std::uint64_t stops) {
  MachineSpec spec;
  spec.gpu = platform(name);
  spec.starvation_limit_ps = kStarvationPs;
  const ApiProgram kernel = synthetic(
      "[{loop: 200, body: [{load: global, pattern: stream, region: 4MiB, to: x}, {load: shared, conflicts: "
      "8}, "
      "{op: sfu, from: x}, {store: global, pattern: stream, region: 4MiB, from: x}]}]",
      {64, 256, 16, 4096});
  spec.processes = {process_of(shipped("bandwidth-bound")), process_of(kernel)};
  for (std::uint32_t i = 0; i < spec.processes.size(); ++i) spec.processes[i].number = i;
  Machine machine("machine", spec);
  Accounts accounts(spec.gpu);
  Random random(seed);
  Cycle at{1};
  for (int begun = 0; begun < 1000 && accounts.total(".flits") == 0; ++begun) {
    machine.run_to(at = at + 2'000);
    accounts.look(machine.stats());
  }
  for (; stops > 0; --stops) {
    machine.run_to(at);
    accounts.look(machine.stats());
    ASSERT_EQ(machine.failure(), "");
    if (testing::Test::HasFailure()) return;
    at = at + (random.below(50) == 0 ? 2'000 : 1 + random.below(9));
  }
  EXPECT_GT(accounts.total(".data_bus.busy"), 1000u);
  EXPECT_GT(accounts.total(".busy_cycles"), 1000u);
  EXPECT_GT(accounts.total(".flits"), 1000u);
}

class StoppedAccounts : public testing::TestWithParam<const char*> {};

TEST_P(StoppedAccounts, EqualTheCyclesWhereverARunStops) {
  in_child([] {
    stop_often(GetParam(), 7, cases(600));
    return std::string("done");
  });
}

INSTANTIATE_TEST_SUITE_P(Platforms, StoppedAccounts, testing::Values("gtx480", "gtx1080", "gp100"));

}  // namespace
}  // namespace heddle::test
