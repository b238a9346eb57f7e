#include "models/stats/percentiles.h"

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

constexpr double kMissed = (1 - kConfidence) / 2;  // of each side

// The binomial distribution of `n` trials with success `q`, from its begin to its end. Where its terms are
// below 1e-80, they are left out.
class Binomial {
 public:
  Binomial(std::uint64_t n, double q) : n_(static_cast<double>(n)), odds_(q / (1 - q)) {
    const double deviation = std::sqrt(n_ * q * (1 - q));
    k_ = std::floor(std::max(0.0, n_ * q - 20 * deviation - 20));
    term_ = std::exp(std::lgamma(n_ + 1) - std::lgamma(k_ + 1) - std::lgamma(n_ - k_ + 1) + k_ * std::log(q) +
                     (n_ - k_) * std::log1p(-q));
    sum_ = term_;
  }

  double k() const { return k_; }
  double cumulative() const { return sum_; }  // the probability of at most k successes
  void next() {
    term_ *= (n_ - k_) / (k_ + 1) * odds_;
    sum_ += term_;
    ++k_;
  }
  bool is_at_end() const { return k_ >= n_; }

 private:
  const double n_;
  const double odds_;
  double k_ = 0;
  double term_ = 0;
  double sum_ = 0;
};

}  // namespace

// The quantile is below the order statistic of rank l with the probability of at most l - 1 successes, and
// above that of rank u with the probability of at least u.
std::optional<RankInterval> confidence_ranks(std::uint64_t samples, double q) {
  if (samples < samples_needed(q)) return std::nullopt;
  RankInterval ranks;
  Binomial binomial(samples, q);
  for (; binomial.cumulative() <= kMissed; binomial.next())
    ranks.low = static_cast<std::uint64_t>(binomial.k()) + 1;
  while (binomial.cumulative() < 1 - kMissed && !binomial.is_at_end()) binomial.next();
  ranks.high = static_cast<std::uint64_t>(binomial.k()) + 1;
  if (ranks.low == 0 || ranks.high > samples) return std::nullopt;
  return ranks;
}

// The interval has a lower end if no sample is below the quantile with a probability of at most kMissed:
// (1 - q)^n, and an upper end likewise: q^n.
std::uint64_t samples_needed(double q) {
  const double nearer = std::max(q, 1 - q);
  const double needed = std::ceil(std::log(kMissed) / std::log(nearer) - 1e-9);
  return static_cast<std::uint64_t>(std::max(needed, std::ceil(1 / (1 - q) - 1e-9)));
}

std::optional<Percentile> percentile_of(const Histogram& histogram, double q) {
  const std::uint64_t samples = histogram.count();
  const std::optional<RankInterval> ranks = confidence_ranks(samples, q);
  if (!ranks) return std::nullopt;
  const auto at_rank = [&](std::uint64_t rank) {
    return histogram.quantile(static_cast<double>(rank) / static_cast<double>(samples));
  };
  return Percentile{histogram.quantile(q), at_rank(ranks->low), at_rank(ranks->high)};
}

}  // namespace heddle
