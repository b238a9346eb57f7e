#pragma once
// A WorkerPool runs the parts of one piece of work on several threads of the host. Its threads are kept from
// one piece to the next, because a clock cycle of a GPU gives them a few microseconds of work at a time: a
// thread that waits for work looks for it again and again, and sleeps only after a while. Pure logic.
//
// On a host whose cores also have other work, a thread may have to wait for its core for milliseconds, and
// all others wait for it. The calling thread then does all parts itself for a number of rounds, which doubles
// each time that this happens and becomes less while the threads are on time.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle {

class WorkerPool {
 public:
  static constexpr unsigned kMostThreads = 64;
  // A guess: a time slice of the host's kernel takes longer, and the work of a clock cycle does not.
  static constexpr std::chrono::microseconds kPatience{500};
  static constexpr unsigned kLeastAlone = 64;  // rounds; a guess

  // `threads` is the number of threads, 1 .. kMostThreads, and counts the thread that calls run(). A thread
  // of the pool is late if the calling thread waits for it for longer than `patience`.
  explicit WorkerPool(unsigned threads, std::chrono::microseconds patience = kPatience);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // The function calls part(i) for each i from 0 to threads() - 1, and returns when all these calls have
  // returned. The calling thread executes part(0), and each other thread of the pool executes one part. After
  // a thread was late, the calling thread executes all parts for a number of calls. `part` must not throw.
  template <class Part>
  void run(Part& part) {
    run([](void* work, unsigned i) { (*static_cast<Part*>(work))(i); }, &part);
  }

 private:
  using Call = void (*)(void* work, unsigned part);
  struct alignas(64) Worker {
    std::atomic<std::uint64_t> done{0};  // the number of the last round that it has done
    std::thread thread;
  };

  void run(Call call, void* work);
  std::uint64_t start_round(Call call, void* work);  // wakes the threads, and returns the round's number
  bool await(std::uint64_t round) const;  // waits for all threads, and returns whether one of them was late
  void adapt(bool was_late);              // decides how many rounds the calling thread does alone
  void serve(Worker& worker, unsigned part);
  std::uint64_t next_round(std::uint64_t last);  // waits for a round other than `last` and returns its number
  void pause(unsigned look) const;               // a waiting thread calls it between two checks

  const unsigned looks_;
  const std::chrono::microseconds patience_;
  std::vector<std::unique_ptr<Worker>> workers_;
  unsigned alone_ = 0;     // rounds to come that the calling thread does alone
  unsigned back_off_ = 0;  // rounds that it did alone when a thread was late the last time
  unsigned on_time_ = 0;   // rounds since then without a late thread
  // The work of the present round. The workers read it after they have seen the new value of `round_`.
  Call call_ = nullptr;
  void* work_ = nullptr;
  alignas(64) std::atomic<std::uint64_t> round_{0};
  std::atomic<unsigned> asleep_{0};
  std::atomic<bool> stops_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
};

}  // namespace heddle
