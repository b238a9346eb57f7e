// The key stall_limit of a platform: its effect, its default, and the values that are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns gtx480 with the line of its stall_limit replaced by `line`.
GpuSpec with_line(const std::string& line) {
  std::string text = config::Document::load(find_data("platforms", "gtx480")).to_yaml();
  const std::size_t at = text.find("stall_limit:");
  text.replace(at, text.find('\n', at) + 1 - at, line);
  const config::Document document = config::Document::parse(text, "gpu.yaml");
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

std::vector<std::string> problems(const std::string& line) {
  try {
    with_line(line);
  } catch (const config::Error& error) {
    return error.problems();
  }
  return {};
}

TEST(StallLimit, IsWhatThePlatformSays) {
  EXPECT_EQ(with_line("stall_limit: 1cycle\n").stall_limit, 1u);
  EXPECT_EQ(with_line("stall_limit: 12345cycles\n").stall_limit, 12345u);
}

TEST(StallLimit, Is200000CyclesWhereThePlatformIsSilent) {
  EXPECT_EQ(with_line("").stall_limit, 200000u);
  EXPECT_EQ(load_platform("gtx480").stall_limit, 200000u);
}

TEST(StallLimit, ABadOneIsReportedAtItsPlace) {
  for (const char* value : {"0cycles", "-1cycles", "1000000001cycles", "200000", "1ms", "[1cycle]", "never"})
    EXPECT_THAT(problems(std::string("stall_limit: ") + value + "\n"),
                ElementsAre(AllOf(HasSubstr("gpu.yaml:"), HasSubstr("stall_limit: "))))
        << value;
  EXPECT_THAT(problems("stal_limit: 1cycle\n"), ElementsAre(HasSubstr("did you mean 'stall_limit'?")));
}

}  // namespace
}  // namespace heddle
