// Connected regions of a maze: every cell takes the lowest number among its neighbours' until none changes,
// which a flag on the device tells the host.
//
//   flood [SIDE]

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void spread(const int* walls, const int* from, int* to, int* changed, int side) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= side || y >= side) return;
  const int cell = y * side + x;
  int lowest = from[cell];
  if (walls[cell] == 0) {
    if (x > 0 && walls[cell - 1] == 0 && from[cell - 1] < lowest) lowest = from[cell - 1];
    if (x + 1 < side && walls[cell + 1] == 0 && from[cell + 1] < lowest) lowest = from[cell + 1];
    if (y > 0 && walls[cell - side] == 0 && from[cell - side] < lowest) lowest = from[cell - side];
    if (y + 1 < side && walls[cell + side] == 0 && from[cell + side] < lowest) lowest = from[cell + side];
  }
  to[cell] = lowest;
  if (lowest != from[cell]) *changed = 1;
}

// The same, one cell at a time from a stack.
std::vector<int> regions(const std::vector<int>& walls, int side) {
  std::vector<int> region(walls.size(), -1);
  for (int start = 0; start < side * side; ++start) {
    if (region[start] >= 0) continue;
    region[start] = start;
    std::vector<int> stack(walls[start] == 0 ? 1 : 0, start);
    while (!stack.empty()) {
      const int cell = stack.back();
      stack.pop_back();
      const int x = cell % side;
      const int next[] = {x > 0 ? cell - 1 : -1, x + 1 < side ? cell + 1 : -1, cell - side, cell + side};
      for (const int other : next) {
        if (other < 0 || other >= side * side || walls[other] != 0 || region[other] >= 0) continue;
        region[other] = start;
        stack.push_back(other);
      }
    }
  }
  return region;
}

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 24;
  const int cells = side * side;
  const std::size_t bytes = cells * sizeof(int);
  std::vector<int> walls(cells), numbers(cells);
  unsigned random = 1;
  for (int i = 0; i < cells; ++i) {
    random = random * 1664525u + 1013904223u;
    walls[i] = (random >> 16) % 3 == 0;
    numbers[i] = i;
  }

  int *device_walls, *from, *to, *changed;
  cudaMalloc(&device_walls, bytes);
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  cudaMalloc(&changed, sizeof(int));
  cudaMemcpy(device_walls, walls.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(from, numbers.data(), bytes, cudaMemcpyHostToDevice);

  const dim3 block(16, 8);
  const dim3 grid((side + 15) / 16, (side + 7) / 8);
  int rounds = 0;
  for (int more = 1; more != 0; ++rounds) {
    cudaMemset(changed, 0, sizeof(int));
    spread<<<grid, block>>>(device_walls, from, to, changed, side);
    cudaMemcpy(&more, changed, sizeof(int), cudaMemcpyDeviceToHost);
    int* const last = from;
    from = to;
    to = last;
  }
  cudaMemcpy(numbers.data(), from, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_walls);
  cudaFree(from);
  cudaFree(to);
  cudaFree(changed);
  const bool right = cudaGetLastError() == cudaSuccess && numbers == regions(walls, side);
  std::printf("flood: %d rounds, %s\n", rounds, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
