// The applications of Zorua under every resource manager: when and where a value is on the SM is no concern
// of the program.

#include <gtest/gtest.h>

#include "policies/resource_manager/i_resource_manager.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/policy_names.h"
#include "tests/support/zorua_applications.h"

namespace heddle::test {
namespace {

class ZoruaMemory : public testing::TestWithParam<Application> {};

// Returns the contents of the buffers at the end.
std::string outputs(const Application& application, const PolicyChoice& manager, std::uint64_t& swapped) {
  const std::uint32_t threads = application.threads[1];
  ApiProgram program = load(application, {threads, application.most_registers}).application.program;
  WatchedScript::Contents contents;
  watch(program, application.outputs, contents);
  // A block fills most of the registers, so that no application finds room for all its warps.
  const std::uint32_t block = application.need == kNoRegisters ? 8192 : threads * application.most_registers;
  GpuSpec gpu = gtx480({"sm.count=1", fmt::format("sm.registers={}", (block + 1023) / 1024 * 1024),
                        "sm.warps=32", "sm.threads=1024"});
  gpu.policies[ResourceManager::kDecision] = manager;
  const CycleRun result = run(gpu, {process_of(program)}, Build::kPlain, [&](Gpu&) {
    std::string bytes;
    for (const auto& [buffer, content] : contents)
      for (const std::byte byte : content) bytes += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return bytes;
  });
  EXPECT_EQ(result.failure, "") << manager.name;
  for (const auto& [path, value] : result.counters)
    if (path.find(".swap_stores") != std::string::npos) swapped += value;
  return result.note;
}

TEST_P(ZoruaMemory, IsTheSameByteForByteUnderEveryManager) {
  std::uint64_t swapped = 0;
  const std::string expected = outputs(GetParam(), {"static", {}}, swapped);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(swapped, 0u);
  EXPECT_TRUE(outputs(GetParam(), {"wlm", {}}, swapped) == expected);
  for (const char* sets : {"accessed-in-place", "fetched", "exchanged"}) {
    const PolicyChoice zorua{"zorua", {{"swapped_sets", PolicyValue(std::string(sets))}, {"threshold", 1}}};
    EXPECT_TRUE(outputs(GetParam(), zorua, swapped) == expected) << sets;
  }
  EXPECT_GT(swapped, 0u);
}

INSTANTIATE_TEST_SUITE_P(, ZoruaMemory, testing::ValuesIn(kApplications),
                         [](const auto& tested) { return tested.param.launch.substr(3); });

}  // namespace
}  // namespace heddle::test
