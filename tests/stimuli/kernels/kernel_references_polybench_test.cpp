// The references of the PolyBench programs.

#include "tests/support/kernel_buffers.h"

#include <gmock/gmock.h>

namespace heddle::kernels {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

void run(std::string_view name, Buffers& buffers, std::size_t n) {
  find_reference(name).run(buffers, {{"n", whole(n)}});
}

const std::vector<float> kA = {1, 2, 3, 4};
const std::vector<float> kB = {5, 6, 7, 8};
const std::vector<float> kSwap = {0, 1, 1, 0};

TEST(PolybenchReferences, ProductsFollowEachOther) {
  Buffers buffers;
  put(buffers, "a", kA);
  put(buffers, "b", kB);
  put(buffers, "d", kSwap);
  put(buffers, "c", std::vector<float>(4));
  put(buffers, "e", std::vector<float>(4));
  run("polybench_2mm", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "c"), ElementsAre(19, 22, 43, 50));
  EXPECT_THAT(get<float>(buffers, "e"), ElementsAre(22, 19, 50, 43));  // columns are swapped
}

TEST(PolybenchReferences, TheThirdProductIsOfTheOtherTwo) {
  Buffers buffers;
  put(buffers, "a", kA);
  put(buffers, "b", kB);
  put(buffers, "c", kSwap);
  put(buffers, "d", kA);
  for (const char* const name : {"e", "f", "g"}) put(buffers, name, std::vector<float>(4));
  run("polybench_3mm", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "e"), ElementsAre(19, 22, 43, 50));
  EXPECT_THAT(get<float>(buffers, "f"), ElementsAre(3, 4, 1, 2));  // rows are swapped
  EXPECT_THAT(get<float>(buffers, "g"), ElementsAre(79, 120, 179, 272));
}

TEST(PolybenchReferences, UpdatesAreWeightedByTheirConstants) {
  Buffers buffers;
  put(buffers, "a", kA);
  put(buffers, "b", kSwap);
  put<float>(buffers, "c", {1, 0, 0, 0});
  run("polybench_gemm", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "c"), ElementsAre(2 * 32412 + 2123, 32412, 4 * 32412, 3 * 32412));
  put<float>(buffers, "c", {0, 0, 1, 0});
  run("polybench_syrk", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "c"), ElementsAre(5 * 12435, 11 * 12435, 11 * 12435 + 4546, 25 * 12435));
}

TEST(PolybenchReferences, VectorsAreMultipliedByRowsAndByColumns) {
  Buffers buffers;
  put(buffers, "a", kA);
  put(buffers, "b", kB);
  for (const char* const name : {"x", "r", "y1"}) put<float>(buffers, name, {1, 10});
  for (const char* const name : {"p", "y2"}) put<float>(buffers, name, {1, -1});
  for (const char* const name : {"products", "y", "s", "q", "sums"}) put<float>(buffers, name, {0, 0});
  run("polybench_atax", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "products"), ElementsAre(21, 43));
  EXPECT_THAT(get<float>(buffers, "y"), ElementsAre(21 + 3 * 43, 2 * 21 + 4 * 43));
  run("polybench_bicg", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "s"), ElementsAre(31, 42));
  EXPECT_THAT(get<float>(buffers, "q"), ElementsAre(-1, -1));
  for (const char* const name : {"x1", "x2"}) put<float>(buffers, name, {100, 200});
  run("polybench_mvt", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "x1"), ElementsAre(121, 243));
  EXPECT_THAT(get<float>(buffers, "x2"), ElementsAre(98, 198));
  run("polybench_gesummv", buffers, 2);
  EXPECT_THAT(get<float>(buffers, "sums"), ElementsAre(21, 43));
  EXPECT_THAT(get<float>(buffers, "y"), ElementsAre(21 * 43532 + 65 * 12313, 43 * 43532 + 87 * 12313));
}

// Returns b after the convolution of an image or a cube that is 1 at one place and 0 elsewhere.
std::vector<float> response(std::string_view name, std::size_t n, std::size_t elements, std::size_t at) {
  std::vector<float> a(elements);
  a[at] = 1;
  Buffers buffers;
  put(buffers, "a", a);
  put(buffers, "b", std::vector<float>(elements, 9));
  run(name, buffers, n);
  return get<float>(buffers, "b");
}

TEST(PolybenchReferences, ConvolutionsOfAPointAreTheirCoefficientsMirrored) {
  const std::vector<float> image = response("polybench_2dconv", 5, 25, 12);
  const std::vector<float> rows[] = {{0.1F, 0.7F, 0.4F}, {-0.9F, 0.6F, -0.3F}, {-0.8F, 0.5F, 0.2F}};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      EXPECT_THAT(image[(row + 1) * 5 + column + 1], FloatEq(rows[row][column])) << row << " " << column;
  EXPECT_EQ(image[0], 9);  // the edge is not written
  EXPECT_EQ(image[9], 9);

  const std::vector<float> cube = response("polybench_3dconv", 5, 125, 62);
  const auto at = [&cube](std::size_t plane, std::size_t row, std::size_t column) {
    return cube[(plane * 5 + row) * 5 + column];
  };
  EXPECT_EQ(at(2, 2, 2), 6);
  EXPECT_EQ(at(3, 3, 3), 2 + 5 - 8);
  EXPECT_EQ(at(1, 3, 3), 4 + 7 + 10);
  EXPECT_EQ(at(2, 3, 2), -3);
  EXPECT_EQ(at(2, 1, 2), -9);
  EXPECT_EQ(at(3, 3, 1), 2);
  EXPECT_EQ(at(3, 2, 1), 5);
  EXPECT_EQ(at(3, 1, 1), -8);
  EXPECT_EQ(at(1, 3, 1), 4);
  EXPECT_EQ(at(1, 2, 1), 7);
  EXPECT_EQ(at(1, 1, 1), 10);
  EXPECT_EQ(at(2, 2, 3), 0);
  EXPECT_EQ(at(0, 2, 2), 9);
}

}  // namespace
}  // namespace heddle::kernels
