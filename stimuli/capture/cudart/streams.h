#pragma once
// The streams of the program, and the contexts of the driver to which they belong.

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "stimuli/capture/cudart/graph.h"
#include "stimuli/capture/cudart/types.h"
#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

struct StreamCapture;

// A context of the driver. All contexts share the memory of the one GPU.
struct Context {
  unsigned flags = 0;
};

// A green context (CUDA driver API): launches of its streams run on its SMs alone.
struct GreenContext : Context {
  std::uint64_t number = 0;
  std::vector<std::uint32_t> sms;  // ascending
  void* default_stream = nullptr;  // a handle of Runtime::streams
};

// Returns the green context that is current in this thread, or null.
GreenContext* current_green_context();

struct Stream {
  std::uint32_t number = 0;
  const GreenContext* green = nullptr;  // to which it belongs
  unsigned flags = 0;
  int priority = kLeastPriority;
  std::shared_ptr<StreamCapture> capture;  // null: the stream is not captured
  std::vector<Node*> tail;                 // on which the next captured operation depends
};
constexpr unsigned kNonBlocking = 1;  // a flag of a stream

// These functions return the handles of the two default streams, that of all threads and that of the calling
// thread. A null handle stands for the first, but for the second in calls whose names end in _ptsz or _ptds,
// which nvcc makes with --default-stream per-thread.
inline void* shared_stream() {
  return reinterpret_cast<void*>(1);
}
inline void* thread_stream() {
  return reinterpret_cast<void*>(2);
}
inline void* or_thread_stream(void* stream) {
  return stream == nullptr ? thread_stream() : stream;
}
inline const void* or_thread_stream(const void* stream) {
  return stream == nullptr ? thread_stream() : stream;
}

// DefaultStreams has the streams that a program need not create: one for all threads, and one for each thread
// that uses its per-thread default stream.
class DefaultStreams {
 public:
  Stream& shared() { return shared_; }
  // Returns the stream of this thread. At its first use make_number() returns its number.
  template <typename MakeNumber>
  Stream& of_this_thread(const MakeNumber& make_number) {
    const auto [found, fresh] = of_threads_.try_emplace(std::this_thread::get_id());
    if (fresh) found->second.number = make_number();
    return found->second;
  }
  // Calls visit(stream) for each stream of a thread.
  template <typename Visit>
  void for_each_of_thread(const Visit& visit) {
    for (auto& [thread, stream] : of_threads_) visit(stream);
  }
  void forget_threads() { of_threads_.clear(); }

 private:
  Stream shared_;
  std::map<std::thread::id, Stream> of_threads_;
};

}  // namespace heddle::capture
