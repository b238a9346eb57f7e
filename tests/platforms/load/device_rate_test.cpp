// The key device_rate of the DMA engines: its effect, its default, and the values that are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

GpuSpec with_rate(const std::string& rate) {
  config::Document document = config::Document::load(find_data("platforms", "gtx480"));
  if (!rate.empty()) document.set("dma.device_rate=" + rate);
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

TEST(DeviceRate, IsWhatThePlatformSays) {
  EXPECT_DOUBLE_EQ(with_rate("5GB/s").dma.device_bytes_per_second, 5e9);
  EXPECT_DOUBLE_EQ(with_rate("1MB/s").dma.device_bytes_per_second, 1e6);
}

TEST(DeviceRate, IsHalfTheDramsBandwidthWhereThePlatformIsSilent) {
  const GpuSpec spec = with_rate("");
  // There are 6 channels of 64 bits, with four bits per pin and command clock.
  EXPECT_DOUBLE_EQ(spec.dma.device_bytes_per_second, 6 * 8 * 4 * spec.memory->dram_hz / 2);
}

TEST(DeviceRate, ABadOneIsReportedAtItsPlace) {
  for (const char* value : {"0GB/s", "-1GB/s", "5GB", "999kB/s", "fast"}) {
    std::vector<std::string> problems;
    try {
      with_rate(value);
    } catch (const config::Error& error) {
      problems = error.problems();
    }
    EXPECT_THAT(problems, ElementsAre(AllOf(HasSubstr("dma.device_rate=" + std::string(value)),
                                            HasSubstr("dma.device_rate: "))))
        << value;
  }
}

}  // namespace
}  // namespace heddle
