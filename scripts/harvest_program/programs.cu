// Programs of dense linear algebra and stencils, as the PolyBench suite has them: a thread for each element
// of the result, no shared memory. Data lie in L2 where they fit, because the launch before has left them
// there.
//
// Source of the computations: Pouchet, PolyBench/C; the forms are the plain ones of the formulas.

#include <cmath>

#include "scripts/harvest_program/parts.h"

namespace harvest {

namespace {

// The stream is held for this time for each launch, so that the host has called them all before.
constexpr unsigned long long kHeldCycles = 40000;

struct Vectors {
  float* of[5];  // A, B, C, D, E
  float* vector[4];
};

__device__ unsigned column() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ unsigned row_of_thread() {
  return blockIdx.y * blockDim.y + threadIdx.y;
}

// product = a b, in memory at each step, as the C code has it.
__global__ void multiply(float* a, float* b, float* product, unsigned n) {
  const unsigned j = column();
  const unsigned i = row_of_thread();
  if (i >= n || j >= n) return;
  product[i * n + j] = 0;
  for (unsigned k = 0; k < n; ++k) product[i * n + j] += a[i * n + k] * b[k * n + j];
}

// c = 0.5 a b + 0.5 c.
__global__ void gemm(float* a, float* b, float* c, unsigned n) {
  const unsigned j = column();
  const unsigned i = row_of_thread();
  if (i >= n || j >= n) return;
  c[i * n + j] *= 0.5F;
  for (unsigned k = 0; k < n; ++k) c[i * n + j] += 0.5F * a[i * n + k] * b[k * n + j];
}

// c = 0.5 a a^T + 0.5 c.
__global__ void syrk(float* a, float* c, unsigned n) {
  const unsigned j = column();
  const unsigned i = row_of_thread();
  if (i >= n || j >= n) return;
  c[i * n + j] *= 0.5F;
  for (unsigned k = 0; k < n; ++k) c[i * n + j] += 0.5F * a[i * n + k] * a[j * n + k];
}

// y = a x, a thread a row.
__global__ void rows_by_vector(float* a, float* x, float* y, unsigned n) {
  const unsigned i = column();
  if (i >= n) return;
  for (unsigned j = 0; j < n; ++j) y[i] += a[i * n + j] * x[j];
}

// y = a^T x, a thread a column.
__global__ void columns_by_vector(float* a, float* x, float* y, unsigned n) {
  const unsigned j = column();
  if (j >= n) return;
  for (unsigned i = 0; i < n; ++i) y[j] += a[i * n + j] * x[i];
}

// y = 0.5 a x + 0.5 b x, with both sums in memory.
__global__ void gesummv(float* a, float* b, float* x, float* sum, float* y, unsigned n) {
  const unsigned i = column();
  if (i >= n) return;
  for (unsigned j = 0; j < n; ++j) {
    sum[i] += a[i * n + j] * x[j];
    y[i] += b[i * n + j] * x[j];
  }
  y[i] = 0.5F * sum[i] + 0.5F * y[i];
}

__global__ void convolution_2d(float* a, float* b, unsigned n) {
  const unsigned j = column();
  const unsigned i = row_of_thread();
  if (i == 0 || j == 0 || i + 1 >= n || j + 1 >= n) return;
  float sum = 0;
  for (unsigned y = 0; y < 3; ++y)
    for (unsigned x = 0; x < 3; ++x) sum += (0.1F * y - 0.2F * x + 0.3F) * a[(i + y - 1) * n + j + x - 1];
  b[i * n + j] = sum;
}

// One plane of a cube.
__global__ void convolution_3d(float* a, float* b, unsigned n, unsigned plane) {
  const unsigned k = column();
  const unsigned j = row_of_thread();
  if (k == 0 || j == 0 || k + 1 >= n || j + 1 >= n) return;
  const unsigned at = (plane * n + j) * n + k;
  const unsigned p = n * n;
  b[at] = 2 * a[at - p - n - 1] + 4 * a[at + p - n - 1] + 5 * a[at - p - n] + 7 * a[at + p - n] -
          8 * a[at - p - n + 1] + 10 * a[at + p - n + 1] - 3 * a[at - n] + 6 * a[at] - 9 * a[at + n] +
          2 * a[at - p + n - 1] + 4 * a[at + p + n + 1];
}

struct Program {
  const char* name;
  unsigned launches;    // of a run; 0: one for each inner plane
  unsigned dimensions;  // of a grid
  void (*run)(const Vectors& v, unsigned n, dim3 grid, dim3 block);
};

constexpr Program kPrograms[] = {
    {"gemm", 1, 2,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) { gemm<<<g, b>>>(v.of[0], v.of[1], v.of[2], n); }},
    {"2mm", 2, 2,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) {
       multiply<<<g, b>>>(v.of[0], v.of[1], v.of[2], n);
       multiply<<<g, b>>>(v.of[2], v.of[3], v.of[4], n);
     }},
    {"3mm", 3, 2,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) {
       multiply<<<g, b>>>(v.of[0], v.of[1], v.of[2], n);
       multiply<<<g, b>>>(v.of[1], v.of[3], v.of[4], n);
       multiply<<<g, b>>>(v.of[2], v.of[4], v.of[3], n);
     }},
    {"syrk", 1, 2, [](const Vectors& v, unsigned n, dim3 g, dim3 b) { syrk<<<g, b>>>(v.of[0], v.of[2], n); }},
    {"atax", 2, 1,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) {
       rows_by_vector<<<g, b>>>(v.of[0], v.vector[0], v.vector[1], n);
       columns_by_vector<<<g, b>>>(v.of[0], v.vector[1], v.vector[2], n);
     }},
    {"bicg", 2, 1,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) {
       columns_by_vector<<<g, b>>>(v.of[0], v.vector[0], v.vector[1], n);
       rows_by_vector<<<g, b>>>(v.of[0], v.vector[2], v.vector[3], n);
     }},
    {"mvt", 2, 1,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) {
       rows_by_vector<<<g, b>>>(v.of[0], v.vector[0], v.vector[1], n);
       columns_by_vector<<<g, b>>>(v.of[0], v.vector[2], v.vector[3], n);
     }},
    {"gesummv", 1, 1,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) {
       gesummv<<<g, b>>>(v.of[0], v.of[1], v.vector[0], v.vector[1], v.vector[2], n);
     }},
    {"2dconv", 1, 2,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) { convolution_2d<<<g, b>>>(v.of[0], v.of[1], n); }},
    {"3dconv", 0, 2,
     [](const Vectors& v, unsigned n, dim3 g, dim3 b) {
       for (unsigned plane = 1; plane + 1 < n; ++plane) convolution_3d<<<g, b>>>(v.of[0], v.of[1], n, plane);
     }},
};

float* zeros(std::size_t count) {
  float* at = nullptr;
  require(cudaMalloc(&at, count * sizeof(float)), "memory of programs");
  require(cudaMemset(at, 0, count * sizeof(float)), "memory of programs");
  return at;
}

void measure(Session& session, const Program& program, unsigned n, unsigned block_x) {
  if (session.is_over()) return;
  const bool is_cube = program.launches == 0;
  Vectors v{};
  for (float*& array : v.of) array = zeros(std::size_t{n} * n * (is_cube ? n : 1));
  for (float*& vector : v.vector) vector = zeros(n);
  const unsigned block_y = program.dimensions == 2 ? 8 : 1;
  const dim3 block(block_x, block_y);
  const dim3 grid((n + block_x - 1) / block_x, program.dimensions == 2 ? (n + block_y - 1) / block_y : 1);
  const unsigned launches = is_cube ? n - 2 : program.launches;
  session.row("program",
              std::string("name=") + program.name + " size=" + std::to_string(n) +
                  " block_x=" + std::to_string(block_x) + " launches=" + std::to_string(launches),
              "us", session.repeat([&] {
                return session.time_us(
                    [&](cudaStream_t) {
                      program.run(v, n, grid, block);
                      require(cudaGetLastError(), "launch of a program");
                    },
                    Caches::kWarm, kHeldCycles * launches);
              }));
  for (float* array : v.of) cudaFree(array);
  for (float* vector : v.vector) cudaFree(vector);
}

}  // namespace

void measure_programs(Session& session) {
  for (const Program& program : kPrograms) {
    const bool is_cube = program.launches == 0;
    for (const unsigned n : {32U, 64U, 96U, 128U, 256U, 512U, 1024U, 2048U}) {
      if (session.quick() && n > 32) break;
      if (is_cube && n > 256) break;
      for (const unsigned block_x : {8U, 16U, 32U}) measure(session, program, n, block_x);
    }
  }
}

}  // namespace harvest
