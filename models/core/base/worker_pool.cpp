#include "models/core/base/worker_pool.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

// A thread that waits checks again and again whether it can go on. It spins for kLooks checks, if the host
// has a core for each thread, then gives up its core after each of kYields checks, and then sleeps. A check
// takes a few nanoseconds, and to wake a thread takes about ten microseconds. Both numbers are guesses: with
// them a thread spins for longer than the serial part of a clock cycle takes.
constexpr unsigned kLooks = 4096;
constexpr unsigned kYields = 256;
// A thread that waits reads the time only after this number of checks.
constexpr unsigned kUntimed = 256;

// The calling thread does at most kMostAlone rounds alone. After each kHalving rounds without a late thread,
// the number of rounds that it does alone the next time is halved. Both numbers are guesses. With them, a
// thread that is late by 4 ms in each twentieth round makes a round longer by less than a microsecond.
constexpr unsigned kMostAlone = 1u << 16;
constexpr unsigned kHalving = 64;

}  // namespace

WorkerPool::WorkerPool(unsigned threads, std::chrono::microseconds patience)
    : looks_(threads <= std::thread::hardware_concurrency() ? kLooks : 0), patience_(patience) {
  HEDDLE_CHECK(threads >= 1 && threads <= kMostThreads, "worker pool", Cycle{}, "{} threads", threads);
  for (unsigned part = 1; part < threads; ++part) workers_.push_back(std::make_unique<Worker>());
  for (unsigned part = 1; part < threads; ++part) {
    Worker& worker = *workers_[part - 1];
    worker.thread = std::thread([this, &worker, part] { serve(worker, part); });
  }
}

WorkerPool::~WorkerPool() {
  stops_.store(true);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    round_.fetch_add(1);
  }
  wake_.notify_all();
  for (const auto& worker : workers_) worker->thread.join();
}

void WorkerPool::run(Call call, void* work) {
  if (alone_ > 0) {
    --alone_;
    for (unsigned part = 0; part < threads(); ++part) call(work, part);
    return;
  }
  const std::uint64_t round = start_round(call, work);
  call(work, 0);
  adapt(await(round));
}

std::uint64_t WorkerPool::start_round(Call call, void* work) {
  call_ = call;
  work_ = work;
  const std::uint64_t round = round_.load(std::memory_order_relaxed) + 1;
  round_.store(round);
  // A worker increments `asleep_` before it checks the round for the last time. So either this thread sees
  // that the worker sleeps, or the worker sees the new round.
  if (asleep_.load() > 0) {
    { const std::lock_guard<std::mutex> lock(mutex_); }
    wake_.notify_all();
  }
  return round;
}

bool WorkerPool::await(std::uint64_t round) const {
  using Clock = std::chrono::steady_clock;
  unsigned look = 0;
  Clock::time_point since;
  for (const auto& worker : workers_) {
    for (; worker->done.load(std::memory_order_acquire) != round; ++look) {
      if (look == kUntimed) since = Clock::now();
      pause(look);
    }
  }
  return look > kUntimed && Clock::now() - since > patience_;
}

void WorkerPool::adapt(bool was_late) {
  if (was_late) {
    alone_ = back_off_ = std::clamp(2 * back_off_, kLeastAlone, kMostAlone);
    on_time_ = 0;
  } else if (back_off_ > 0 && ++on_time_ == kHalving) {
    back_off_ /= 2;
    on_time_ = 0;
  }
}

void WorkerPool::pause(unsigned look) const {
  if (look >= looks_) {
    std::this_thread::yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();  // leaves the core to another thread that it may have
#endif
}

void WorkerPool::serve(Worker& worker, unsigned part) {
  for (std::uint64_t round = next_round(0); !stops_.load(std::memory_order_relaxed);
       round = next_round(round)) {
    call_(work_, part);
    worker.done.store(round, std::memory_order_release);
  }
}

std::uint64_t WorkerPool::next_round(std::uint64_t last) {
  for (unsigned look = 0; look < looks_ + kYields; ++look) {
    const std::uint64_t round = round_.load(std::memory_order_acquire);
    if (round != last) return round;
    pause(look);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  asleep_.fetch_add(1);
  wake_.wait(lock, [&] { return round_.load() != last; });
  asleep_.fetch_sub(1);
  return round_.load();
}

}  // namespace heddle
