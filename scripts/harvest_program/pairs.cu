// Two kernels at once in one process: on two streams, with two priorities, and on halves of the SMs where the
// driver has green contexts. Both are ready at the same time, and the first one is submitted before the
// second.

#include <optional>

#include "scripts/harvest_program/green.h"
#include "scripts/harvest_program/parts.h"
#include "scripts/harvest_program/works.h"

namespace harvest {

namespace {

struct Streams {
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
};

// The times of both kernels, in microseconds since both were ready.
struct Times {
  double first = 0;
  double second = 0;
};

class Events {
 public:
  Events() {
    for (cudaEvent_t* const event : {&ready_, &first_, &second_}) require(cudaEventCreate(event), "event");
  }
  ~Events() {
    for (const cudaEvent_t event : {ready_, first_, second_}) cudaEventDestroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  Times time(const Streams& streams, const Work& first, const Work* second) const {
    hold(streams.first);
    require(cudaEventRecord(ready_, streams.first), "event");
    require(cudaStreamWaitEvent(streams.second, ready_, 0), "event");
    first.launch(streams.first);
    if (second != nullptr) second->launch(streams.second);
    require(cudaEventRecord(first_, streams.first), "event");
    require(cudaEventRecord(second_, streams.second), "event");
    require(cudaDeviceSynchronize(), "pair of kernels");
    return {1e3 * elapsed(first_), 1e3 * elapsed(second_)};
  }

 private:
  double elapsed(cudaEvent_t event) const {
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, ready_, event), "event");
    return milliseconds;
  }

  cudaEvent_t ready_ = nullptr;
  cudaEvent_t first_ = nullptr;
  cudaEvent_t second_ = nullptr;
};

void measure_way(Session& session, const char* way, const Streams& streams, const Work& first,
                 const Work& second) {
  const Events events;
  std::vector<double> of_second;
  std::vector<double> of_first = session.repeat([&] {
    session.flush();
    const Times times = events.time(streams, first, &second);
    of_second.push_back(times.second);
    return times.first;
  });
  if (of_first.empty()) return;
  of_second.erase(of_second.begin());  // of the sample that is not counted
  const std::string pair = "first=" + first.name + " second=" + second.name + " way=" + way;
  session.row("pair", pair + " part=first", "us", of_first);
  session.row("pair", pair + " part=second", "us", of_second);
  require_right(first);
  require_right(second);
}

void measure_alone(Session& session, const Streams& streams, const Work& work) {
  const Events events;
  session.row("alone", "name=" + work.name + " " + work.parameters, "us", session.repeat([&] {
    session.flush();
    return events.time(streams, work, nullptr).first;
  }));
}

Streams with_priorities(int first, int second) {
  Streams streams;
  require(cudaStreamCreateWithPriority(&streams.first, cudaStreamNonBlocking, first), "stream");
  require(cudaStreamCreateWithPriority(&streams.second, cudaStreamNonBlocking, second), "stream");
  return streams;
}

}  // namespace

void measure_pairs(Session& session) {
  int least = 0;
  int greatest = 0;
  require(cudaDeviceGetStreamPriorityRange(&least, &greatest), "priorities of streams");
  const Streams equal = with_priorities(least, least);
  const Streams unequal = with_priorities(least, greatest);
  const std::optional<GreenStreams> green = make_green_streams();
  const std::vector<Work> works = make_pair_works(session.sms(), session.quick());
  for (const Work& work : works) measure_alone(session, equal, work);
  for (std::size_t i = 0; i < works.size(); ++i) {
    const Work& first = works[i];
    const Work& second = works[(i + 1) % works.size()];
    measure_way(session, "streams", equal, first, second);
    measure_way(session, "priorities", unequal, first, second);
    if (green) measure_way(session, green->way.c_str(), {green->first, green->second}, first, second);
  }
}

}  // namespace harvest
