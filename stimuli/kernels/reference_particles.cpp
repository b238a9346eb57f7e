#include "stimuli/kernels/reference_arguments.h"

#include <cmath>
#include <stdexcept>

namespace heddle::kernels::detail {
namespace {

struct Mass {  // position and mass of a body, or position and charge of an atom
  float x, y, z, w;
};

struct Tree {
  std::size_t bodies;
  const Mass* masses;
  const Mass* centers;
  const float* widths;
  const std::int32_t* children;
  float opening;
  double softening;
};

struct Acceleration {
  double x = 0, y = 0, z = 0;
};

// Returns whether a cell is opened. The decision is made in single precision, as in the kernel, because a
// cell at the limit could otherwise be decided differently.
bool is_opened(const Tree& tree, std::size_t cell, float dx, float dy, float dz) {
  const float squared = std::fma(dx, dx, std::fma(dy, dy, dz * dz));
  return tree.widths[cell] * tree.widths[cell] >= tree.opening * tree.opening * squared;
}

void pull(const Tree& tree, std::size_t node, const Mass& body, Acceleration& sum) {
  const bool is_cell = node >= tree.bodies;
  const Mass& mass = is_cell ? tree.centers[node - tree.bodies] : tree.masses[node];
  const float dx = mass.x - body.x;
  const float dy = mass.y - body.y;
  const float dz = mass.z - body.z;
  if (is_cell && is_opened(tree, node - tree.bodies, dx, dy, dz)) {
    for (std::size_t i = 0; i < 8; ++i)
      if (const std::int32_t child = tree.children[8 * (node - tree.bodies) + i]; child >= 0)
        pull(tree, static_cast<std::size_t>(child), body, sum);
    return;
  }
  const double distance = std::sqrt(std::pow(dx, 2) + std::pow(dy, 2) + std::pow(dz, 2) + tree.softening);
  const double strength = mass.w / std::pow(distance, 3);
  sum.x += strength * dx;
  sum.y += strength * dy;
  sum.z += strength * dz;
}

void barnes_hut(Buffers& buffers, const Scalars& scalars) {
  const std::size_t cells = count(scalars, "cells");
  Tree tree = {count(scalars, "n"), nullptr, nullptr, nullptr, nullptr, 0, 0};
  tree.masses = view<Mass>(buffers, "bodies", tree.bodies);
  tree.centers = view<Mass>(buffers, "centers", cells);
  tree.widths = view<float>(buffers, "widths", cells);
  tree.children = view<std::int32_t>(buffers, "children", 8 * cells);
  tree.opening = real(scalars, "opening");
  tree.softening = real(scalars, "softening");
  auto* const accelerations = view<Mass>(buffers, "accelerations", tree.bodies);
  for (std::size_t body = 0; body < tree.bodies; ++body) {
    Acceleration sum;
    pull(tree, tree.bodies, tree.masses[body], sum);
    accelerations[body] = {static_cast<float>(sum.x), static_cast<float>(sum.y), static_cast<float>(sum.z),
                           0};
  }
}

// Computes the potential from all pairs of atoms and points, without the bins.
void cutoff_coulomb(Buffers& buffers, const Scalars& scalars) {
  const std::size_t width = count(scalars, "width");
  const std::size_t height = count(scalars, "height");
  const std::size_t points = width * height * count(scalars, "depth");
  const std::size_t bins = count(scalars, "bins_x") * count(scalars, "bins_y") * count(scalars, "bins_z");
  const std::size_t atoms = view<std::uint32_t>(buffers, "bin_offsets", bins + 1)[bins];
  const double spacing = real(scalars, "spacing");
  const double cutoff = real(scalars, "cutoff");
  const auto* const atom = view<Mass>(buffers, "atoms", atoms);
  auto* const potential = view<float>(buffers, "potential", points);
  for (std::size_t point = 0; point < points; ++point) {
    const std::size_t row = point / width;
    const std::size_t plane = row / height;
    double sum = 0;
    for (std::size_t i = 0; i < atoms; ++i) {
      const double dx = atom[i].x - spacing * static_cast<double>(point % width);
      const double dy = atom[i].y - spacing * static_cast<double>(row % height);
      const double dz = atom[i].z - spacing * static_cast<double>(plane);
      const double distance = std::sqrt(dx * dx + dy * dy + dz * dz);
      if (distance < cutoff) sum += atom[i].w / distance * std::pow(1 - std::pow(distance / cutoff, 2), 2);
    }
    potential[point] = static_cast<float>(sum);
  }
}

struct Sphere {
  std::size_t points;
  const float* x;
  const float* y;
  const float* z;
};

void two_point_correlation(Buffers& buffers, const Scalars& scalars) {
  const auto sphere = [&](const std::string& points, const std::string& prefix) {
    const std::size_t n = count(scalars, points);
    return Sphere{n, view<float>(buffers, prefix + "x", n), view<float>(buffers, prefix + "y", n),
                  view<float>(buffers, prefix + "z", n)};
  };
  const Sphere first = sphere("n", "");
  const Sphere other = sphere("other_n", "other_");
  const bool same = count(scalars, "same") != 0;
  const std::size_t bins = count(scalars, "bins");
  if (bins > 63) throw std::invalid_argument("scalar 'bins' is larger than 63");
  const auto* const limits = view<float>(buffers, "limits", bins);
  auto* const counts = view<std::uint64_t>(buffers, "counts", bins + 1);
  for (std::size_t i = 0; i < first.points; ++i)
    for (std::size_t j = same ? i + 1 : 0; j < other.points; ++j) {
      // The cosine is rounded as in the kernel, so that a pair at a limit is in the same bin.
      const float cosine =
          std::fma(first.x[i], other.x[j], std::fma(first.y[i], other.y[j], first.z[i] * other.z[j]));
      std::size_t bin = 0;
      while (bin < bins && cosine < limits[bin]) ++bin;
      ++counts[bin];
    }
}

constexpr double kOfForces = 1e-5;

}  // namespace

std::vector<Reference> particles() {
  return {
      {"barnes_hut",
       barnes_hut,
       {{"accelerations", Element::kFloat, kOfForces}},
       "sums in single precision, and an approximate reciprocal square root"},
      {"cutoff_coulomb",
       cutoff_coulomb,
       {{"potential", Element::kFloat, kOfForces}},
       "sums in single precision, and an approximate reciprocal square root"},
      {"two_point_correlation", two_point_correlation, {{"counts", Element::kUint64}}},
  };
}

}  // namespace heddle::kernels::detail
