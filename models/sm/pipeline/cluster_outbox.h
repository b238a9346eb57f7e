#pragma once
// The ClusterOutbox of an SM has the transfers to other SMs of the GPC that wait for the SM's port: the
// accesses and signals of its blocks to the other blocks of their clusters, and the answers to accesses of
// those. It is pure logic.

#include <utility>

#include "models/core/base/growing_ring.h"
#include "models/core/kernel/account_table.h"
#include "models/core/kernel/cluster_messages.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/load_store_unit.h"
#include "models/sm/pipeline/request_number.h"

namespace heddle {

class ClusterOutbox {
 public:
  // `counts` are those of the SM. All arguments must outlive the outbox.
  ClusterOutbox(LoadStoreUnit& lsu, IssueTable& table, AccountTable<KernelCounts>& counts)
      : lsu_(lsu), table_(table), counts_(counts) {}

  void reset() { transfers_.clear(); }

  // The warp in the slot has issued an instruction that reaches the cluster. If the instruction is of memory,
  // `entry` is its entry in the load/store unit, which then waits for the answers to its accesses.
  void issued(std::uint32_t slot, const ResidentBlock& block, const Instruction& code, std::uint32_t entry);
  // A copy of the block is complete: BlockStream::complete() has returned. Its signals to other blocks are
  // sent.
  void completed(const ResidentBlock& block);
  // Another SM has accessed the shared memory of a block of this SM. The answer is sent to that SM.
  void answer(const ClusterTransfer& access);

  bool empty() const { return transfers_.empty(); }
  // Removes the oldest transfer, and returns it. The outbox must not be empty.
  ClusterTransfer take() {
    ClusterTransfer transfer = std::move(transfers_.front());
    transfers_.pop();
    return transfer;
  }

 private:
  void push(const ResidentBlock& block, const ClusterMessage& message, const RequestNumber& number);

  LoadStoreUnit& lsu_;
  IssueTable& table_;
  AccountTable<KernelCounts>& counts_;
  GrowingRing<ClusterTransfer> transfers_;
};

}  // namespace heddle
