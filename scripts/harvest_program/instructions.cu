// Instructions: cycles from one to a dependent one, and how many threads of an SM end one in a cycle, by the
// number of warps on the SM.

#include <algorithm>

#include "scripts/harvest_program/parts.h"

namespace harvest {

namespace {

constexpr unsigned kRounds = 16;
constexpr unsigned kUnrolled =
    128;                         // instructions of a chain in a round, so that the loop itself costs little
constexpr unsigned kChains = 4;  // independent chains where rates are measured
constexpr unsigned kWarpLanes = 32;
constexpr unsigned kMostWarps = 32;

// Each operation is one instruction of a thread, on a value and two others that the compiler does not know.
struct FusedMultiplyAdd {
  using Value = float;
  static __device__ void apply(Value& v, Value a, Value b) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b));
  }
};
struct Add {
  using Value = float;
  static __device__ void apply(Value& v, Value a, Value) {
    asm volatile("add.f32 %0, %0, %1;" : "+f"(v) : "f"(a));
  }
};
struct IntegerMultiplyAdd {
  using Value = int;
  static __device__ void apply(Value& v, Value a, Value b) {
    asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(v) : "r"(a), "r"(b));
  }
};
struct Logic {
  using Value = int;
  static __device__ void apply(Value& v, Value a, Value b) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(v) : "r"(a), "r"(b));
  }
};
struct DoubleMultiplyAdd {
  using Value = double;
  static __device__ void apply(Value& v, Value a, Value b) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(v) : "d"(a), "d"(b));
  }
};
struct HalfMultiplyAdd {
  using Value = unsigned;
  static __device__ void apply(Value& v, Value a, Value b) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(v) : "r"(a), "r"(b));
  }
};
struct Exponential {
  using Value = float;
  static __device__ void apply(Value& v, Value, Value) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
  }
};
struct ReciprocalRoot {
  using Value = float;
  static __device__ void apply(Value& v, Value, Value) {
    asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(v));
  }
};
struct Convert {
  using Value = int;
  static __device__ void apply(Value& v, Value, Value) {
    float f;
    asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(v));
    v = __float_as_int(f);
  }
};
struct CountBits {
  using Value = int;
  static __device__ void apply(Value& v, Value, Value) { asm volatile("popc.b32 %0, %0;" : "+r"(v)); }
};
struct Shuffle {
  using Value = int;
  static __device__ void apply(Value& v, Value, Value) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(v));
  }
};

// When each warp began and ended. Warps do not begin at once: the one that issued last goes on.
struct Span {
  unsigned start[kMostWarps];
  unsigned end[kMostWarps];
};

__device__ unsigned cycle() {
  return static_cast<unsigned>(clock64());
}

__device__ void keep(Span* span, unsigned start, unsigned end) {
  if (threadIdx.x % kWarpLanes != 0) return;
  span->start[threadIdx.x / kWarpLanes] = start;
  span->end[threadIdx.x / kWarpLanes] = end;
}

// Cycles from the first start to the last end.
double cycles_of(const Span* on_device, unsigned warps) {
  Span span;
  require(cudaMemcpy(&span, on_device, sizeof(span), cudaMemcpyDeviceToHost), "kernel of instructions");
  const unsigned first = *std::min_element(span.start, span.start + warps);
  return *std::max_element(span.end, span.end + warps) - first;
}

Span* new_span() {
  Span* span = nullptr;
  require(cudaMalloc(&span, sizeof(*span)), "memory of instructions");
  return span;
}

template <class Operation, unsigned kIndependent>
__global__ void run(typename Operation::Value a, typename Operation::Value b, Span* span,
                    typename Operation::Value* results) {
  using Value = typename Operation::Value;
  Value values[kIndependent];
  for (unsigned i = 0; i < kIndependent; ++i) values[i] = static_cast<Value>(threadIdx.x + i);
  for (unsigned i = 0; i < kIndependent; ++i) Operation::apply(values[i], a, b);  // code and units are warm
  __syncthreads();
  const unsigned start = cycle();
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < kUnrolled; ++i)
#pragma unroll
      for (unsigned chain = 0; chain < kIndependent; ++chain) Operation::apply(values[chain], a, b);
  keep(span, start, cycle());
  Value sum = values[0];
  for (unsigned i = 1; i < kIndependent; ++i) sum += values[i];
  results[threadIdx.x] = sum;
}

template <class Operation, unsigned kIndependent>
double cycles_of(unsigned warps) {
  using Value = typename Operation::Value;
  Span* const span = new_span();
  Value* results = nullptr;
  require(cudaMalloc(&results, warps * kWarpLanes * sizeof(*results)), "memory of instructions");
  // The second launch is taken: the first one fetches the code.
  for (unsigned i = 0; i < 2; ++i)
    run<Operation, kIndependent><<<1, warps * kWarpLanes>>>(Value(1), Value(1), span, results);
  const double cycles = cycles_of(span, warps);
  cudaFree(span);
  cudaFree(results);
  return cycles;
}

template <class Operation>
void measure(Session& session, const char* name) {
  const std::string operation = std::string("operation=") + name;
  session.row("instruction", operation + " measure=latency warps=1", "cycles",
              session.repeat([] { return cycles_of<Operation, 1>(1) / (kRounds * kUnrolled); }));
  for (const unsigned warps : {1U, 4U, 8U, 16U, 32U})
    session.row("throughput", operation + " warps=" + std::to_string(warps), "threads/cycle",
                session.repeat([&] {
                  const double operations = double{kRounds} * kUnrolled * kChains * warps * kWarpLanes;
                  return operations / cycles_of<Operation, kChains>(warps);
                }));
}

// Warps of one chain each: how the schedulers share their warps.
void measure_staircase(Session& session) {
  const unsigned most = session.quick() ? 4 : 32;
  for (unsigned warps = 1; warps <= most; ++warps)
    session.row(
        "instruction", "operation=fma measure=round warps=" + std::to_string(warps), "cycles",
        session.repeat([&] { return cycles_of<FusedMultiplyAdd, 1>(warps) / (kRounds * kUnrolled); }));
}

// A barrier of all warps of a block, one behind the other.
__global__ void wait_for_all(Span* span) {
  __syncthreads();
  const unsigned start = cycle();
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < kUnrolled; ++i) __syncthreads();
  keep(span, start, cycle());
}

void measure_barrier(Session& session) {
  Span* const span = new_span();
  for (const unsigned warps : {1U, 4U, 8U, 16U, 32U})
    session.row("instruction", "operation=barrier measure=round warps=" + std::to_string(warps), "cycles",
                session.repeat([&] {
                  wait_for_all<<<1, warps * kWarpLanes>>>(span);
                  return cycles_of(span, warps) / (kRounds * kUnrolled);
                }));
  cudaFree(span);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
// D = A B + D of 16 x 8 x 16 in half precision with sums in single precision, one instruction of a warp.
__device__ void multiply_tiles(float (&d)[4], unsigned a, unsigned b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a), "r"(b));
}
#else
__device__ void multiply_tiles(float (&)[4], unsigned, unsigned) {}
#endif

template <unsigned kIndependent>
__global__ void multiply_all_tiles(unsigned a, unsigned b, Span* span, float* results) {
  float d[kIndependent][4];
  for (auto& tile : d)
    for (float& value : tile) value = threadIdx.x;
  for (auto& tile : d) multiply_tiles(tile, a, b);
  __syncthreads();
  const unsigned start = cycle();
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round)
#pragma unroll
    for (unsigned i = 0; i < kUnrolled; ++i)
#pragma unroll
      for (auto& tile : d) multiply_tiles(tile, a, b);
  keep(span, start, cycle());
  float sum = 0;
  for (auto& tile : d) sum += tile[0] + tile[1] + tile[2] + tile[3];
  results[threadIdx.x] = sum;
}

template <unsigned kIndependent>
double cycles_of_tiles(unsigned warps, Span* span, float* results) {
  for (unsigned i = 0; i < 2; ++i)
    multiply_all_tiles<kIndependent><<<1, warps * kWarpLanes>>>(0, 0, span, results);
  return cycles_of(span, warps);
}

void measure_tiles(Session& session) {
  int major = 0;
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "compute capability");
  if (major < 8) return;
  Span* const span = new_span();
  float* results = nullptr;
  require(cudaMalloc(&results, 1024 * sizeof(*results)), "memory of tiles");
  session.row("instruction", "operation=mma_m16n8k16_f16 measure=latency warps=1", "cycles",
              session.repeat([&] { return cycles_of_tiles<1>(1, span, results) / (kRounds * kUnrolled); }));
  constexpr double kOperations = 2.0 * 16 * 8 * 16;
  for (const unsigned warps : {1U, 4U, 8U, 16U, 32U})
    session.row("tensor", "operation=mma_m16n8k16_f16 warps=" + std::to_string(warps), "flop/cycle",
                session.repeat([&] {
                  return kOperations * kRounds * kUnrolled * kChains * warps /
                         cycles_of_tiles<kChains>(warps, span, results);
                }));
  cudaFree(span);
  cudaFree(results);
}

}  // namespace

void measure_instructions(Session& session) {
  measure<FusedMultiplyAdd>(session, "fma");
  measure<Add>(session, "add");
  measure<IntegerMultiplyAdd>(session, "integer_multiply_add");
  measure<Logic>(session, "logic");
  measure<DoubleMultiplyAdd>(session, "double_fma");
  measure<HalfMultiplyAdd>(session, "half2_fma");
  measure<Exponential>(session, "exp2");
  measure<ReciprocalRoot>(session, "rsqrt");
  measure<Convert>(session, "convert");
  measure<CountBits>(session, "count_bits");
  measure<Shuffle>(session, "shuffle");
  measure_staircase(session);
  measure_barrier(session);
  measure_tiles(session);
}

}  // namespace harvest
