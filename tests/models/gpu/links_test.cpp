// The links of the memory path: the protocol that crosses them changes no result, and their latency is where
// a load meets it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/random_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

MachineSpec with_links(MachineSpec spec, bool sm, bool l2, bool dram) {
  spec.gpu.memory->sm_link.base_protocol = sm;
  spec.gpu.memory->l2_link.base_protocol = l2;
  spec.gpu.memory->dram_link.base_protocol = dram;
  return spec;
}

// Three kernels overlap under a random partitioner, preemption and resource manager; 12 machines, or 200.
TEST(RandomLinks, TheBaseProtocolOnAnyLinkChangesNothing) {
  const std::uint64_t machines = full_size() ? 200 : 12;
  for (std::uint64_t i = 0; i < machines; ++i) {
    const MachineSpec spec = random_cycle_mix(1117 + i);
    const std::string none = statistics(with_links(spec, false, false, false));
    EXPECT_GT(none.size(), 1000u) << i;
    EXPECT_TRUE(statistics(with_links(spec, true, true, true)) == none) << i;
    EXPECT_TRUE(statistics(with_links(spec, i % 3 == 0, i % 3 == 1, i % 3 == 2), 2) == none) << i;
  }
}

// Returns the core cycles for each further load of a chain of loads that hit in L2.
double load_to_use(const std::vector<std::string>& settings) {
  const auto cycles = [&](std::uint64_t rounds) {
    const ApiProgram program = synthetic(
        fmt::format("[{{loop: {}, body: [{{load: global, pattern: uniform, region: 128B, bypass_l1: true, "
                    "dependent: true, count: 8}}]}}]",
                    rounds));
    return static_cast<double>(run(gtx480(settings), program).cycles());
  };
  return (cycles(40) - cycles(8)) / (32 * 8);
}

// Core, crossbar and L2 have clocks of 700 MHz. A load crosses each link twice.
TEST(Links, ALoadTakesTheLatencyOfALinkInBothDirections) {
  const double before = load_to_use({});
  EXPECT_EQ(load_to_use({"links.sm_crossbar.latency=6cycles"}), before + 10);
  EXPECT_EQ(load_to_use({"links.crossbar_l2.latency=4cycles"}), before + 6);
  EXPECT_EQ(load_to_use({"links.l2_dram.latency=50cycles"}), before);
  EXPECT_EQ(load_to_use({"links.sm_crossbar.protocol=base-protocol", "links.sm_crossbar.latency=6cycles"}),
            before + 10);
}

TEST(Links, AMissTakesTheLatencyOfTheLinkToDramToo) {
  const auto cycles = [](const std::vector<std::string>& settings) {
    return run(gtx480(settings), synthetic("[{load: global, pattern: uniform, region: 128B}]")).cycles();
  };
  const std::uint64_t before = cycles({});
  // A fetch of instructions and the load, one after the other: 924 MHz there, 700 MHz back.
  const std::uint64_t after = cycles({"links.l2_dram.latency=101cycles"});
  EXPECT_NEAR(static_cast<double>(after - before), 2 * (100 * 700.0 / 924.0 + 100), 2.0);
}

}  // namespace
}  // namespace heddle::test
