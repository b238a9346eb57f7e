// The kernels that come with Heddle, as their launch files run them: functionally, and on cycle SMs alone and
// side by side, under every warp scheduler and SM partitioner. The kernels' own checks compare with plain
// C++. These tests require that the final host memory is equal byte by byte.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "platforms/load/platform_loader.h"
#include "policies/registry.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/kernel_images.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

struct Policies {
  std::string partitioner;
  std::string warp_scheduler;
};

std::vector<Policies> all_policies() {
  std::vector<Policies> all;
  for (const std::string& partitioner : PolicyCatalogue::instance().names("sm_partitioner"))
    for (const std::string& scheduler : PolicyCatalogue::instance().names("warp_scheduler"))
      all.push_back({partitioner, scheduler});
  return all;
}

// Returns the final memory of each kernel after they ran side by side.
std::string images_on_machine(const std::vector<std::string>& names, const Policies& policies) {
  std::vector<Watched> kernels;
  std::vector<HostProcessSpec> processes;
  for (const std::string& name : names) {
    kernels.push_back(watched(name));
    processes.push_back(process_of(kernels.back().program, static_cast<std::int32_t>(processes.size()), 2));
  }
  const GpuSpec gpu = shared_gtx480(policies.partitioner,
                                    {"sm.count=4", "policies.warp_scheduler=" + policies.warp_scheduler});
  const CycleRun result = run(gpu, processes, Build::kPlain, [&](Gpu&) {
    std::string images;
    for (const Watched& kernel : kernels)
      images += kernel.images->seen.empty() ? "no end " : kernel.images->seen[0] + " ";
    return images;
  });
  EXPECT_EQ(result.failure, "") << policies.partitioner << ", " << policies.warp_scheduler;
  return result.note;
}

class Kernels : public testing::TestWithParam<std::string> {};

TEST_P(Kernels, LeaveTheSameMemoryFunctionallyAndOnTheMachineUnderEveryPolicy) {
  const std::vector<std::string> names = kernel_names();
  const auto number =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), GetParam()) - names.begin());
  const std::string& neighbour = names[(number + 1) % names.size()];
  const std::string alone = functional_image(GetParam());
  const std::string both = alone + " " + functional_image(neighbour) + " ";
  const std::vector<Policies> policies = all_policies();
  EXPECT_EQ(images_on_machine({GetParam()}, policies[number % policies.size()]), alone + " ");
  // Each kernel runs under one pair of policies, such that every pair has some kernels. At full size each
  // kernel runs under all pairs.
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!full_size() && i != number % policies.size()) continue;
    EXPECT_EQ(images_on_machine({GetParam(), neighbour}, policies[i]), both)
        << policies[i].partitioner << ", " << policies[i].warp_scheduler;
  }
}

INSTANTIATE_TEST_SUITE_P(Launches, Kernels, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return kernel.param; });

struct Specified {
  std::string name;
  std::vector<std::string> parameters;
};

void PrintTo(const Specified& specified, std::ostream* out) {
  *out << specified.name;
}

class ZoruaKernels : public testing::TestWithParam<Specified> {};

TEST_P(ZoruaKernels, LeaveTheSameMemoryFunctionallyAndOnTheMachineWithTheFewestRegisters) {
  const Watched functional = watched(GetParam().name, GetParam().parameters);
  FunctionalHost(functional.program).run();
  const Watched kernel = watched(GetParam().name, GetParam().parameters);
  const GpuSpec gpu = shared_gtx480("fcfs-s", {"sm.count=4"});
  const CycleRun result = run(gpu, {process_of(kernel.program, 0, 1)}, Build::kPlain,
                              [&](Gpu&) { return kernel.images->seen.at(0); });
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.note, functional.images->seen.at(0));
}

// The least registers of each range of Zorua's Table 3, where most of the kernels spill.
INSTANTIATE_TEST_SUITE_P(Table3, ZoruaKernels,
                         testing::Values(Specified{"zo-bh", {"threads=352", "registers=28", "n=400"}},
                                         Specified{"zo-dct",
                                                   {"threads=160", "registers=20", "width=136", "height=72"}},
                                         Specified{"zo-mst", {"threads=352", "registers=28", "nodes=1000"}},
                                         Specified{"zo-nqu", {"threads=160", "n=7"}},
                                         Specified{"zo-rd", {"threads=352", "registers=16", "n=20001"}},
                                         Specified{"zo-sla", {"threads=352", "registers=24", "n=20004"}},
                                         Specified{"zo-sp", {"threads=352", "pairs=5", "length=3001"}},
                                         Specified{"zo-sssp", {"threads=352", "registers=16", "nodes=1000"}}),
                         [](const auto& specified) { return specified.param.name.substr(3); });

// The name of a platform and that of a kernel.
class HopperKernels : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

// A block takes 192 KiB of shared memory, and its warps pass registers to each other. Blocks of pairs are
// clusters of two, which copy to each other's shared memory.
TEST_P(HopperKernels, LeaveTheSameMemoryFunctionallyAndOnTheMachine) {
  const auto [platform, name] = GetParam();
  const Watched kernel = watched(name);
  const CycleRun result = run(load_platform(platform), {process_of(kernel.program, 0, 1)}, Build::kPlain,
                              [&](Gpu&) { return kernel.images->seen.at(0); });
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.note, functional_image(name));
}

INSTANTIATE_TEST_SUITE_P(Pipelines, HopperKernels,
                         testing::Combine(testing::Values("h100-pcie", "h100-pcie-subcore"),
                                          testing::Values("hopper_matrix_multiply",
                                                          "hopper_matrix_multiply_pairs")));

}  // namespace
}  // namespace heddle::test
