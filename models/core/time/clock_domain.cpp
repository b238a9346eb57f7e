#include "models/core/time/clock_domain.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle {

ClockDomain::ClockDomain(sc_core::sc_module_name name, double frequency_hz)
    : ClockDomain(name, frequency_hz, nullptr) {}

ClockDomain::ClockDomain(sc_core::sc_module_name name, double frequency_hz, ClockDomain& first)
    : ClockDomain(name, frequency_hz, &first) {}

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, double frequency_hz, ClockDomain* first)
    : sc_core::sc_module(name),
      time_(sc_core::sc_get_curr_simcontext()->time_stamp()),
      first_(first != nullptr ? *first : *this) {
  const double resolution = sc_core::sc_get_time_resolution().to_seconds();
  period_ =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(1.0 / frequency_hz / resolution)));
  first_.sharing_.push_back(this);
  if (first == nullptr) {
    SC_HAS_PROCESS(ClockDomain);
    SC_METHOD(run);
    sensitive << call_;
    dont_initialize();
  }
}

ClockDomain::Sleeper ClockDomain::add(Clocked& block) {
  blocks_.push_back(&block);
  return undivided_.wheel.add();
}

ClockDomain::Sleeper ClockDomain::add(Divided& block) {
  if (parts_.empty()) parts_.resize(1);
  place(block, 0);
  return divided_sleeper(places_.size() - 1);
}

void ClockDomain::share(WorkerPool& pool, std::size_t fewest) {
  pool_ = &pool;
  fewest_ = fewest;
  if (places_.empty()) return;
  // Each part has a run of neighbouring blocks, so that the order of the blocks is that of the parts.
  const std::vector<Divided*> blocks = std::move(parts_.front().blocks);
  parts_ = std::vector<Part>(std::min<std::size_t>(pool.threads(), blocks.size()));
  places_.clear();
  for (std::size_t i = 0; i < blocks.size(); ++i) place(*blocks[i], i * parts_.size() / blocks.size());
}

void ClockDomain::place(Divided& block, std::size_t number) {
  Part& part = parts_[number];
  part.blocks.push_back(&block);
  part.finishing.reserve(part.blocks.size());
  places_.push_back({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(part.wakes.wheel.add())});
}

void ClockDomain::reset() {
  for (ClockDomain* clock : first_.sharing_) clock->restart();
  first_.call_.cancel();
  first_.notified_ = kNever;
}

void ClockDomain::restart() {
  const auto clear = [](Wakes& wakes) {
    wakes.wheel.reset();
    wakes.due = Cycle::never();
  };
  clear(undivided_);
  for (Part& part : parts_) {
    clear(part.wakes);
    part.finishing.clear();
    part.ticks = 0;
    part.failure = nullptr;
  }
  origin_ = time_.value();
  edge_ = Cycle{0};
  edge_time_ = origin_;
  due_ = Cycle::never();
  due_time_ = kNever;
  activity_ = {};
}

double ClockDomain::frequency_hz() const {
  return 1.0 / sc_core::sc_time::from_value(period_).to_seconds();
}

void ClockDomain::run() {
  const std::uint64_t now = time_.value();
  if (now != notified_) return;  // A reset came between the kernel's decision to call and this call.
  notified_ = kNever;
  running_ = true;
  std::uint64_t next = now;
  do {
    present_ = next;
    ++activity_.calls;
    for (ClockDomain* clock : sharing_)
      if (clock->due_time_ == present_) clock->edge();
    next = kNever;
    for (const ClockDomain* clock : sharing_) next = std::min(next, clock->due_time_);
  } while (next <= ahead_limit_ && goes_ahead_to(next));
  running_ = false;
  if (next != kNever) notify(next);
}

bool ClockDomain::goes_ahead_to(std::uint64_t time) const {
  return sc_core::sc_time_to_pending_activity(kernel_).value() > time - time_.value();
}

void ClockDomain::edge() {
  ++activity_.wakes;
  edge_ = due_;
  edge_time_ = due_time_;
  if (undivided_.due == due_) {
    undivided_.due = Cycle::never();
    undivided_.wheel.expire(due_, [this](Sleeper sleeper) {
      ++activity_.ticks;
      blocks_[sleeper]->tick(due_);
    });
    undivided_.due = undivided_.wheel.next();
  }
  if (!parts_.empty()) tick_divided();
  due_ = undivided_.due;
  for (const Part& part : parts_) due_ = std::min(due_, part.wakes.due);
  due_time_ = due_ == Cycle::never() ? kNever : time_value(due_);
}

void ClockDomain::tick_divided() {
  if (pool_ != nullptr) return tick_shared();
  Part& part = parts_.front();
  if (part.wakes.due != due_) return;
  if (meter_ != nullptr) meter_->begin_cycle();
  work(part);
  if (meter_ != nullptr) meter_->end_cycle(places_.size());
  finish(part);
}

void ClockDomain::tick_shared() {
  std::size_t waking = 0;
  for (const Part& part : parts_)
    if (part.wakes.due == due_) waking += part.wakes.wheel.marked_at(due_);
  if (waking < fewest_) {
    for (Part& part : parts_) work(part);
  } else {
    auto work_on = [this](unsigned number) {
      if (number >= parts_.size()) return;
      try {
        work(parts_[number]);
      } catch (...) {
        parts_[number].failure = std::current_exception();
      }
    };
    pool_->run(work_on);
    for (Part& part : parts_)
      if (part.failure) std::rethrow_exception(std::exchange(part.failure, nullptr));
  }
  for (Part& part : parts_) finish(part);
}

void ClockDomain::work(Part& part) {
  if (part.wakes.due != due_) return;
  part.wakes.due = Cycle::never();
  part.wakes.wheel.expire(due_, [this, &part, blocks = part.blocks.data(), now = due_](Sleeper sleeper) {
    ++part.ticks;
    const Cycle next = blocks[sleeper]->work(now);
    if (meter_ != nullptr) meter_->end_block(sleeper);
    if (next == Divided::kFinishes)
      part.finishing.push_back(sleeper);
    else
      part.wakes.wheel.wake_at(sleeper, next);
  });
  part.wakes.due = part.wakes.wheel.next();
}

void ClockDomain::finish(Part& part) {
  activity_.ticks += std::exchange(part.ticks, 0);
  for (const Sleeper sleeper : part.finishing)
    part.wakes.wake_at(sleeper, part.blocks[sleeper]->finish(due_));
  part.finishing.clear();
}

void ClockDomain::hasten(Cycle cycle) {
  due_ = cycle;
  due_time_ = time_value(cycle);
  if (!first_.running_ && due_time_ < first_.notified_) first_.notify(due_time_);
}

void ClockDomain::notify(std::uint64_t time) {
  notified_ = time;
  call_.notify(sc_core::sc_time::from_value(time) - time_);
}

}  // namespace heddle
