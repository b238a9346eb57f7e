#pragma once
// What the parts of the harvest share: the file, the time that is left, and how a time is measured.
// stimuli/HARVEST.md, "A card of one's own", describes the file.

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace harvest {

// Ends the program with one message.
[[noreturn]] void fail(const std::string& message);

// Ends the program with one message if a call of the runtime has failed. `what` names it.
void require(cudaError_t error, const char* what);

struct Options {
  std::string file = "harvest.csv";
  double minutes = 6;
  bool quick = false;  // few samples and small sizes, for a trial without a GPU
};

enum class Caches { kCold, kWarm };

using Launch = std::function<void(cudaStream_t)>;

// Enqueues a kernel that keeps the stream busy for some time, so that what is enqueued behind it does not
// wait for the host.
void hold(cudaStream_t stream, unsigned long long cycles = 200000);

class Session {
 public:
  explicit Session(const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void row(const std::string& what, const std::string& parameters, const char* unit,
           std::vector<double> samples);

  // Takes samples, each of which `sample` returns, after one that is not counted. It takes kMostSamples, or
  // at least three in the time of a measurement. When the time of the harvest is over it takes none.
  std::vector<double> repeat(const std::function<double()>& sample);

  // Return the microseconds from the start to the end of what `launch` enqueues on a stream. With cold caches
  // the L2 holds other data at the start. The stream is held for so many cycles while the host calls.
  double time_us(const Launch& launch, Caches caches, unsigned long long held_cycles = 200000);

  // Empties L2 of other data, and waits until it is done.
  void flush();

  // Returns whether the time of the harvest is over; the measurement that asks is then left out.
  bool is_over();

  bool quick() const { return options_.quick; }
  unsigned sms() const { return sms_; }
  std::size_t l2_bytes() const { return l2_bytes_; }
  unsigned left_out() const { return left_out_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  void write_head();

  Options options_;
  Clock::time_point start_ = Clock::now();
  std::FILE* out_ = nullptr;
  unsigned sms_ = 0;
  std::size_t l2_bytes_ = 0;
  unsigned left_out_ = 0;  // measurements for which there was no time
  float4* other_ = nullptr;
  float* sums_ = nullptr;
  unsigned other_vectors_ = 0;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace harvest
