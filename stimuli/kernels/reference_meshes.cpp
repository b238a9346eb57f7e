#include "stimuli/kernels/reference_arguments.h"

#include <array>
#include <cmath>
#include <stdexcept>

namespace heddle::kernels::detail {
namespace {

constexpr double kGamma = 1.4;
constexpr double kViscosity = 0.2;
constexpr std::size_t kFaces = 4;
constexpr std::int32_t kWall = -1;

using Conserved = std::array<double, 5>;  // density, three components of momentum, energy
using Normal = std::array<double, 3>;

double inner_product(const Normal& a, const Normal& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct Gas {
  Conserved state;
  Normal velocity;
  double pressure;

  double fastest() const {
    return std::sqrt(inner_product(velocity, velocity)) + std::sqrt(kGamma * pressure / state[0]);
  }
};

Gas gas_of(const Conserved& state) {
  const Normal velocity = {state[1] / state[0], state[2] / state[0], state[3] / state[0]};
  const double kinetic = 0.5 * state[0] * inner_product(velocity, velocity);
  return {state, velocity, (kGamma - 1) * (state[4] - kinetic)};
}

// Returns what the gas transports through the area.
Conserved transported(const Gas& gas, const Normal& area) {
  const double flow = inner_product(gas.velocity, area);
  Conserved flux = {};
  for (std::size_t i = 0; i < flux.size(); ++i) flux[i] = flow * gas.state[i];
  for (std::size_t axis = 0; axis < area.size(); ++axis) flux[1 + axis] += gas.pressure * area[axis];
  flux[4] += flow * gas.pressure;
  return flux;
}

// Returns the flux from the gas on one side to that on the other.
Conserved between(const Gas& own, const Gas& other, const Normal& area, double viscosity) {
  const Conserved from = transported(own, area);
  const Conserved to = transported(other, area);
  const double speeds = own.fastest() + other.fastest();
  const double factor = viscosity * std::sqrt(inner_product(area, area)) * speeds;
  Conserved flux = {};
  for (std::size_t i = 0; i < flux.size(); ++i)
    flux[i] = (from[i] + to[i] - factor * (other.state[i] - own.state[i])) / 2;
  return flux;
}

void euler_flux(Buffers& buffers, const Scalars& scalars) {
  const std::size_t elements = count(scalars, "elements");
  const auto* const neighbors = view<std::int32_t>(buffers, "neighbors", kFaces * elements);
  const auto* const normals = view<float>(buffers, "normals", 3 * kFaces * elements);
  const auto* const states = view<float>(buffers, "states", 5 * elements);
  auto* const fluxes = view<float>(buffers, "fluxes", 5 * elements);
  const Gas stream = gas_of({real_double(scalars, "stream_density"), real_double(scalars, "stream_momentum"),
                             0, 0, real_double(scalars, "stream_energy")});
  const auto gas_at = [&](std::size_t i) {
    Conserved state = {};
    for (std::size_t j = 0; j < state.size(); ++j) state[j] = states[j * elements + i];
    return gas_of(state);
  };
  for (std::size_t i = 0; i < elements; ++i) {
    const Gas own = gas_at(i);
    Conserved change = {};
    for (std::size_t face = 0; face < kFaces; ++face) {
      Normal area = {};
      for (std::size_t axis = 0; axis < area.size(); ++axis)
        area[axis] = normals[(axis * kFaces + face) * elements + i];
      const std::int32_t neighbor = neighbors[face * elements + i];
      if (neighbor >= static_cast<std::int64_t>(elements))
        throw std::invalid_argument("a neighbor is not an element");
      Conserved flux = {0, own.pressure * area[0], own.pressure * area[1], own.pressure * area[2], 0};
      if (neighbor >= 0)
        flux = between(own, gas_at(static_cast<std::size_t>(neighbor)), area, kViscosity);
      else if (neighbor != kWall)
        flux = between(own, stream, area, 0);
      for (std::size_t j = 0; j < change.size(); ++j) change[j] -= flux[j];
    }
    for (std::size_t j = 0; j < change.size(); ++j) fluxes[j * elements + i] = static_cast<float>(change[j]);
  }
}

}  // namespace

std::vector<Reference> meshes() {
  return {{"euler_flux",
           euler_flux,
           {{"fluxes", Element::kFloat, kOfSums}},
           "single precision, and sums of values that nearly cancel each other"}};
}

}  // namespace heddle::kernels::detail
