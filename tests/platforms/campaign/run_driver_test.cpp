#include "platforms/campaign/backends/run_driver.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(RunDriver, RunsHaveOneThreadWhileThereAreEnoughOfThem) {
  EXPECT_EQ(threads_of_next(8, 100, 4), 1u);
  EXPECT_EQ(threads_of_next(1, 1, 4), 1u);
  EXPECT_EQ(threads_of_next(8, 5, 4), 1u);
}

TEST(RunDriver, TheLastRunsShareWhatIsFree) {
  EXPECT_EQ(threads_of_next(8, 4, 4), 2u);
  EXPECT_EQ(threads_of_next(8, 1, 4), 4u);  // no more than was asked for
  EXPECT_EQ(threads_of_next(3, 1, 4), 3u);
  EXPECT_EQ(threads_of_next(8, 1, 1), 1u);
}

}  // namespace
}  // namespace heddle::test
