#pragma once
// A Histogram counts whole numbers, such as latencies in cycles or picoseconds, in buckets whose width grows
// with the value. Numbers below 2048 have a bucket each. Above, each octave has 1024 buckets of equal width,
// so that a bucket is at most 1/1024 as wide as the smallest number in it. Any 64-bit number has a bucket.
//
//   Histogram latency;
//   latency.add(cycles);
//   latency.quantile(0.99);   // at most 1/1024 above the exact value
//
// An octave takes memory (8 KiB) when its first number is added, so add() allocates at most 55 times however
// many numbers there are. An empty histogram takes none.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

namespace heddle {

class Histogram {
 public:
  // A bucket that is not empty: `count` numbers from `low` to `high`, both included.
  struct Bucket {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t count;
  };

  Histogram() = default;
  Histogram(const Histogram& other) { merge(other); }
  Histogram& operator=(const Histogram& other);
  Histogram(Histogram&&) = default;
  Histogram& operator=(Histogram&&) = default;

  void add(std::uint64_t value) { add(value, 1); }
  void add(std::uint64_t value, std::uint64_t count);  // adds the value `count` times
  void merge(const Histogram& other);                  // adds the numbers of the other histogram
  void reset();                                        // forgets all numbers and keeps the memory

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }  // of all numbers, modulo 2^64
  // The smallest and the largest number, exactly. Both are 0 while there is none.
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  // Returns the nearest-rank quantile: of the numbers in ascending order the one with the rank ceil(q *
  // count()), and the first one for q = 0. The number stands for its bucket: the result is the upper end of
  // that bucket, and at most max(). So it is never below the exact quantile. `q` is from 0 to 1. The result
  // is 0 while there is no number.
  std::uint64_t quantile(double q) const;
  // Returns how many numbers are in buckets that end at `value` or below. It is exact for a value below 2048
  // or at the end of a bucket.
  std::uint64_t count_until(std::uint64_t value) const;
  // Calls the visitor for each bucket that is not empty, in ascending order.
  void visit(const std::function<void(const Bucket&)>& visitor) const;

 private:
  static constexpr std::uint32_t kBits = 10;  // an octave has 2^kBits buckets
  static constexpr std::uint64_t kBuckets = std::uint64_t{1} << kBits;
  // Octave 0 has the numbers below kBuckets; octave i > 0 those from kBuckets << (i - 1) on.
  static constexpr std::size_t kOctaves = 64 - kBits + 1;
  struct Octave {
    std::uint64_t count = 0;  // of all buckets
    std::array<std::uint64_t, kBuckets> buckets{};
  };

  static std::size_t octave_of(std::uint64_t value);
  static std::uint32_t shift_of(std::size_t octave);  // a bucket of the octave has 2^shift numbers
  static Bucket bucket_at(std::size_t octave, std::size_t index, std::uint64_t count);
  Octave& make(std::size_t octave);

  std::array<std::unique_ptr<Octave>, kOctaves> octaves_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
};

}  // namespace heddle
