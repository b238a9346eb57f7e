#include "models/stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {

namespace {

// Returns ceil(q * count), at least 1. A product that is a whole number but for its rounding is that number:
// 0.07 * 100 gives 7.000000000000001, and its rank is 7.
std::uint64_t rank_of(double q, std::uint64_t count) {
  const double product = std::clamp(q, 0.0, 1.0) * static_cast<double>(count);
  const double whole = std::round(product);
  const double error = 2 * std::numeric_limits<double>::epsilon() * product;
  const double rank = std::abs(product - whole) <= error ? whole : std::ceil(product);
  if (rank >= static_cast<double>(count)) return count;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
}

}  // namespace

std::size_t Histogram::octave_of(std::uint64_t value) {
  const std::uint64_t rest = value >> kBits;
  return rest == 0 ? 0 : 64 - static_cast<std::size_t>(__builtin_clzll(rest));
}

std::uint32_t Histogram::shift_of(std::size_t octave) {
  return octave == 0 ? 0 : static_cast<std::uint32_t>(octave - 1);
}

Histogram::Bucket Histogram::bucket_at(std::size_t octave, std::size_t index, std::uint64_t count) {
  const std::uint32_t shift = shift_of(octave);
  const std::uint64_t first = octave == 0 ? index : kBuckets + index;
  return {first << shift, (first << shift) + ((std::uint64_t{1} << shift) - 1), count};
}

Histogram::Octave& Histogram::make(std::size_t octave) {
  std::unique_ptr<Octave>& place = octaves_[octave];
  if (place == nullptr) place = std::make_unique<Octave>();
  return *place;
}

Histogram& Histogram::operator=(const Histogram& other) {
  if (this == &other) return *this;
  reset();
  merge(other);
  return *this;
}

void Histogram::add(std::uint64_t value, std::uint64_t count) {
  if (count == 0) return;
  const std::size_t number = octave_of(value);
  Octave& octave = make(number);
  octave.count += count;
  octave.buckets[(value >> shift_of(number)) % kBuckets] += count;
  count_ += count;
  sum_ += value * count;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kOctaves; ++i) {
    if (other.octaves_[i] == nullptr || other.octaves_[i]->count == 0) continue;
    Octave& octave = make(i);
    octave.count += other.octaves_[i]->count;
    for (std::size_t j = 0; j < kBuckets; ++j) octave.buckets[j] += other.octaves_[i]->buckets[j];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void Histogram::reset() {
  for (const std::unique_ptr<Octave>& octave : octaves_)
    if (octave != nullptr) *octave = Octave{};
  count_ = sum_ = max_ = 0;
  min_ = ~std::uint64_t{0};
}

std::uint64_t Histogram::quantile(double q) const {
  if (count_ == 0) return 0;
  std::uint64_t left = rank_of(q, count_);
  for (std::size_t i = 0; i < kOctaves; ++i) {
    if (octaves_[i] == nullptr) continue;
    if (octaves_[i]->count < left) {
      left -= octaves_[i]->count;
      continue;
    }
    for (std::size_t j = 0; j < kBuckets; ++j) {
      const std::uint64_t here = octaves_[i]->buckets[j];
      if (here >= left) return std::min(max_, bucket_at(i, j, here).high);
      left -= here;
    }
  }
  return max_;
}

std::uint64_t Histogram::count_until(std::uint64_t value) const {
  std::uint64_t sum = 0;
  visit([&sum, value](const Bucket& bucket) {
    if (bucket.high <= value) sum += bucket.count;
  });
  return sum;
}

void Histogram::visit(const std::function<void(const Bucket&)>& visitor) const {
  for (std::size_t i = 0; i < kOctaves; ++i) {
    if (octaves_[i] == nullptr || octaves_[i]->count == 0) continue;
    for (std::size_t j = 0; j < kBuckets; ++j)
      if (const std::uint64_t here = octaves_[i]->buckets[j]) visitor(bucket_at(i, j, here));
  }
}

}  // namespace heddle
