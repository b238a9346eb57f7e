#pragma once
// A WorkerPool runs the parts of one piece of work on several threads of the host. Its threads are kept from
// one piece to the next, because a clock cycle of a GPU gives them a few microseconds of work at a time: a
// thread that waits for work looks for it again and again, and sleeps only after a while. Pure logic.

#include <atomic>
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

  // `threads` is 1 .. kMostThreads; the thread that calls run() is one of them.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // Calls part(i) for i = 0 .. threads() - 1, each on its own thread and part(0) on the calling one. Returns
  // when all have returned. The same number is always called on the same thread. `part` throws nothing.
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
  void serve(Worker& worker, unsigned part);
  std::uint64_t next_round(std::uint64_t last);  // waits for a round other than `last` and returns its number
  void pause(unsigned look) const;               // a waiting thread calls it between two checks

  const unsigned looks_;
  std::vector<std::unique_ptr<Worker>> workers_;
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
