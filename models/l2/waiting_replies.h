#pragma once
// WaitingReplies holds the replies of a slice until they leave. The replies of each kind leave in order of
// their due cycle: those to requests whose last fill has arrived, those to hits and writes, and both once
// more for replies that go to the other half of L2.

#include <algorithm>
#include <cstdint>
#include <deque>

#include "models/core/base/ids.h"
#include "models/core/base/ring.h"
#include "models/core/link/memory_request.h"

namespace heddle {

class WaitingReplies {
 public:
  struct Reply {
    Cycle due;
    MemoryRequest* request = nullptr;
  };

  // It is full with `limit` replies, and takes up to `more` beyond these after fills. The slice has replies
  // to the other half if `has_halves` is true.
  WaitingReplies(std::size_t limit, std::size_t more, bool has_halves) : limit_(limit) {
    while (kinds_.size() < (has_halves ? 4 : 2)) kinds_.emplace_back(limit + more);
  }
  void reset() {
    for (Ring<Reply>& kind : kinds_) kind.clear();
    size_ = 0;
    find_oldest();
  }

  bool full() const { return size_ >= limit_; }
  std::size_t size() const { return size_; }
  Cycle due() const { return due_; }  // of the reply that is due first; never if there is none
  // Adds a reply that is ready in this cycle, and takes `crossing` cycles more if it goes to the other half.
  void push(MemoryRequest& request, bool is_fill, Cycle ready, std::uint64_t crossing) {
    Ring<Reply>& kind = kinds_[(is_fill ? 0 : 1) + (crossing > 0 ? 2 : 0)];
    Cycle due = ready + crossing;
    if (!kind.empty()) due = std::max(due, kind.back().due);
    kind.push({due, &request});
    ++size_;
    if (due <= due_) find_oldest();
  }
  // Removes the reply that is due first; of replies with the same due cycle, that after a fill. There is one.
  Reply pop() {
    const Reply reply = oldest_->front();
    oldest_->pop();
    --size_;
    find_oldest();
    return reply;
  }

 private:
  void find_oldest() {
    due_ = Cycle::never();
    for (Ring<Reply>& kind : kinds_) {
      if (kind.empty() || kind.front().due >= due_) continue;
      due_ = kind.front().due;
      oldest_ = &kind;
    }
  }

  const std::size_t limit_;
  std::deque<Ring<Reply>> kinds_;
  std::size_t size_ = 0;  // of all kinds
  Cycle due_ = Cycle::never();
  Ring<Reply>* oldest_ = nullptr;  // the kind with the reply that is due first
};

}  // namespace heddle
