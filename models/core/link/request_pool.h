#pragma once
// A RequestPool has the places of the requests that one block makes. Places are made when they are first
// needed, and stay where they are. Request is MemoryRequest or derived from it.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "models/core/link/memory_request.h"

namespace heddle {

template <class Request = MemoryRequest>
class RequestPool {
 public:
  explicit RequestPool(std::size_t requests) : requests_(requests) {}

  // Takes every place back, whoever uses it. All blocks that may hold a request are reset as well.
  void reset() {
    free_.clear();
    for (auto place = all_.rbegin(); place != all_.rend(); ++place) free_.push_back(&*place);
  }

  bool empty() const { return in_use() == requests_; }
  std::size_t in_use() const { return all_.size() - free_.size(); }

  // Returns a place, with what its last user has left in it. The pool is not empty.
  Request& take() {
    if (free_.empty()) make();
    Request& request = *free_.back();
    free_.pop_back();
    return request;
  }
  void give_back(Request& request) { free_.push_back(&request); }

 private:
  static constexpr std::size_t kFirst = 8;

  // Makes as many places as there are already.
  void make() {
    const std::size_t count = std::min(std::max(all_.size(), kFirst), requests_ - all_.size());
    free_.reserve(all_.size() + count);
    for (std::size_t i = 0; i < count; ++i) free_.push_back(&all_.emplace_back());
    std::reverse(free_.end() - static_cast<std::ptrdiff_t>(count), free_.end());
  }

  const std::size_t requests_;
  std::deque<Request> all_;
  std::vector<Request*> free_;
};

}  // namespace heddle
