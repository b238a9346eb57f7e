// The table of platform keys describes the keys that the readers accept. A platform may omit keys with a
// default.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

std::map<std::string, config::KeyDescription> keys_by_path() {
  std::map<std::string, config::KeyDescription> keys;
  for (const config::KeyDescription& key : platform_keys()) {
    EXPECT_FALSE(key.description.empty()) << key.path;
    EXPECT_FALSE(key.type.empty()) << key.path;
    EXPECT_TRUE(keys.emplace(key.path, key).second) << key.path << " twice";
  }
  return keys;
}

TEST(PlatformKeys, SayTypeUnitDefaultAndRange) {
  const auto keys = keys_by_path();
  const auto expect = [&](const char* path, const char* type, const char* unit, const char* fallback,
                          const char* range) {
    ASSERT_EQ(keys.count(path), 1u) << path;
    const config::KeyDescription& key = keys.at(path);
    EXPECT_EQ(key.type, type) << path;
    EXPECT_EQ(key.unit, unit) << path;
    EXPECT_EQ(key.fallback, fallback) << path;
    EXPECT_EQ(key.range, range) << path;
  };
  expect("sm.count", "integer", "SMs", "required", "1 .. 1024");
  expect("clocks.dram", "frequency", "Hz", "required", "1kHz .. 10GHz");
  expect("pcie.burst", "size", "B", "required", "64B .. 64KiB");
  expect("host.memory_latency", "time", "s", "required", "0ps .. 1s");
  expect("stall_limit", "cycles", "cycles", "200000cycles", "1cycles .. 1000000000cycles");
  expect("engine.block_placement", "one of", "", "required", "breadth, packed");
  expect("pipeline.schedule", "one of", "", "none", "none, ptxas-like");
  expect("caches.l1.sector", "size", "B", "128B", "");
  expect("caches.l1.global", "on or off", "", "on", "");
  expect("operations.int_add", "list", "cycles", "required", "");
  expect("operations.shuffle", "list", "cycles", "as int_mul", "");
  expect("units.tensor.count", "integer", "pipelines", "required", "1 .. 32");
  expect("dram.timing.ras", "integer", "CK", "required", "1 .. 100000");
  expect("policies.warp_scheduler", "policy", "", "required", "");
}

template <class Keys>
bool is_known(const Keys& keys, std::string path) {
  for (;;) {
    if (keys.count(path) > 0) return true;
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos) return false;
    path.resize(dot);
  }
}

// Every key of a shipped platform is in the table or below a key of the table.
TEST(PlatformKeys, AreAllThatAPlatformStates) {
  const auto keys = keys_by_path();
  for (const char* platform : {"gtx480", "k20", "gtx1080"})
    for (const config::Document::Entry& entry : load_platform_document(platform).entries())
      EXPECT_TRUE(is_known(keys, entry.path)) << platform << ": " << entry.path;
}

OperationSpec operation(const GpuSpec& spec, Operation operation) {
  return spec.sm.execution()->operation(operation);
}

// Returns a platform whose text lacks the lines of these operations.
GpuSpec without(const std::vector<std::string>& operations) {
  std::string text = load_platform_document("gtx480").to_yaml();
  for (const std::string& name : operations) {
    const std::size_t at = text.find("\n  " + name + ":") + 1;
    std::size_t end = text.find('\n', at) + 1;
    while (text.compare(end, 5, "    -") == 0) end = text.find('\n', end) + 1;
    text.erase(at, end - at);
  }
  const config::Document document = config::Document::parse(text, "gpu.yaml");
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

TEST(PlatformKeys, AnOperationThatIsNotStatedCostsWhatItsDefaultDoes) {
  const GpuSpec stated = load_platform("gtx480");
  const OperationSpec multiply = operation(stated, Operation::kIntMul);
  ASSERT_NE(operation(stated, Operation::kShuffle).latency, multiply.latency);
  const GpuSpec spec = without({"shuffle", "trace_sfu", "trace_tensor", "branch", "exit"});
  EXPECT_EQ(operation(spec, Operation::kShuffle).latency, multiply.latency);
  EXPECT_EQ(operation(spec, Operation::kShuffle).interval, multiply.interval);
  EXPECT_EQ(operation(spec, Operation::kTraceTensor).unit, UnitKind::kSfu);
  EXPECT_EQ(operation(spec, Operation::kTraceTensor).interval, operation(stated, Operation::kSfu).interval);
  EXPECT_EQ(operation(spec, Operation::kExit).latency, operation(stated, Operation::kIntAdd).latency);
  EXPECT_EQ(operation(spec, Operation::kNop).latency, operation(stated, Operation::kNop).latency);
  EXPECT_EQ(operation(spec, Operation::kPhase).latency, operation(stated, Operation::kNop).latency);
  EXPECT_THROW(without({"int_mul"}), config::Error);
}

TEST(PlatformKeys, AProductOfTwiceTheDepthCostsTwoUnlessItIsStated) {
  const GpuSpec twice = load_platform("t4");
  const OperationSpec product = operation(twice, Operation::kTensor);
  EXPECT_EQ(operation(twice, Operation::kTensorWide).interval, 2 * product.interval);
  EXPECT_EQ(operation(twice, Operation::kTensorWide).latency, product.latency + product.interval);
  EXPECT_EQ(operation(load_platform("h100-pcie"), Operation::kTensorWide).interval, 6u);
}

// The products of f16 that an SM starts in a cycle with mma.m16n8k16. The white papers have them for all
// cards but the H100, of which mma.sync reaches two thirds of WGMMA's 2048.
TEST(PlatformKeys, TensorCoresHaveTheRatesOfTheirCards) {
  const auto rate = [](const std::string& platform) {
    const GpuSpec spec = load_platform(platform);
    return spec.sm.execution()->unit(UnitKind::kTensor).count * (16 * 8 * 16) /
           operation(spec, Operation::kTensorWide).interval;
  };
  EXPECT_EQ(rate("v100"), 512u);
  EXPECT_EQ(rate("t4"), 512u);
  EXPECT_EQ(rate("rtx3080"), 512u);
  EXPECT_EQ(rate("a100-80"), 1024u);
  EXPECT_EQ(rate("rtx4090"), 1024u);
  EXPECT_EQ(rate("h100-sxm"), 1365u);
}

// The warps of a warpgroup multiply 64 x 8 x 16 elements in an interval on the four units of an SM.
TEST(PlatformKeys, CardsOfComputeCapability90AloneHaveProductsOfWarpgroupsAtTheRateOfTheWhitePaper) {
  for (const char* const platform : {"h100-pcie", "h100-pcie-subcore", "h100-sxm", "h200"}) {
    const GpuSpec spec = load_platform(platform);
    const OperationSpec product = operation(spec, Operation::kTensorGroup);
    EXPECT_EQ(product.unit, UnitKind::kTensor) << platform;
    EXPECT_EQ(spec.sm.execution()->unit(UnitKind::kTensor).count, 4u) << platform;
    EXPECT_EQ(64 * 8 * 16 / product.interval, 2048u) << platform;
  }
  for (const char* const platform : {"a100-80", "v100", "t4", "rtx4090", "k20"})
    EXPECT_NE(operation(load_platform(platform), Operation::kTensorGroup).unit, UnitKind::kTensor)
        << platform;
}

TEST(PlatformKeys, TheLongestProductOfAWarpgroupTakes1000CyclesAtMost) {
  const auto problems = [](const std::string& set) {
    config::Document document = load_platform_document("h100-pcie");
    document.set(set);
    try {
      read_platform(document.root());
      document.finish();
    } catch (const config::Error& error) {
      return error.problems();
    }
    return std::vector<std::string>();
  };
  EXPECT_THAT(problems("operations.tensor_group=[tensor, 8, 32]"), testing::IsEmpty());
  EXPECT_THAT(problems("operations.tensor_group=[tensor, 9, 32]"),
              testing::ElementsAre(testing::HasSubstr("31 initiation intervals are more than 1000 cycles")));
}

}  // namespace
}  // namespace heddle
