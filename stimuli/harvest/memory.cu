// Latencies of loads, and bandwidths by the number of SMs that read.

#include <algorithm>

#include "stimuli/harvest/parts.h"
#include "stimuli/harvest/works.h"

namespace harvest {

namespace {

constexpr double kNsPerUs = 1e3;

// The latency of a step is the difference between two numbers of steps: what a launch costs, and the first
// round through the ring, are in both.
void measure_latency(Session& session, const std::string& parameters, const Work& few, const Work& many,
                     unsigned more_steps, Caches caches) {
  session.row("latency", parameters, "ns", session.repeat([&] {
    const double least = session.time_us(few.launch, caches);
    return kNsPerUs * (session.time_us(many.launch, caches) - least) / more_steps;
  }));
  require_right(few);
  require_right(many);
}

void measure_latencies(Session& session) {
  const unsigned steps = session.quick() ? 256 : 16384;
  measure_latency(session, "memory=shared", make_shared_chase(steps), make_shared_chase(2 * steps), steps,
                  Caches::kWarm);
  const auto most = static_cast<unsigned>(std::min<std::size_t>(2 * session.l2_bytes(), 1U << 28U));
  for (unsigned footprint = 4096; footprint <= (session.quick() ? 16384 : most); footprint *= 2) {
    // One round, and then as many steps more as make a time that can be told apart.
    const unsigned round = footprint / kLineBytes;
    const unsigned more = session.quick() ? round : std::max(4096U, std::min(round, 65536U));
    measure_latency(session, "memory=global footprint=" + std::to_string(footprint),
                    make_pointer_chase(footprint, kLineBytes, round),
                    make_pointer_chase(footprint, kLineBytes, round + more), more, Caches::kWarm);
  }
  // Each line is read once, and L2 has none of them.
  const unsigned stride = 4 * kLineBytes;
  const unsigned half = session.quick() ? 64 : 4096;
  const unsigned footprint = 2 * half * stride;
  measure_latency(session, "memory=dram footprint=" + std::to_string(footprint),
                  make_pointer_chase(footprint, stride, half),
                  make_pointer_chase(footprint, stride, 2 * half), half, Caches::kCold);
}

void measure_bandwidth(Session& session, const char* memory, const Work& work, unsigned each, unsigned blocks,
                       Caches caches) {
  const double bytes = static_cast<double>(each) * blocks * sizeof(float4);
  session.row(
      "bandwidth",
      std::string("memory=") + memory + " sms=" + std::to_string(blocks) + " each=" + std::to_string(each),
      "GB/s", session.repeat([&] { return bytes / session.time_us(work.launch, caches) / kNsPerUs; }));
  require_right(work);
}

}  // namespace

void measure_memory(Session& session) {
  measure_latencies(session);
  // 1 MiB for each SM. In L2 all of them read the same quarter of it, which the launch before has left there.
  const unsigned each = session.quick() ? kStreamStep : 16 * kStreamStep;
  const auto in_l2 =
      static_cast<unsigned>(session.l2_bytes() / 4 / sizeof(float4) / kStreamStep * kStreamStep);
  const unsigned shared = std::max(kStreamStep, std::min(in_l2, 64 * kStreamStep));
  std::vector<unsigned> numbers;
  for (unsigned sms = 1; sms < session.sms(); sms *= 2) numbers.push_back(sms);
  numbers.push_back(session.sms());
  for (const unsigned sms : numbers) {
    measure_bandwidth(session, "dram", make_stream_read(each * sms, each, sms), each, sms, Caches::kCold);
    measure_bandwidth(session, "l2", make_stream_read(shared, each, sms), each, sms, Caches::kWarm);
  }
}

}  // namespace harvest
