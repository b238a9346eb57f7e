// This kernel computes the flux of the Euler equations of a compressible gas into each element of an
// unstructured mesh: central differences with artificial viscosity.
//
// neighbors: int[4][elements], the element behind each face; -1 at a wall, -2 where the free stream is.
// normals: float[3][4][elements], x, y and z of the area vectors of the faces, which point outwards. states:
// float[5][elements], density, three components of momentum, and energy. fluxes: float[5][elements], written:
// the change of these five in the element and a unit of time. stream_density, stream_momentum, stream_energy:
// the free stream, which flows in direction x.
//
// Block: 192 x 1 x 1. Grid: ceil(elements / 192). Deterministic.
//
// Host sequence: euler_flux.
//
// Source: Jameson, Schmidt and Turkel, Numerical Solution of the Euler Equations by Finite Volume Methods,
// AIAA 81-1259, 1981. Layout of the data: Corrigan, Camelli, Loehner and Wallin, Running Unstructured
// Grid-based CFD Solvers on Modern Graphics Hardware, 2011.
#include "cuda.h"

constexpr unsigned kBlock = 192;
constexpr unsigned kFaces = 4;
constexpr float kGamma = 1.4F;  // ratio of the specific heats of air
constexpr float kViscosity = 0.2F;

struct Vector {
  float x, y, z;
};

struct State {
  float density;
  Vector momentum;
  float energy;
};

struct Gas {
  State state;
  Vector velocity;
  float pressure;
  float fastest;  // speed plus speed of sound
};

HEDDLE_DEVICE float inner(const Vector& a, const Vector& b) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

HEDDLE_DEVICE State state_of(const float* states, unsigned elements, unsigned i) {
  return {states[i],
          {states[i + elements], states[i + 2 * elements], states[i + 3 * elements]},
          states[i + 4 * elements]};
}

HEDDLE_DEVICE Gas gas_of(const State& state) {
  Gas gas;
  gas.state = state;
  gas.velocity = {state.momentum.x / state.density, state.momentum.y / state.density,
                  state.momentum.z / state.density};
  const float square = inner(gas.velocity, gas.velocity);
  gas.pressure = (kGamma - 1) * (state.energy - 0.5F * state.density * square);
  gas.fastest = sqrtf(square) + sqrtf(kGamma * gas.pressure / state.density);
  return gas;
}

// Adds `share` of what the gas transports through the face.
HEDDLE_DEVICE void transport(const Gas& gas, const Vector& normal, float share, State& flux) {
  const float flow = share * inner(gas.velocity, normal);
  const float push = share * gas.pressure;
  flux.density = fmaf(flow, gas.state.density, flux.density);
  flux.momentum.x += fmaf(flow, gas.state.momentum.x, push * normal.x);
  flux.momentum.y += fmaf(flow, gas.state.momentum.y, push * normal.y);
  flux.momentum.z += fmaf(flow, gas.state.momentum.z, push * normal.z);
  flux.energy = fmaf(flow, gas.state.energy + gas.pressure, flux.energy);
}

// Adds `factor` times the difference of the states.
HEDDLE_DEVICE void diffuse(const State& from, const State& to, float factor, State& flux) {
  flux.density = fmaf(factor, from.density - to.density, flux.density);
  flux.momentum.x = fmaf(factor, from.momentum.x - to.momentum.x, flux.momentum.x);
  flux.momentum.y = fmaf(factor, from.momentum.y - to.momentum.y, flux.momentum.y);
  flux.momentum.z = fmaf(factor, from.momentum.z - to.momentum.z, flux.momentum.z);
  flux.energy = fmaf(factor, from.energy - to.energy, flux.energy);
}

HEDDLE_KERNEL euler_flux(const int* neighbors, const float* normals, const float* states, float* fluxes,
                         unsigned elements, float stream_density, float stream_momentum,
                         float stream_energy) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= elements) return;
  const Gas own = gas_of(state_of(states, elements, i));
  State flux = {0, {0, 0, 0}, 0};
#pragma unroll
  for (unsigned face = 0; face < kFaces; ++face) {
    const int neighbor = neighbors[i + face * elements];
    const Vector normal = {normals[i + face * elements], normals[i + (face + kFaces) * elements],
                           normals[i + (face + 2 * kFaces) * elements]};
    if (neighbor >= 0) {
      const Gas other = gas_of(state_of(states, elements, static_cast<unsigned>(neighbor)));
      const float area = sqrtf(inner(normal, normal));
      diffuse(other.state, own.state, 0.5F * kViscosity * area * (own.fastest + other.fastest), flux);
      transport(own, normal, -0.5F, flux);
      transport(other, normal, -0.5F, flux);
    } else if (neighbor == -1) {
      flux.momentum.x -= own.pressure * normal.x;
      flux.momentum.y -= own.pressure * normal.y;
      flux.momentum.z -= own.pressure * normal.z;
    } else {
      transport(own, normal, -0.5F, flux);
      transport(gas_of({stream_density, {stream_momentum, 0, 0}, stream_energy}), normal, -0.5F, flux);
    }
  }
  fluxes[i] = flux.density;
  fluxes[i + elements] = flux.momentum.x;
  fluxes[i + 2 * elements] = flux.momentum.y;
  fluxes[i + 3 * elements] = flux.momentum.z;
  fluxes[i + 4 * elements] = flux.energy;
}
