// The references of the programs of the CUDA SDK.

#include "tests/support/kernel_buffers.h"

#include <gmock/gmock.h>

#include <numeric>

namespace heddle::kernels {
namespace {

using testing::ElementsAre;

TEST(SdkReferences, PrefixesStartAnewWithEachArray) {
  Buffers buffers;
  put<std::uint32_t>(buffers, "values", {5, 0xffffffff, 7, 1, 2, 3, 4, 9});
  put(buffers, "prefixes", std::vector<std::uint32_t>(8));
  find_reference("scan_pieces").run(buffers, {{"n", whole(8)}, {"length", whole(4)}});
  EXPECT_THAT(get<std::uint32_t>(buffers, "prefixes"), ElementsAre(0, 5, 4, 11, 0, 2, 5, 9));
  EXPECT_THROW(find_reference("scan_pieces").run(buffers, {{"n", whole(8)}, {"length", whole(3)}}),
               std::invalid_argument);
}

TEST(SdkReferences, SumsAreWhatStandsBeforeAPieceInItsArray) {
  Buffers buffers;
  put(buffers, "values", std::vector<std::uint32_t>(4096, 2));
  put(buffers, "prefixes", std::vector<std::uint32_t>(4096));
  put(buffers, "sums", std::vector<std::uint32_t>(4));
  find_reference("sdk_scan").run(buffers, {{"n", whole(4096)}, {"length", whole(2048)}});
  EXPECT_THAT(get<std::uint32_t>(buffers, "sums"), ElementsAre(0, 2048, 0, 2048));
  EXPECT_EQ(get<std::uint32_t>(buffers, "prefixes")[2047], 2 * 2047);
}

TEST(SdkReferences, RecordsAreSortedWithinTheirArraysBothWays) {
  for (const char* const name : {"sdk_bitonic_sort", "sdk_odd_even_sort", "sdk_merge_sort"}) {
    Buffers buffers;
    put<std::uint32_t>(buffers, "keys", {9, 1, 4, 0, 7, 8});
    put<std::uint32_t>(buffers, "values", {0, 1, 2, 3, 4, 5});
    for (const char* const sorted : {"sorted_keys", "sorted_values"})
      put(buffers, sorted, std::vector<std::uint32_t>(6));
    find_reference(name).run(buffers, {{"n", whole(6)}, {"length", whole(3)}, {"ascending", whole(1)}});
    EXPECT_THAT(get<std::uint32_t>(buffers, "sorted_keys"), ElementsAre(1, 4, 9, 0, 7, 8));
    EXPECT_THAT(get<std::uint32_t>(buffers, "sorted_values"), ElementsAre(1, 2, 0, 3, 4, 5));
    find_reference(name).run(buffers, {{"n", whole(6)}, {"length", whole(3)}, {"ascending", whole(0)}});
    EXPECT_THAT(get<std::uint32_t>(buffers, "sorted_keys"), ElementsAre(9, 4, 1, 8, 7, 0));
  }
}

// The dyadic convolution: each element is the sum over i of data[i] * kernel[i ^ element].
TEST(SdkReferences, TheConvolutionByTransformsIsTheDyadicOne) {
  const std::vector<float> data = {1, 2, 3, 4, 0, -1, 5, 2};
  const std::vector<float> kernel = {2, 0, 1, 0, -3, 0, 0, 1};
  Buffers buffers;
  put(buffers, "data", data);
  put(buffers, "kernel", kernel);
  find_reference("sdk_walsh_transform").run(buffers, {{"n", whole(8)}});
  const std::vector<float> found = get<float>(buffers, "data");
  for (std::size_t element = 0; element < 8; ++element) {
    float sum = 0;
    for (std::size_t i = 0; i < 8; ++i) sum += data[i] * kernel[i ^ element];
    EXPECT_FLOAT_EQ(found[element], sum) << element;
  }
  EXPECT_EQ(get<float>(buffers, "kernel")[0], std::accumulate(kernel.begin(), kernel.end(), 0.0F));
}

TEST(SdkReferences, ACopyIsTheMatrix) {
  Buffers buffers;
  put<float>(buffers, "from", {1, 2, 3, 4, 5, 6});
  put(buffers, "to", std::vector<float>(6));
  find_reference("sdk_copy_tiles").run(buffers, {{"width", whole(3)}, {"height", whole(2)}});
  EXPECT_THAT(get<float>(buffers, "to"), ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace heddle::kernels
