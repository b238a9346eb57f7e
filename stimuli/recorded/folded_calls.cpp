#include "stimuli/recorded/folded_calls.h"

#include <algorithm>
#include <utility>

namespace heddle::imported {

namespace {

constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15ULL;  // odd; of the polynomial over the items of a range
constexpr std::size_t kMostCandidates = 64;             // periods, and loops, that an added call tries

// A finaliser that spreads the bits of a number (Steele et al., "Fast Splittable Pseudorandom Number
// Generators", 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

std::uint64_t hash_of(const FoldedLoop& loop) {
  return mixed(loop.body_hash + mixed(loop.rounds + kBase));
}

bool equal(const FoldedItem& a, const FoldedItem& b) {
  if (a.hash != b.hash || a.call != b.call || (a.loop == nullptr) != (b.loop == nullptr)) return false;
  if (a.loop == nullptr) return true;
  return a.loop->rounds == b.loop->rounds && a.loop->body.size() == b.loop->body.size() &&
         std::equal(a.loop->body.begin(), a.loop->body.end(), b.loop->body.begin(), equal);
}

void add_gaps(FoldedItem& to, const FoldedItem& from) {
  to.gap_ps += from.gap_ps;
  if (to.loop == nullptr) return;
  for (std::size_t i = 0; i < to.loop->body.size(); ++i) add_gaps(to.loop->body[i], from.loop->body[i]);
}

std::uint32_t depth_of(const FoldedItem& item) {
  return item.loop == nullptr ? 0 : item.loop->depth;
}

}  // namespace

FoldedCalls::FoldedCalls() : prefix_{0}, powers_{1} {}

std::uint64_t FoldedCalls::range_hash(std::size_t first, std::size_t end) const {
  return prefix_[end] - prefix_[first] * powers_[end - first];
}

void FoldedCalls::push(FoldedItem item) {
  if (item.loop != nullptr) loops_.push_back(items_.size());
  places_[item.hash].push_back(items_.size());
  prefix_.push_back(prefix_.back() * kBase + item.hash);
  if (powers_.size() < prefix_.size()) powers_.push_back(powers_.back() * kBase);
  items_.push_back(std::move(item));
}

FoldedItem FoldedCalls::pop() {
  FoldedItem item = std::move(items_.back());
  items_.pop_back();
  prefix_.pop_back();
  const auto places = places_.find(item.hash);
  places->second.pop_back();
  if (places->second.empty()) places_.erase(places);
  if (item.loop != nullptr) loops_.pop_back();
  return item;
}

void FoldedCalls::add(std::uint32_t call, std::uint64_t gap_ps) {
  FoldedItem item;
  item.call = call;
  item.gap_ps = gap_ps;
  item.hash = mixed(call + kBase);
  push(std::move(item));
  while (join_loop() || make_loop()) {
  }
}

bool FoldedCalls::join_loop() {
  const std::size_t end = items_.size();
  std::size_t tries = 0;
  for (auto place = loops_.rbegin(); place != loops_.rend() && tries < kMostCandidates; ++place, ++tries) {
    const std::size_t length = end - 1 - *place;
    const FoldedLoop& loop = *items_[*place].loop;
    if (length > kMostPeriod) return false;
    if (length == 0 || loop.body.size() != length || loop.body_hash != range_hash(*place + 1, end)) continue;
    if (!std::equal(loop.body.begin(), loop.body.end(), items_.end() - static_cast<std::ptrdiff_t>(length),
                    equal))
      continue;
    std::vector<FoldedItem> round;
    for (std::size_t i = 0; i < length; ++i) round.push_back(pop());
    FoldedItem item = pop();
    for (std::size_t i = 0; i < length; ++i) add_gaps(item.loop->body[i], round[length - 1 - i]);
    ++item.loop->rounds;
    item.hash = hash_of(*item.loop);
    push(std::move(item));
    return true;
  }
  return false;
}

bool FoldedCalls::make_loop() {
  const std::size_t end = items_.size();
  const std::vector<std::size_t>& places = places_.find(items_.back().hash)->second;
  std::size_t tries = 0;
  for (auto place = places.rbegin() + 1; place < places.rend() && tries < kMostCandidates; ++place, ++tries) {
    const std::size_t length = end - 1 - *place;
    if (2 * length > end || length > kMostPeriod) return false;
    if (range_hash(end - 2 * length, end - length) != range_hash(end - length, end)) continue;
    const auto second = items_.end() - static_cast<std::ptrdiff_t>(length);
    if (!std::equal(second, items_.end(), second - static_cast<std::ptrdiff_t>(length), equal)) continue;
    std::uint32_t depth = 0;
    for (auto item = second; item != items_.end(); ++item) depth = std::max(depth, depth_of(*item));
    if (depth >= kMostDepth) continue;
    FoldedItem made;
    made.loop = std::make_unique<FoldedLoop>();
    made.loop->depth = depth + 1;
    made.loop->body_hash = range_hash(end - length, end);
    std::vector<FoldedItem> round;
    for (std::size_t i = 0; i < length; ++i) round.push_back(pop());
    for (std::size_t i = 0; i < length; ++i) made.loop->body.push_back(pop());
    std::reverse(made.loop->body.begin(), made.loop->body.end());
    for (std::size_t i = 0; i < length; ++i) add_gaps(made.loop->body[i], round[length - 1 - i]);
    made.hash = hash_of(*made.loop);
    push(std::move(made));
    return true;
  }
  return false;
}

std::size_t size_of(const std::vector<FoldedItem>& items) {
  std::size_t size = items.size();
  for (const FoldedItem& item : items)
    if (item.loop != nullptr) size += size_of(item.loop->body);
  return size;
}

}  // namespace heddle::imported
