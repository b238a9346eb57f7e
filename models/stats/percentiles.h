#pragma once
// Percentiles of a sample with confidence intervals that assume nothing about the distribution: they lie
// between two order statistics, whose ranks follow from the binomial distribution (David and Nagaraja, "Order
// Statistics", 3rd edition, Section 7.1). Percentiles are those of the nearest rank.

#include <cstdint>
#include <optional>

#include "models/stats/histogram.h"

namespace heddle {

constexpr double kConfidence = 0.95;  // of the intervals; each side is missed with half of the rest at most

struct RankInterval {  // ranks of the sorted sample from 1 on
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// Returns the ranks between which the quantile `q` lies: the largest lower one and the smallest upper one for
// which each side is missed with a probability of at most (1 - kConfidence) / 2. None if the sample is too
// small for one of both. `q` is above 0 and below 1.
std::optional<RankInterval> confidence_ranks(std::uint64_t samples, double q);

// Returns the smallest sample for which confidence_ranks() has both ranks. It is never below 1 / (1 - q).
std::uint64_t samples_needed(double q);

struct Percentile {
  std::uint64_t value = 0;
  std::uint64_t low = 0;  // the confidence interval, both ends included
  std::uint64_t high = 0;
};

// None if there are fewer than samples_needed(q). A number stands for its bucket of the histogram.
std::optional<Percentile> percentile_of(const Histogram& histogram, double q);

}  // namespace heddle
