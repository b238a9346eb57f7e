// The shipped kernels after Cruz et al., compared with the tables of the paper.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "models/core/config/data_path.h"
#include "platforms/campaign/plan/paper.h"
#include "stimuli/application/application.h"
#include "tests/support/concurrent_pairs.h"

namespace heddle {
namespace {

using test::cruz;

std::string file_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return "cruz-" + name;
}

Application shipped(const std::string& file) {
  const config::Document document = config::Document::load(find_data("stimuli/applications", file));
  HostSpec host;
  host.touch_bytes_per_second = 1e9;
  Application application = read_application(document.root(), host);
  document.finish();
  return application;
}

void expect_row(const std::string& name, const std::string& file) {
  SCOPED_TRACE(file);
  const Application application = shipped(file);
  EXPECT_EQ(application.program.name, name);
  ASSERT_EQ(application.program.kernels.size(), 1u);
  const ApiKernel& kernel = application.program.kernels[0];
  ConcurrentKernel row = test::cruz_kernel(name);
  EXPECT_EQ(kernel.blocks, row.blocks);
  EXPECT_EQ(kernel.shape.threads, row.shape.threads);
  EXPECT_EQ(kernel.shape.shared_bytes, row.shape.shared_bytes);
  // Table 2 states no registers here. The registers of the shipped kernel must then not limit its residency.
  if (row.shape.registers_per_thread == 0) {
    row.shape.registers_per_thread = kernel.shape.registers_per_thread;
    EXPECT_EQ(residency_of(row.shape, test::k40().limits).blocks,
              residency_of(test::cruz_kernel(name).shape, test::k40().limits).blocks);
  }
  EXPECT_EQ(kernel.shape.registers_per_thread, row.shape.registers_per_thread);
}

TEST(CruzKernels, HaveTheShapesOfTables2And4) {
  for (const auto& row : cruz()["kernels"]) {
    const auto name = row.first.as<std::string>();
    expect_row(name, file_of(name));
  }
  expect_row("PFL", "cruz-pfl-cached");
  expect_row("PFL", "cruz-pfl-scattered");
}

TEST(CruzKernels, ThePageComparesWithEveryPairAsPrinted) {
  const Paper paper = load_paper("cruz");
  for (const YAML::Node& pair : cruz()["pairs"]) {
    const auto second = pair[1].as<std::string>();
    const std::string words =
        fmt::format("{}-{}, estimated {}", pair[0].as<std::string>(), second, pair[2].as<std::string>());
    const bool synthetic = second.size() > 1 && second[0] == 'S' && std::isdigit(second[1]) != 0;
    const std::vector<PaperNumber>& numbers = paper.figures[synthetic ? 0 : 1].theirs;
    const auto found = std::find_if(numbers.begin(), numbers.end(),
                                    [&](const PaperNumber& number) { return number.row == second; });
    ASSERT_NE(found, numbers.end()) << second;
    EXPECT_EQ(found->words, words);
    EXPECT_DOUBLE_EQ(found->value, pair[3].as<double>());
  }
}

}  // namespace
}  // namespace heddle
