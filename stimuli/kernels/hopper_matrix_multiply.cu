// This kernel computes the matrix product c = a * transposed b of half-precision numbers with the units that
// an SM has since compute capability 9.0. One thread has tiles of a and b copied to shared memory as boxes of
// tensors, in stages. Two warpgroups of four warps each multiply tiles by wgmma; a third one has the thread
// that copies, and passes registers on to them. A block computes 128 x 256 elements.
//
// a: half[m][k], b: half[n][k], as tensors with boxes of 64 x 128 and 64 x 256 elements and a swizzle of
// 128 bytes. c: float[m][n], row by row; c is written.
//
// hopper_matrix_multiply_pairs does the same with clusters of two blocks, one above the other in c. They have
// the tile of b in common: each of them copies one half of it to the shared memory of both. The boxes of b
// are 64 x 128 elements then.
//
// Block: 384 x 1 x 1. Grid: ceil(n / 256) x ceil(m / 128), an even number of rows of blocks with pairs.
// Shared memory: kStages stages. Deterministic.
//
// Host sequence: one of the two once.
//
// Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions", "Tensors" and "Cluster of
// Cooperative Thread Arrays".
#include "cuda.h"

constexpr unsigned kRows = 128;     // of c, of a block
constexpr unsigned kColumns = 256;  // of c, of a block
constexpr unsigned kDepth = 64;     // of a stage
constexpr unsigned kStages = 4;
constexpr unsigned kGroup = 128;       // threads of a warpgroup
constexpr unsigned kCopyingGroup = 2;  // its number
constexpr unsigned kHalf = 2;          // bytes of an element of a and b
constexpr unsigned kBytesOfA = kRows * kDepth * kHalf;
constexpr unsigned kBytesOfB = kColumns * kDepth * kHalf;
constexpr unsigned kStageBytes = kBytesOfA + kBytesOfB;

struct alignas(64) TensorMap {
  uint64 words[16];
};

HEDDLE_DEVICE unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
HEDDLE_DEVICE void init_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
HEDDLE_DEVICE void expect_bytes(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
HEDDLE_DEVICE void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
HEDDLE_DEVICE void wait(unsigned barrier, unsigned parity) {
  unsigned complete = 0;
  while (complete == 0)
    asm volatile(
        "{.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;}\n"
        : "=r"(complete)
        : "r"(barrier), "r"(parity)
        : "memory");
}
// Arrives at the barrier that block `rank` of the cluster has at this address.
HEDDLE_DEVICE void arrive_at(unsigned barrier, unsigned rank) {
  asm volatile(
      "{.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];}\n" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
HEDDLE_DEVICE unsigned rank_in_cluster() {
  unsigned rank = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
HEDDLE_DEVICE void synchronise_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Copies the box at (depth, line) of a matrix.
HEDDLE_DEVICE void load_box(unsigned to, const TensorMap& map, unsigned depth, unsigned line,
                            unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" ::"r"(to),
      "l"(&map), "r"(depth), "r"(line), "r"(barrier)
      : "memory");
}
// Does so to the same addresses of the two blocks of a cluster.
HEDDLE_DEVICE void load_box_to_both(unsigned to, const TensorMap& map, unsigned depth, unsigned line,
                                    unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(depth), "r"(line), "r"(barrier), "h"(static_cast<unsigned short>(3))
      : "memory");
}
// Returns the descriptor of a tile whose lines are k-major and swizzled by 128 bytes.
HEDDLE_DEVICE uint64 descriptor(unsigned address) {
  constexpr uint64 kSwizzle128 = uint64{1} << 62;
  constexpr uint64 kStride = uint64{1024 >> 4} << 32;  // from 8 lines to the next 8
  return kSwizzle128 | kStride | (uint64{1} << 16) | (address >> 4);
}

#define SUMS_8(i)                                                                            \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
      "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
// sums = a * b + sums of 64 x 256 elements and a depth of 16; sums = a * b where `adds` is 0.
HEDDLE_DEVICE void multiply(float (&sums)[128], uint64 a, uint64 b, int adds) {
  asm volatile(
      "{.reg .pred p;\n"
      "setp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, 0;}\n"
      : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56),
        SUMS_8(64), SUMS_8(72), SUMS_8(80), SUMS_8(88), SUMS_8(96), SUMS_8(104), SUMS_8(112), SUMS_8(120)
      : "l"(a), "l"(b), "r"(adds));
}

template <bool kPairs>
HEDDLE_DEVICE void copy_tiles(const TensorMap& a, const TensorMap& b, unsigned stages, const uint64* full,
                              const uint64* empty, unsigned turns) {
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned stage = turn % kStages;
    const unsigned barrier = shared_address(full + stage);
    wait(shared_address(empty + stage), (turn / kStages + 1) % 2);
    expect_bytes(barrier, kStageBytes);
    load_box(stages + stage * kStageBytes, a, turn * kDepth, blockIdx.y * kRows, barrier);
    const unsigned tile_of_b = stages + stage * kStageBytes + kBytesOfA;
    if (kPairs) {
      const unsigned rank = rank_in_cluster();
      load_box_to_both(tile_of_b + rank * (kBytesOfB / 2), b, turn * kDepth,
                       blockIdx.x * kColumns + rank * (kColumns / 2), barrier);
    } else {
      load_box(tile_of_b, b, turn * kDepth, blockIdx.x * kColumns, barrier);
    }
  }
}

template <bool kPairs>
HEDDLE_DEVICE void multiply_tiles(float (&sums)[128], unsigned group, unsigned stages, const uint64* full,
                                  const uint64* empty, unsigned turns) {
  constexpr unsigned kProductDepth = 16;
  constexpr unsigned kUnits = kProductDepth * kHalf / 16;  // of a descriptor, from one product to the next
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned stage = turn % kStages;
    wait(shared_address(full + stage), turn / kStages % 2);
    const unsigned tile = stages + stage * kStageBytes;
    const uint64 a = descriptor(tile + group * (kBytesOfA / 2));
    const uint64 b = descriptor(tile + kBytesOfA);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned step = 0; step < kDepth / kProductDepth; ++step)
      multiply(sums, a + step * kUnits, b + step * kUnits, turn + step == 0 ? 0 : 1);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // The products of this turn go on, and those of the turn before have read their tiles.
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (turn > 0 && threadIdx.x % kGroup == 0) {
      const unsigned read = shared_address(empty + (turn - 1) % kStages);
      if (kPairs)
        for (unsigned rank = 0; rank < 2; ++rank) arrive_at(read, rank);
      else
        arrive(read);
    }
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// `full` has a barrier for each stage at which its bytes arrive when it has been copied, and `empty` one at
// which the warpgroups arrive when they have read it.
template <bool kPairs>
HEDDLE_DEVICE void compute(const TensorMap& a, const TensorMap& b, float* c, unsigned m, unsigned n,
                           unsigned k, const uint8* tiles, const uint64* full, const uint64* empty) {
  if (threadIdx.x == 0)
    for (unsigned i = 0; i < kStages; ++i) {
      init_barrier(shared_address(full + i), 1);
      init_barrier(shared_address(empty + i), kPairs ? 4 : 2);
    }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (kPairs) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    synchronise_cluster();
  } else {
    __syncthreads();
  }
  const unsigned group = threadIdx.x / kGroup;
  const unsigned turns = (k + kDepth - 1) / kDepth;
  if (group == kCopyingGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x % kGroup == 0) copy_tiles<kPairs>(a, b, shared_address(tiles), full, empty, turns);
    if (kPairs) synchronise_cluster();
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float sums[128];
#pragma unroll
  for (unsigned i = 0; i < 128; ++i) sums[i] = 0;
  multiply_tiles<kPairs>(sums, group, shared_address(tiles), full, empty, turns);
  // No block ends while the other one may still arrive at its barriers.
  if (kPairs) synchronise_cluster();
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = blockIdx.y * kRows + group * 64 + threadIdx.x % kGroup / 32 * 16 + lane / 4;
#pragma unroll
  for (unsigned i = 0; i < 128; i += 2) {
    const unsigned r = row + i / 2 % 2 * 8;
    const unsigned column = blockIdx.x * kColumns + i / 4 * 8 + lane % 4 * 2;
    if (r < m && column < n)
      *reinterpret_cast<float2*>(c + r * n + column) = make_float2(sums[i], sums[i + 1]);
  }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    hopper_matrix_multiply(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c,
                           unsigned m, unsigned n, unsigned k) {
  extern __shared__ __align__(1024) uint8 tiles[];
  __shared__ uint64 full[kStages];
  __shared__ uint64 empty[kStages];
  compute<false>(a, b, c, m, n, k, tiles, full, empty);
}

extern "C" __global__ void __launch_bounds__(384, 1) __cluster_dims__(1, 2, 1)
    hopper_matrix_multiply_pairs(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                                 float* c, unsigned m, unsigned n, unsigned k) {
  extern __shared__ __align__(1024) uint8 tiles[];
  __shared__ uint64 full[kStages];
  __shared__ uint64 empty[kStages];
  compute<true>(a, b, c, m, n, k, tiles, full, empty);
}
