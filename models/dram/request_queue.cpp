#include "models/dram/request_queue.h"

#include <algorithm>

namespace heddle {

RequestQueue::RequestQueue(std::uint32_t entries, std::uint32_t banks) : nodes_(entries) {
  for (std::vector<List>& lists : lists_) lists.resize(banks);
  reset();
}

void RequestQueue::reset() {
  const auto entries = static_cast<Slot>(nodes_.size());
  for (Slot slot = 0; slot < entries; ++slot) nodes_[slot].next = slot + 1 < entries ? slot + 1 : kNone;
  free_ = entries == 0 ? kNone : 0;
  for (std::vector<List>& lists : lists_) std::fill(lists.begin(), lists.end(), List{});
  count_ = {};
  waiting_ = {};
}

RequestQueue::Slot RequestQueue::push(const WaitingRequest& request) {
  const Slot slot = free_;
  Node& node = nodes_[slot];
  free_ = node.next;
  const std::size_t kind = request.write ? 1 : 0;
  List& list = lists_[kind][request.bank];
  node = {request, list.tail, kNone};
  (list.tail == kNone ? list.head : nodes_[list.tail].next) = slot;
  list.tail = slot;
  ++count_[kind];
  waiting_[kind] |= std::uint64_t{1} << request.bank;
  return slot;
}

void RequestQueue::remove(Slot slot) {
  Node& node = nodes_[slot];
  const std::size_t kind = node.request.write ? 1 : 0;
  List& list = lists_[kind][node.request.bank];
  (node.previous == kNone ? list.head : nodes_[node.previous].next) = node.next;
  (node.next == kNone ? list.tail : nodes_[node.next].previous) = node.previous;
  --count_[kind];
  if (list.head == kNone) waiting_[kind] &= ~(std::uint64_t{1} << node.request.bank);
  node.next = free_;
  free_ = slot;
}

}  // namespace heddle
