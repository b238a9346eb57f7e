// What a launch costs, and what a block costs beside its work; and the clock of the SMs.

#include "scripts/harvest_program/parts.h"
#include "scripts/harvest_program/works.h"

namespace harvest {

namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Compares the clock of an SM with the timer of the GPU while all SMs are busy.
__global__ void compare_clocks(unsigned long long nanoseconds, unsigned long long* clocks) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  const long long first = clock64();
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  clocks[0] = static_cast<unsigned long long>(clock64() - first);
  clocks[1] = now - start;
}

void measure_clock(Session& session) {
  unsigned long long* clocks = nullptr;
  require(cudaMalloc(&clocks, 2 * sizeof(*clocks)), "memory for clocks");
  session.row("clock", "domain=core", "MHz", session.repeat([&] {
    compare_clocks<<<session.sms(), 32>>>(session.quick() ? 10000 : 5000000, clocks);
    unsigned long long found[2];
    require(cudaMemcpy(found, clocks, sizeof(found), cudaMemcpyDeviceToHost), "kernel that reads clocks");
    return 1e3 * static_cast<double>(found[0]) / static_cast<double>(found[1]);
  }));
  cudaFree(clocks);
}

}  // namespace

void measure_launches(Session& session) {
  measure_clock(session);
  const Work empty = make_multiply_add(1, 32, 0);
  const unsigned count = session.quick() ? 8 : 200;
  const auto launch_all = [&](cudaStream_t stream) {
    for (unsigned i = 0; i < count; ++i) empty.launch(stream);
  };
  session.row("launch", "part=call", "us", session.repeat([&] {  // the GPU is busy: the host alone
    hold(nullptr, 4000000);
    const Clock::time_point start = Clock::now();
    launch_all(nullptr);
    const double time = us_since(start) / count;
    require(cudaDeviceSynchronize(), "empty kernels");
    return time;
  }));
  session.row("launch", "part=queued", "us", session.repeat([&] {  // the host is done: the GPU alone
    hold(nullptr, 4000000);
    return session.time_us(launch_all, Caches::kWarm) / count;
  }));
  session.row("launch", "part=round_trip", "us", session.repeat([&] {
    require(cudaDeviceSynchronize(), "empty kernels");
    const Clock::time_point start = Clock::now();
    empty.launch(nullptr);
    require(cudaStreamSynchronize(nullptr), "empty kernel");
    return us_since(start);
  }));
  for (const unsigned threads : {32U, 256U})
    for (unsigned blocks = 1; blocks <= (session.quick() ? 16U : 65536U); blocks *= 4) {
      const Work many = make_multiply_add(blocks, threads, 0);
      session.row("dispatch", "blocks=" + std::to_string(blocks) + " threads=" + std::to_string(threads),
                  "us", session.repeat([&] { return session.time_us(many.launch, Caches::kWarm); }));
    }
}

}  // namespace harvest
