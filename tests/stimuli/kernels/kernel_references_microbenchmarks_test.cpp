// The references of the micro-benchmarks.

#include "tests/support/kernel_buffers.h"

#include <gmock/gmock.h>

namespace heddle::kernels {
namespace {

using testing::ElementsAre;

TEST(MicrobenchmarkReferences, EachThreadSumsWhatItReadsAndTheArrayStartsAgain) {
  Buffers buffers;
  put(buffers, "values", std::vector<float>(2048 + 32, 1));
  put(buffers, "sums", std::vector<float>(1024));
  Scalars scalars = {{"level", whole(1)}, {"bits", whole(32)},   {"loads", whole(2)},
                     {"n", whole(2048)},  {"rounds", whole(50)}, {"blocks", whole(1)}};
  find_reference("microbenchmark_read").run(buffers, scalars);
  EXPECT_EQ(get<float>(buffers, "sums")[7], 2 + 2 * 50);
  scalars["n"] = whole(2000);
  EXPECT_THROW(find_reference("microbenchmark_read").run(buffers, scalars), std::invalid_argument);
  scalars["n"] = whole(2048);
  scalars["level"] = whole(2);  // the last round would read behind the end
  EXPECT_THROW(find_reference("microbenchmark_read").run(buffers, scalars), std::invalid_argument);
}

TEST(MicrobenchmarkReferences, ChainsEndWhereTheirStepsLead) {
  Buffers buffers;
  put(buffers, "last", std::vector<std::uint64_t>(4));
  find_reference("microbenchmark_chase").run(buffers, {{"n", whole(5)}, {"steps", whole(6)}});
  EXPECT_EQ(get<std::uint64_t>(buffers, "last")[0], 2u);
  find_reference("microbenchmark_chase_dram").run(buffers, {{"n", whole(8)}, {"steps", whole(2)}});
  EXPECT_THAT(get<std::uint64_t>(buffers, "last"), ElementsAre(4, 5, 6, 7));
}

TEST(MicrobenchmarkReferences, ProductsWrapAround) {
  Buffers buffers;
  put(buffers, "a", std::vector<std::int32_t>(1024, 0x10000));
  put(buffers, "b", std::vector<std::int32_t>(1024, 0x4001));
  put(buffers, "sums", std::vector<std::int32_t>(1024));
  const Scalars scalars = {{"blocks", whole(1)}, {"rounds", whole(1)}};
  find_reference("microbenchmark_multiply_add").run(buffers, scalars);
  EXPECT_EQ(get<std::int32_t>(buffers, "sums")[1023], 0x40000);
}

TEST(MicrobenchmarkReferences, TheTransposeHasRowsForColumns) {
  Buffers buffers;
  put<float>(buffers, "from", {1, 2, 3, 4});
  put(buffers, "to", std::vector<float>(4));
  find_reference("microbenchmark_transpose").run(buffers, {{"width", whole(2)}});
  EXPECT_THAT(get<float>(buffers, "to"), ElementsAre(1, 3, 2, 4));
}

}  // namespace
}  // namespace heddle::kernels
