// The tensors of launch files, whose maps are parameters of kernels.

#include <gmock/gmock.h>

#include <cstring>

#include "stimuli/ptx/tensors/tensor_map.h"
#include "tests/support/launch_rig.h"
#include "tests/support/problems.h"

namespace heddle {
namespace {

using ptx::TensorMap;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const kKernel = ".visible .entry k(.param .u64 p, .param .align 64 .b8 map[128]) { ret; }\n";

std::string text_of(const std::string& tensor, const std::string& argument = "{tensor: t}") {
  return "launch: l\nptx: k.ptx\nparameters: {k: 40}\nbuffers: {a: {type: u16, count: 4000}}\ntensors:\n  "
         "t: " +
         tensor + "\nprogram:\n  - {launch: k, grid: 1, block: 1, arguments: [a, " + argument + "]}\n";
}

std::vector<std::string> problems(const std::string& text) {
  const PtxFolder folder(kKernel);
  return test::problems_of([&] { read_launch(text, folder.path()); });
}

TEST(LaunchTensors, AMapIsPassedAsItsBytes) {
  const PtxFolder folder(kKernel);
  const LaunchFile file = read_launch(
      text_of("{buffer: a, type: f16, sizes: [k, 8, 2], box: [32, 4, 1], steps: [1, 2, 1], swizzle: 64B, "
              "fill: nan, strides: [160, 1440]}"),
      folder.path());
  const ptx::Launch launch = make_launch(*file.plan, file.plan->steps.at(0), {file.plan->initial, {}},
                                         [](std::uint32_t buffer) { return 0x1000 * (Address{buffer} + 1); });
  ptx::EncodedTensorMap bytes;
  ASSERT_EQ(launch.parameters.size(), 64 + bytes.size());
  std::memcpy(bytes.data(), launch.parameters.data() + 64, bytes.size());
  const std::optional<TensorMap> map = ptx::decode(bytes);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->address, 0x1000U);
  EXPECT_EQ(map->element, TensorMap::Element::kF16);
  EXPECT_EQ(map->dimensions, 3);
  EXPECT_EQ(map->dimension[0].size, 40U);
  EXPECT_EQ(map->dimension[1].stride, 160U);
  EXPECT_EQ(map->dimension[2].stride, 1440U);
  EXPECT_EQ(map->dimension[1].step, 2U);
  EXPECT_EQ(map->dimension[1].box, 4U);
  EXPECT_EQ(map->swizzle, 64U);
  EXPECT_TRUE(map->fills_with_nan);
  EXPECT_TRUE(file.plan->buffers[0].used);
}

TEST(LaunchTensors, RowsFollowEachOtherWithoutStrides) {
  const PtxFolder folder(kKernel);
  const LaunchFile file =
      read_launch(text_of("{buffer: a, type: f16, sizes: [k, 8], box: [32, 4]}"), folder.path());
  EXPECT_EQ(file.plan->tensors.at(0).map.dimension[1].stride, 80U);
  EXPECT_EQ(file.plan->tensors.at(0).map.swizzle, 0U);
}

TEST(LaunchTensors, WhatIsNoTensorIsTold) {
  const auto problem = [](const std::string& tensor, const std::string& argument = "{tensor: t}") {
    return problems(text_of(tensor, argument));
  };
  EXPECT_THAT(problem("{buffer: b, sizes: [4], box: [4]}"), ElementsAre(HasSubstr("no buffer 'b'")));
  EXPECT_THAT(problem("{buffer: a, sizes: [4000, 2], box: [4, 1]}"),
              ElementsAre(HasSubstr("it takes 32000 bytes; 'a' has 8000")));
  EXPECT_THAT(problem("{buffer: a, sizes: [1, 1, 1, 1, 1, 1], box: [4]}"),
              ElementsAre(HasSubstr("1 to 5 dimensions are wanted, it has 6")));
  EXPECT_THAT(problem("{buffer: a, sizes: [8, 8], box: [4]}"),
              ElementsAre(HasSubstr("2 numbers are wanted, it has 1")));
  EXPECT_THAT(problem("{buffer: a, sizes: [8, 8], box: [3, 1]}"),
              ElementsAre(HasSubstr("a row of a box has 12 bytes")));
  EXPECT_THAT(problem("{buffer: a, sizes: [8, 8], box: [4, 1], steps: [2, 1]}"),
              ElementsAre(HasSubstr("the first dimension has a step of 1")));
  EXPECT_THAT(problem("{buffer: a, sizes: [8], box: [4]}", "{tensor: u}"),
              ElementsAre(HasSubstr("no tensor 'u'")));
  const PtxFolder folder(".visible .entry k(.param .u64 p, .param .align 16 .b8 map[64]) { ret; }\n");
  EXPECT_THAT(
      test::problems_of([&] { read_launch(text_of("{buffer: a, sizes: [8], box: [4]}"), folder.path()); }),
      ElementsAre(HasSubstr("cannot hold a tensor map")));
}

}  // namespace
}  // namespace heddle
