#pragma once
// The BulkCopyUnit of an SM makes copies between shared memory and device memory that pass no register of a
// warp. Hopper's unit for tensor memory accesses (TMA) is such a unit. It makes the copies of all warps in
// the order in which they were issued, and sends requests for one line after another to L2. These requests
// bypass L1. A load is complete when all of its lines have arrived, and a store when memory has answered all
// of its requests. The unit is pure logic.

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
  // The unit counts the copies of a warp in `table`. `counts` are those of the SM. Both must outlive the
  // unit.
  BulkCopyUnit(const CopyUnitSpec& spec, IssueTable& table, AccountTable<KernelCounts>& counts)
      : spec_(spec), table_(table), counts_(counts) {}

  void reset();
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  // Starts the copies of the instruction that the warp `owner.warp` has just issued.
  void start_copies(const MemoryOwner& owner, Cycle now);

  // Prepares the next request if its cycle has come.
  void step(Cycle now) {
    if (due(now) <= now) prepare(now);
  }
  bool has_request() const { return request_.has_value(); }
  // Returns whether the request is the next one to be sent. It takes turns with those of the load/store unit,
  // if that has one.
  bool has_turn(bool other_has_request) {
    had_turn_ = has_request() && !(other_has_request && had_turn_);
    return had_turn_;
  }
  const MemoryRequest& request() const { return *request_; }
  // The request has been sent. If it was the last one of a store, the store has read all of its bytes, and
  // the function returns the slot of its warp.
  std::optional<std::uint32_t> pop_request();

  // Takes the answer to a request of the copy with this number. If the copy is complete, the function calls
  // BlockStream::complete() of its warp, and returns the slot of the warp.
  std::optional<std::uint32_t> answer(std::uint32_t copy);

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

  void start(const BulkCopy& what, const MemoryOwner& owner, Cycle now);
  Cycle due(Cycle now) const {
    if (queue_.empty() || request_ || lines_ >= spec_.lines) return Cycle::never();
    return std::max({copies_[queue_.front()].due, next_line_, now});
  }
  void prepare(Cycle now);
  static MemoryRequest request_of(const Copy& copy, Address first, Address end);
  static bool has_lines(const Copy& copy) { return copy.piece < copy.what.pieces.size(); }

  const CopyUnitSpec spec_;
  IssueTable& table_;
  AccountTable<KernelCounts>& counts_;
  std::vector<Copy> copies_;              // by the number that a request names
  std::vector<std::uint32_t> free_;       // elements of `copies_`
  std::deque<std::uint32_t> queue_;       // copies with lines that have not been asked for
  std::optional<MemoryRequest> request_;  // the next one, which has not been sent
  std::uint32_t under_way_ = 0;           // copies that are not complete
  std::uint32_t lines_ = 0;               // lines without an answer
  Cycle next_line_{0};
  bool had_turn_ = false;         // the request that was sent last was of this unit
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

}  // namespace heddle
