// Bodies that attract each other: tiles of positions in shared memory, an approximate reciprocal root, and
// several steps in time.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int kBodies = 128, kTile = 32;
constexpr float kSoft = 0.25f, kStep = 0.01f;

__global__ void move(const float4* from, float4* to, float4* velocities) {
  __shared__ float4 tile[kTile];
  const int i = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  const float4 own = from[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < kBodies; first += kTile) {
    tile[threadIdx.x] = from[first + threadIdx.x];
    __syncthreads();
    for (const float4& other : tile) {
      const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      const float inverse = rsqrt_approx(dx * dx + dy * dy + dz * dz + kSoft);
      const float pull = other.w * inverse * inverse * inverse;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    __syncthreads();
  }
  float4& v = velocities[i];
  v = {v.x + x * kStep, v.y + y * kStep, v.z + z * kStep, 0};
  to[i] = {own.x + v.x * kStep, own.y + v.y * kStep, own.z + v.z * kStep, own.w};
}

int main() {
  constexpr std::size_t kBytes = kBodies * sizeof(float4);
  std::vector<float4> bodies(kBodies), expected, next(kBodies), speeds(kBodies, {0, 0, 0, 0});
  for (int i = 0; i < kBodies; ++i)
    bodies[i] = {i * 37 % 64 / 32.0f, i * 53 % 64 / 32.0f, i * 71 % 64 / 32.0f, 1.0f + i % 3};
  expected = bodies;
  float4 *from, *to, *velocities;
  for (float4** device : {&from, &to, &velocities}) cudaMalloc(device, kBytes);
  cudaMemcpy(from, bodies.data(), kBytes, cudaMemcpyHostToDevice);
  cudaMemset(velocities, 0, kBytes);
  for (int step = 0; step < 3; ++step) {
    move<<<kBodies / kTile, kTile>>>(from, to, velocities);
    std::swap(from, to);
    for (int i = 0; i < kBodies; ++i) {
      const float4 own = expected[i];
      for (const float4& other : expected) {
        const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        const float pull = other.w * std::pow(dx * dx + dy * dy + dz * dz + kSoft, -1.5f) * kStep;
        speeds[i] = {speeds[i].x + dx * pull, speeds[i].y + dy * pull, speeds[i].z + dz * pull, 0};
      }
      next[i] = {own.x + speeds[i].x * kStep, own.y + speeds[i].y * kStep, own.z + speeds[i].z * kStep,
                 own.w};
    }
    expected.swap(next);
  }
  cudaMemcpy(bodies.data(), from, kBytes, cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kBodies; ++i)
    right = right && std::fabs(bodies[i].x - expected[i].x) < 1e-3f &&
            std::fabs(bodies[i].y - expected[i].y) < 1e-3f && std::fabs(bodies[i].z - expected[i].z) < 1e-3f;
  std::printf("bodies: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
