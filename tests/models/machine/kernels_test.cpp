// The kernels that come with Heddle, as their launch files run them: functionally, and on cycle SMs alone and
// side by side, under every warp scheduler and SM partitioner. The kernels' own checks compare with plain
// C++. These tests require that the final host memory is equal byte by byte.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "policies/registry.h"
#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/forwarding_script.h"
#include "tests/support/launch_rig.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/paths.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

const std::string kFolder = source_directory() + "/stimuli/launches/";

std::vector<std::string> kernel_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (const std::string name = entry.path().stem().string(); !is_of_paper(name)) names.insert(name);
  return {names.begin(), names.end()};
}

// A number that identifies the contents of host memory after the program.
struct Images {
  std::vector<std::string> seen;
};

// A host script that reads the memory after the inner script has checked it.
class Looking final : public ForwardingScript {
 public:
  Looking(std::unique_ptr<HostScript> script, std::vector<ApiBuffer> buffers, std::shared_ptr<Images> images)
      : ForwardingScript(std::move(script)), buffers_(std::move(buffers)), images_(std::move(images)) {}

  void finish(HostMemory& memory) override {
    ForwardingScript::finish(memory);
    std::uint64_t digest = 0xcbf29ce484222325;
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      std::vector<unsigned char> bytes(buffers_[i].bytes);
      memory.read(i, 0, bytes.data(), bytes.size());
      for (const unsigned char byte : bytes) digest = (digest ^ byte) * 0x100000001b3;
    }
    images_->seen.push_back(fmt::format("{:016x}", digest));
  }

 private:
  const std::vector<ApiBuffer> buffers_;
  const std::shared_ptr<Images> images_;
};

struct Watched {
  ApiProgram program;
  std::shared_ptr<Images> images = std::make_shared<Images>();
};

Watched watched(const std::string& name, const std::vector<std::string>& parameters = {}) {
  Watched result;
  result.program = load_launch_application(kFolder + name + ".yaml", parameters).application.program;
  result.program.make_script = [inner = result.program.make_script, buffers = result.program.buffers,
                                images = result.images] {
    return std::make_unique<Looking>(inner(), buffers, images);
  };
  return result;
}

std::string functional_image(const std::string& name) {
  const Watched kernel = watched(name);
  FunctionalHost(kernel.program).run();
  return kernel.images->seen.at(0);
}

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

}  // namespace
}  // namespace heddle::test
