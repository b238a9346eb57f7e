// The cost of simulating the path from the SMs to DRAM and back, in numbers that are the same on every
// machine. If HEDDLE_PRINT_TABLE is set, the CPU time is printed as well.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "models/gpu/clock_stats.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/machine/gtx480_memory.h"
#include "tests/support/machine/memory_path_rig.h"
#include "tests/support/rig.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

// Reads one line after another. It sends at most one read in a cycle and has at most kInFlight reads in
// flight.
class Streamer : public sc_core::sc_module, public Clocked {
 public:
  static constexpr std::size_t kInFlight = 64;

  Streamer(sc_core::sc_module_name name, ClockDomain& clock, SmId sm, Address from, std::uint64_t step,
           std::uint64_t requests)
      : sc_core::sc_module(name),
        clock_(clock),
        sleeper_(clock.add(*this)),
        sm_(sm),
        at_(from),
        step_(step),
        left_(requests),
        pool_(kInFlight, 128),
        memory_("memory", clock, sleeper_, kInFlight) {}

  tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }
  std::uint64_t answered() const { return answered_; }

  void tick(Cycle now) override {
    for (; memory_.has_response(now); memory_.pop_response()) {
      memory_.response().release();
      ++answered_;
    }
    if (left_ > 0 && memory_.can_send(now)) {
      tlm::tlm_generic_payload& payload = pool_.take(tlm::TLM_READ_COMMAND, at_, 128);
      RequestInfo& info = *payload.get_extension<RequestInfo>();
      info.context = ContextId{0};
      info.account = AccountId{0};
      info.sm = sm_;
      info.kind = RequestKind::kLoad;
      info.issued = now;
      at_ += step_;
      --left_;
      memory_.send(payload, now);
    }
    const Cycle next = memory_.due(now);
    if (next != Cycle::never()) clock_.wake_at(sleeper_, next);
  }

 private:
  void start_of_simulation() override { clock_.wake_at(sleeper_, Cycle{1}); }

  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  const SmId sm_;
  Address at_;
  const std::uint64_t step_;
  std::uint64_t left_;
  PayloadPool pool_;
  MemoryInitiator memory_;
  std::uint64_t answered_ = 0;
};

// Returns the memory path of the GTX 480: 15 SMs and 12 slices. Half a channel at 924 MHz is behind each
// slice and transfers a burst in 4 cycles.
MemoryPathOptions gtx480() {
  MemoryPathOptions options;
  options.sms = 15;
  options.slices = 12;
  options.core_hz = options.icnt_hz = options.l2_hz = 700e6;
  options.noc = gtx480_noc();
  options.l2 = gtx480_l2();
  options.dram = {16, 4, 100, 64};
  options.page_bytes = 2 << 20;
  options.memory_bytes = std::uint64_t{1536} << 20;
  options.checkers = false;
  return options;
}

std::uint64_t counter(ClockDomain& clock, const char* name) {
  ClockStats stats(clock);
  return stats.group().find(stats.group().name() + "." + name)->value();
}

// Every read misses. It causes one request, four sector accesses, two fills and one reply.
TEST(MemoryPathCost, ReadsThatMiss) {
  const std::uint64_t each = cases(4000);
  MemoryPathRig rig(gtx480());
  std::vector<std::unique_ptr<Streamer>> sources(rig.options.sms);
  rig.finish(
      [&](std::uint32_t i) {
        sources[i] = std::make_unique<Streamer>(("sm" + std::to_string(i)).c_str(), *rig.core, SmId{i},
                                                i * Address{128}, rig.options.sms * std::uint64_t{128}, each);
      },
      [&](std::uint32_t i) -> tlm::tlm_initiator_socket<>& { return sources[i]->memory(); });
  run_to(*rig.core, Cycle{5000});
  const auto answered = [&] {
    std::uint64_t sum = 0;
    for (const auto& source : sources) sum += source->answered();
    return sum;
  };
  const std::uint64_t warm = answered();
  arm_allocation_counter();
  const std::clock_t start = std::clock();
  run_dry();
  const double host_ns = static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC;
  EXPECT_EQ(disarm_allocation_counter(), 0u);
  EXPECT_TRUE(rig.idle());
  const std::uint64_t all = answered();
  ASSERT_EQ(all, each * rig.options.sms);
  std::uint64_t fills = 0;
  for (const auto& slice : rig.slices)
    fills += slice->stats().find(std::string(slice->basename()) + ".fills")->value();
  EXPECT_EQ(fills, 2 * all);
  const auto per = [&](ClockDomain& clock, const char* name) {
    return static_cast<double>(counter(clock, name)) / static_cast<double>(all);
  };
  const double bytes_per_second = static_cast<double>(all) * 128 / sc_core::sc_time_stamp().to_seconds();
  EXPECT_GT(bytes_per_second, 0.97 * 177.4e9);
  EXPECT_LE(per(*rig.icnt, "ticks"), 0.6);
  EXPECT_LE(per(*rig.l2, "ticks"), 5.0);
  if (std::getenv("HEDDLE_PRINT_TABLE") != nullptr) {
    std::printf("%.0f ns CPU time per transaction, SM and DRAM stand-ins included; %.1f GB/s\n",
                host_ns / static_cast<double>(all - warm), bytes_per_second * 1e-9);
    for (ClockDomain* clock : {rig.core.get(), rig.icnt.get(), rig.l2.get(), rig.dram.get()})
      std::printf("  %s: %.2f wakes, %.2f ticks per transaction\n", clock->basename(), per(*clock, "wakes"),
                  per(*clock, "ticks"));
  }
}

}  // namespace
}  // namespace heddle::test
