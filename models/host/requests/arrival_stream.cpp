#include "models/host/requests/arrival_stream.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace heddle {

namespace {

constexpr double kMostGap = 1e19;  // ps; a longer time between arrivals is cut to 115 days

Distribution think_time(const ArrivalSpec& spec) {
  switch (spec.think) {
    case ArrivalSpec::Think::kExponential:
      return Distribution::exponential(spec.mean_ps);
    case ArrivalSpec::Think::kUniform:
      return Distribution::uniform(static_cast<double>(spec.least_ps), static_cast<double>(spec.most_ps));
    default:
      return Distribution::constant(spec.mean_ps);
  }
}

}  // namespace

ArrivalStream::ArrivalStream(const ArrivalSpec& spec, Random random, HandOver* from, std::uint64_t ready_ps)
    : spec_(spec), random_(random), from_(from), ready_ps_(ready_ps) {
  if (from_ != nullptr) return;
  using Kind = ArrivalSpec::Kind;
  if (spec_.kind == Kind::kGamma) time_ = Distribution::gamma(spec_.mean_ps, spec_.variation);
  if (spec_.kind == Kind::kPoisson) time_ = Distribution::exponential(spec_.mean_ps);
  if (spec_.is_closed()) time_ = think_time(spec_);
  for (std::uint32_t i = 0; spec_.is_closed() && i < spec_.clients; ++i) answer(0);
  if (!spec_.is_closed()) draw();
}

std::uint64_t ArrivalStream::next() const {
  if (from_ != nullptr) {
    const HandOver::Item* const item = from_->next();
    if (item == nullptr) return kNoTime;
    return std::max(item->arrival_ps, ready_ps_) - ready_ps_ + delay_ps_;
  }
  if (spec_.is_closed()) return thinking_.empty() ? kNoTime : thinking_.front();
  return next_ps_ > kNoTime - delay_ps_ ? kNoTime : next_ps_ + delay_ps_;
}

void ArrivalStream::take() {
  ++taken_;
  if (from_ != nullptr) return from_->take();
  if (!spec_.is_closed()) return draw();
  std::pop_heap(thinking_.begin(), thinking_.end(), std::greater<>());
  thinking_.pop_back();
}

void ArrivalStream::answer(std::uint64_t now) {
  if (!spec_.is_closed() || from_ != nullptr) return;
  thinking_.push_back(now + gap());
  std::push_heap(thinking_.begin(), thinking_.end(), std::greater<>());
}

// Returns the drawn time to the next arrival as whole picoseconds.
std::uint64_t ArrivalStream::gap() {
  return static_cast<std::uint64_t>(std::floor(std::min(time_.draw(random_), kMostGap) + 0.5));
}

void ArrivalStream::draw() {
  switch (spec_.kind) {
    case ArrivalSpec::Kind::kPeriodic:
      next_ps_ = spec_.offset_ps + taken_ * spec_.least_ps;
      if (spec_.jitter_ps > 0) next_ps_ += random_.below(spec_.jitter_ps + 1);
      break;
    case ArrivalSpec::Kind::kUniform:
      next_ps_ += spec_.least_ps + random_.below(spec_.most_ps - spec_.least_ps + 1);
      break;
    case ArrivalSpec::Kind::kTimes:
      next_ps_ = taken_ < spec_.table->times_ps.size() ? spec_.table->times_ps[taken_] : kNoTime;
      break;
    default:
      next_ps_ += gap();
  }
}

}  // namespace heddle
