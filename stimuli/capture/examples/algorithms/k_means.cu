// k-means over points with whole coordinates: a kernel gives each point its nearest centre and adds it to the
// sums of that centre by atomics, and the host moves the centres until none moves.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kPoints = 600, kCentres = 5;

struct Point {
  int x, y;
};
struct Sums {
  int x, y, count;
};

__host__ __device__ int nearest(Point point, const Point* centres) {
  int best = 0, least = 2147483647;
  for (int c = 0; c < kCentres; ++c) {
    const int x = point.x - centres[c].x, y = point.y - centres[c].y;
    if (x * x + y * y >= least) continue;
    least = x * x + y * y;
    best = c;
  }
  return best;
}

__global__ void assign(const Point* points, const Point* centres, Sums* sums) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kPoints) return;
  Sums& sum = sums[nearest(points[i], centres)];
  atomicAdd(&sum.x, points[i].x);
  atomicAdd(&sum.y, points[i].y);
  atomicAdd(&sum.count, 1);
}

bool move(Point* centres, const Sums* sums) {
  bool moved = false;
  for (int c = 0; c < kCentres; ++c) {
    if (sums[c].count == 0) continue;
    const Point next = {sums[c].x / sums[c].count, sums[c].y / sums[c].count};
    moved = moved || next.x != centres[c].x || next.y != centres[c].y;
    centres[c] = next;
  }
  return moved;
}

int main() {
  std::vector<Point> points(kPoints);
  for (int i = 0; i < kPoints; ++i) points[i] = {i % 5 * 200 + i * 37 % 90, i % 3 * 150 + i * 53 % 80};
  Point centres[kCentres], expected[kCentres];
  for (int c = 0; c < kCentres; ++c) centres[c] = expected[c] = points[c * 7];
  Point *device_points, *device_centres;
  Sums *device_sums, sums[kCentres];
  cudaMalloc(&device_points, kPoints * sizeof(Point));
  cudaMalloc(&device_centres, sizeof centres);
  cudaMalloc(&device_sums, sizeof sums);
  cudaMemcpy(device_points, points.data(), kPoints * sizeof(Point), cudaMemcpyHostToDevice);
  do {
    cudaMemcpy(device_centres, centres, sizeof centres, cudaMemcpyHostToDevice);
    cudaMemset(device_sums, 0, sizeof sums);
    assign<<<(kPoints + 63) / 64, 64>>>(device_points, device_centres, device_sums);
    cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost);
  } while (move(centres, sums));
  do {
    for (Sums& sum : sums) sum = {0, 0, 0};
    for (const Point& point : points) {
      Sums& sum = sums[nearest(point, expected)];
      sum = {sum.x + point.x, sum.y + point.y, sum.count + 1};
    }
  } while (move(expected, sums));
  bool right = cudaGetLastError() == cudaSuccess;
  for (int c = 0; c < kCentres; ++c)
    right = right && centres[c].x == expected[c].x && centres[c].y == expected[c].y;
  std::printf("k_means: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
