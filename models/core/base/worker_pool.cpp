#include "models/core/base/worker_pool.h"

#include "models/core/base/check.h"

namespace heddle {

namespace {

// A thread that waits checks again and again whether it can go on. It spins for kLooks checks, if the host
// has a core for each thread, then gives up its core after each of kYields checks, and then sleeps. A check
// takes a few nanoseconds, and to wake a thread takes about ten microseconds. Both numbers are guesses: with
// them a thread spins for longer than the serial part of a clock cycle takes.
constexpr unsigned kLooks = 4096;
constexpr unsigned kYields = 256;

}  // namespace

WorkerPool::WorkerPool(unsigned threads)
    : looks_(threads <= std::thread::hardware_concurrency() ? kLooks : 0) {
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
  call(work, 0);
  for (const auto& worker : workers_)
    for (unsigned look = 0; worker->done.load(std::memory_order_acquire) != round; ++look) pause(look);
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
