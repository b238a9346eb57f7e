// This kernel computes one step of a fluid with the lattice Boltzmann method, with nineteen velocities
// (D3Q19) and one relaxation time. The populations stream in from the neighbours and then collide. The box is
// periodic, and solid cells reverse the populations (bounce-back).
//
// source, destination: float[19][depth][height][width], populations in the order of `velocities` below;
// destination is written. solid: uint8[depth][height][width], flags. omega: 1 / relaxation time in steps.
//
// Block: 64 x 1 x 1, along the width. Grid: ceil(width / 64) x height x depth. Deterministic.
//
// Host sequence: lattice_boltzmann `steps` times; source and destination are swapped after each.
//
// Source: Qian, d'Humieres and Lallemand, Lattice BGK Models for Navier-Stokes Equation, 1992.
#include "cuda.h"

constexpr int kVelocities = 19;

// Velocities 1 and 2, 3 and 4, ... are opposite to each other.
__constant__ int velocities[kVelocities][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                               {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                               {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                               {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};

HEDDLE_DEVICE float weight(int i) {
  return i == 0 ? 1.F / 3 : i < 7 ? 1.F / 18 : 1.F / 36;
}
HEDDLE_DEVICE int opposite(int i) {
  return i == 0 ? 0 : i % 2 == 1 ? i + 1 : i - 1;
}
HEDDLE_DEVICE int wrap(int at, int size) {
  return at < 0 ? at + size : at >= size ? at - size : at;
}

HEDDLE_KERNEL lattice_boltzmann(const float* source, float* destination, const uint8* solid, int width,
                                int height, int depth, float omega) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  const int z = static_cast<int>(blockIdx.z);
  if (x >= width) return;
  const int cells = width * height * depth;
  const int at = (z * height + y) * width + x;
  float populations[kVelocities];
  float density = 0;
  float flow[3] = {0, 0, 0};
#pragma unroll
  for (int i = 0; i < kVelocities; ++i) {
    const int* const v = velocities[i];
    const int from =
        (wrap(z - v[2], depth) * height + wrap(y - v[1], height)) * width + wrap(x - v[0], width);
    populations[i] = source[i * cells + from];
    density += populations[i];
    for (int axis = 0; axis < 3; ++axis) flow[axis] += populations[i] * static_cast<float>(v[axis]);
  }
  if (solid[at]) {
#pragma unroll
    for (int i = 0; i < kVelocities; ++i) destination[opposite(i) * cells + at] = populations[i];
    return;
  }
  for (float& component : flow) component /= density;
  const float energy = 1.5F * (flow[0] * flow[0] + flow[1] * flow[1] + flow[2] * flow[2]);
#pragma unroll
  for (int i = 0; i < kVelocities; ++i) {
    const int* const v = velocities[i];
    const float along = 3 * (static_cast<float>(v[0]) * flow[0] + static_cast<float>(v[1]) * flow[1] +
                             static_cast<float>(v[2]) * flow[2]);
    const float equilibrium = weight(i) * density * (1 + along + 0.5F * along * along - energy);
    destination[i * cells + at] = populations[i] + omega * (equilibrium - populations[i]);
  }
}
