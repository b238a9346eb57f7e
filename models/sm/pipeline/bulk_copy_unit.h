#pragma once
// The BulkCopyUnit of an SM copies bytes between shared memory and device memory without the registers of a
// warp, as the unit for tensor memory accesses of Hopper does. It asks L2 for one line after another; its
// requests pass L1 by. It makes the copies of all warps of the SM in the order in which they were issued. A
// load is complete when its last line has arrived, and a store when memory has answered all of its lines. The
// unit is pure logic.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/core/base/free_list.h"
#include "models/core/kernel/account_table.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/core/link/memory_request.h"
#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/request_number.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/sm/residence/memory_owner.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

class BulkCopyUnit {
 public:
  // `table` has the warps, whose copies the unit counts. `counts` are those of the SM. Both must outlive it.
  BulkCopyUnit(const CopyUnitSpec& spec, IssueTable& table, AccountTable<KernelCounts>& counts)
      : spec_(spec), table_(table), counts_(counts) {}

  void reset();
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  // The warp starts these copies. The stores among them belong to the open group of the warp.
  void start(const std::vector<BulkCopy>& copies, const MemoryOwner& owner, Cycle now);
  // The open group of the warp's stores is closed.
  void commit(std::uint32_t slot) {
    table_.warps[slot].bulk_stores.commit();
    table_.warps[slot].bulk_reads.commit();
  }
  // Prepares the next request if its cycle has come.
  void step(Cycle now) {
    if (due(now) <= now) prepare(now);
  }
  bool has_request() const { return request_.has_value(); }
  const MemoryRequest& request() const { return *request_; }
  // The request has been sent. Returns the warp of a store of which this was the last one: the store has
  // read its bytes.
  std::optional<std::uint32_t> pop_request();

  // Takes the answer to a request of this copy. Returns the copy if it is complete.
  struct Done {
    std::uint32_t warp = 0;    // slot
    std::uint64_t number = 0;  // BulkCopy::number
  };
  std::optional<Done> answer(std::uint32_t copy);

  bool idle() const { return under_way_ == 0; }
  bool holds(AccountId account) const;
  // Returns the next cycle after `now` in which step() prepares a request, or never.
  Cycle next_wake(Cycle now) const { return std::max(due(now), now + 1); }

 private:
  struct Copy {
    BulkCopy what;
    MemoryOwner owner;
    Cycle due;                  // of its first line
    std::size_t piece = 0;      // of the next line
    std::uint32_t offset = 0;   // of the next line in its piece, in bytes
    std::uint32_t pending = 0;  // lines without an answer
  };

  Cycle due(Cycle now) const {
    if (queue_.empty() || request_ || lines_ >= spec_.lines) return Cycle::never();
    return std::max({copies_[queue_.front()].due, next_line_, now});
  }
  void prepare(Cycle now);
  static bool has_lines(const Copy& copy) { return copy.piece < copy.what.pieces.size(); }

  const CopyUnitSpec spec_;
  IssueTable& table_;
  AccountTable<KernelCounts>& counts_;
  std::vector<Copy> copies_;              // by number of a request
  std::vector<std::uint32_t> free_;       // elements of `copies_`
  std::deque<std::uint32_t> queue_;       // copies with lines that have not been asked for
  std::optional<MemoryRequest> request_;  // the next one, which has not been sent
  std::uint32_t under_way_ = 0;           // copies that are not complete
  std::uint32_t lines_ = 0;               // lines without an answer
  Cycle next_line_{0};
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

}  // namespace heddle
