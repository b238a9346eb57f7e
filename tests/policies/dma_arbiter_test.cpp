#include "policies/dma_arbiter/i_dma_arbiter.h"

#include <gtest/gtest.h>

#include "tests/support/schedules.h"

namespace heddle {
namespace {

const std::vector<TransferView> kTransfers{{4, ContextId{0}, 1, 4096},
                                           {5, ContextId{1}, 3, 8192},
                                           {7, ContextId{2}, 3, 64},
                                           {8, ContextId{0}, 1, 64}};

TEST(DmaFcfs, TheOldestTransferKeepsTheEngine) {
  EXPECT_EQ(make_policy<DmaArbiter>("fcfs")->choose({kTransfers}), 0);
}

TEST(DmaPriority, TheOldestOfTheLargestPriorityTakesOver) {
  EXPECT_EQ(make_policy<DmaArbiter>("priority")->choose({kTransfers}), 1);
}

TEST(DmaPriority, NegativePrioritiesComeLast) {
  const std::vector<TransferView> transfers{{0, ContextId{0}, -5, 64}, {1, ContextId{1}, -2, 64}};
  EXPECT_EQ(make_policy<DmaArbiter>("priority")->choose({transfers}), 1);
}

}  // namespace
}  // namespace heddle
