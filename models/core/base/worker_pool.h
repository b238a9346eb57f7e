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
  static constexpr std::chrono::microseconds kPatience{
      500};                                    // shorter than a time slice of the host's kernel
  static constexpr unsigned kLeastAlone = 64;  // rounds

  // `threads` is 1 .. kMostThreads; the thread that calls run() is one of them. A thread is late if the
  // others wait for it for longer than `patience`.
  explicit WorkerPool(unsigned threads, std::chrono::microseconds patience = kPatience);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // Calls part(i) for i = 0 .. threads() - 1, each on its own thread and part(0) on the calling one, or all
  // on the calling one after a thread was late. Returns when all have returned. `part` throws nothing.
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
  std::uint64_t start_round(Call call, void* work);  // returns its number
  bool await(std::uint64_t round) const;             // returns whether a thread was late
  void adapt(bool was_late);
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
