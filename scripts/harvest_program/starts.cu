// How long a short kernel takes from the host's call to its end beside a kernel that is launched again and
// again without a pause: on two streams, with a priority, and on SMs of its own (green contexts).

#include <algorithm>
#include <optional>

#include "scripts/harvest_program/green.h"
#include "scripts/harvest_program/parts.h"

namespace harvest {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kBlocks = 4096;  // of the background
constexpr unsigned kThreads = 512;
constexpr unsigned kQueued = 8;  // launches of the background that wait at once

__global__ void background(unsigned rounds, float* results) {
  float value = threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) value = value * 0.5F + 1.0F;
  if (value == -1.0F) *results = value;
}

__global__ void short_kernel(float* results) {
  if (threadIdx.x > 1024) *results = 0;
}

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The rounds that make a background kernel of half a millisecond.
unsigned rounds_of(Session& session, float* results) {
  constexpr unsigned kTrial = 1024;
  const auto time = [&] {
    return session.time_us(
        [&](cudaStream_t stream) { background<<<kBlocks, kThreads, 0, stream>>>(kTrial, results); },
        Caches::kWarm);
  };
  time();
  return std::max(1U, static_cast<unsigned>(kTrial * 500.0 / time()));
}

class Background {
 public:
  Background(cudaStream_t stream, unsigned rounds, float* results)
      : stream_(stream), rounds_(rounds), results_(results) {
    for (cudaEvent_t& event : events_)
      require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  }
  ~Background() {
    cudaStreamSynchronize(stream_);
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Keeps some launches in the queue.
  void keep_busy() {
    while (launched_ - ended_ < kQueued) {
      background<<<kBlocks, kThreads, 0, stream_>>>(rounds_, results_);
      require(cudaEventRecord(events_[launched_ % kEvents], stream_), "event");
      ++launched_;
    }
    while (ended_ < launched_ && cudaEventQuery(events_[ended_ % kEvents]) == cudaSuccess) ++ended_;
  }

 private:
  static constexpr unsigned kEvents = 16;
  cudaStream_t stream_;
  unsigned rounds_;
  float* results_;
  cudaEvent_t events_[kEvents] = {};
  unsigned launched_ = 0;
  unsigned ended_ = 0;
};

double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

// Pauses of different length between requests, so that they come at any time of the background.
double pause_us(unsigned request) {
  return 200 + request * 2654435761U % 1000;
}

std::vector<double> responses(Session& session, cudaStream_t stream, Background* beside, float* results) {
  std::vector<double> times;
  for (unsigned request = 0; request < (session.quick() ? 5U : 1000U); ++request) {
    const Clock::time_point pause = Clock::now();
    do {
      if (beside != nullptr) beside->keep_busy();
    } while (us_since(pause) < pause_us(request));
    const Clock::time_point start = Clock::now();
    short_kernel<<<4, 256, 0, stream>>>(results);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
      if (beside != nullptr) beside->keep_busy();
    times.push_back(us_since(start));
  }
  std::sort(times.begin(), times.end());
  return times;
}

void write(Session& session, const std::string& way, const std::vector<double>& times) {
  for (const unsigned percent : {50U, 90U, 95U, 99U})
    session.row("start", "way=" + way + " percentile=" + std::to_string(percent), "us",
                {quantile(times, percent / 100.0)});
}

void measure_beside(Session& session, const std::string& way, cudaStream_t first, cudaStream_t second,
                    unsigned rounds, float* results) {
  if (session.is_over()) return;
  Background beside(first, rounds, results);
  write(session, way, responses(session, second, &beside, results));
}

}  // namespace

void measure_starts(Session& session) {
  float* results = nullptr;
  require(cudaMalloc(&results, sizeof(*results)), "memory of starts");
  int least = 0;
  int greatest = 0;
  require(cudaDeviceGetStreamPriorityRange(&least, &greatest), "priorities of streams");
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  cudaStream_t urgent = nullptr;
  require(cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, least), "stream");
  require(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, least), "stream");
  require(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest), "stream");
  const unsigned rounds = session.quick() ? 16 : rounds_of(session, results);
  const auto time = [&] {
    return session.time_us(
        [&](cudaStream_t stream) { background<<<kBlocks, kThreads, 0, stream>>>(rounds, results); },
        Caches::kWarm);
  };
  session.row("background", "blocks=" + std::to_string(kBlocks) + " threads=" + std::to_string(kThreads),
              "us", session.repeat(time));
  write(session, "alone", responses(session, second, nullptr, results));
  measure_beside(session, "streams", first, second, rounds, results);
  measure_beside(session, "priorities", first, urgent, rounds, results);
  if (const std::optional<GreenStreams> green = make_green_streams())
    measure_beside(session, green->way, green->first, green->second, rounds, results);
  cudaFree(results);
}

}  // namespace harvest
