// This file has the step of barnes_hut_bodies. The tree is built from the top, unlike that of the kernels,
// but with the same arithmetic, because a cell at the limit could otherwise be opened in one and not in the
// other.

#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace heddle::kernels::detail {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::uint32_t kPlaces = 1U << 10U;  // of a coordinate in a Morton code
// The kernel multiplies by the approximate reciprocal of a root, three times.
constexpr double kOfApproximateForces = 1e-5;

struct Body {
  float x, y, z, w;
};

struct Cell {
  Body center{};
  float width = 0;
  std::array<std::size_t, 2> children{};  // below the number of bodies: a sorted body, else cells
};

class MortonTree {
 public:
  MortonTree(const Body* all, std::size_t n) : n_(n) {
    const std::array<float, 3> low = corner(all, false);
    const std::array<float, 3> high = corner(all, true);
    side_ = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    const float scale = static_cast<float>(kPlaces) / side_;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t code = spread(all[i].x - low[0], scale) << 2U |
                                 spread(all[i].y - low[1], scale) << 1U | spread(all[i].z - low[2], scale);
      keys_.push_back(std::uint64_t{code} << 32U | i);
    }
    std::sort(keys_.begin(), keys_.end());
    for (const std::uint64_t key : keys_) sorted_.push_back(all[static_cast<std::uint32_t>(key)]);
    root_ = build(0, n);
  }

  std::size_t root() const { return root_; }
  bool is_cell(std::size_t node) const { return node >= n_; }
  const Cell& cell(std::size_t node) const { return cells_[node - n_]; }
  const Body& mass(std::size_t node) const { return is_cell(node) ? cell(node).center : sorted_[node]; }
  const Body& sorted(std::size_t place) const { return sorted_[place]; }
  std::size_t number(std::size_t place) const { return static_cast<std::uint32_t>(keys_[place]); }

 private:
  std::array<float, 3> corner(const Body* all, bool high) const {
    std::array<float, 3> found{all[0].x, all[0].y, all[0].z};
    for (std::size_t i = 1; i < n_; ++i) {
      const std::array<float, 3> at{all[i].x, all[i].y, all[i].z};
      for (std::size_t k = 0; k < 3; ++k)
        found[k] = high ? std::max(found[k], at[k]) : std::min(found[k], at[k]);
    }
    return found;
  }

  static std::uint32_t spread(float distance, float scale) {
    const std::uint32_t place = std::min(static_cast<std::uint32_t>(distance * scale), kPlaces - 1);
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < 10; ++i) bits |= (place >> i & 1U) << 3U * i;
    return bits;
  }

  // Returns the node over the sorted bodies first .. last - 1.
  std::size_t build(std::size_t first, std::size_t last) {
    if (last - first == 1) return first;
    const int common = __builtin_clzll(keys_[first] ^ keys_[last - 1]);
    const std::uint64_t bit = std::uint64_t{1} << (63 - common);
    std::size_t split = first;
    while ((keys_[split] & bit) == 0) ++split;
    Cell made;
    made.children = {build(first, split), build(split, last)};
    const Body a = mass(made.children[0]);
    const Body b = mass(made.children[1]);
    made.center.w = a.w + b.w;
    made.center.x = std::fma(a.w, a.x, b.w * b.x) / made.center.w;
    made.center.y = std::fma(a.w, a.y, b.w * b.y) / made.center.w;
    made.center.z = std::fma(a.w, a.z, b.w * b.z) / made.center.w;
    made.width = std::ldexp(side_, -std::min((common - 2) / 3, 10));
    cells_.push_back(made);
    return n_ + cells_.size() - 1;
  }

  std::size_t n_;
  float side_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<Body> sorted_;
  std::vector<Cell> cells_;
  std::size_t root_ = 0;
};

struct Gravity {
  double x = 0, y = 0, z = 0;
};

// The bodies whose lanes traverse the tree together.
class Warp {
 public:
  Warp(const MortonTree& tree, std::size_t first, std::size_t last, float opening, double softening)
      : tree_(tree), first_(first), sums_(last - first), opening_(opening), softening_(softening) {}

  void traverse(std::size_t node) {
    for (const std::size_t child : tree_.cell(node).children)
      if (is_opened(child))
        traverse(child);
      else
        pull(child);
  }

  const Gravity& sum(std::size_t lane) const { return sums_[lane]; }

 private:
  bool is_opened(std::size_t node) const {
    if (!tree_.is_cell(node)) return false;
    const Body& center = tree_.mass(node);
    const float width = tree_.cell(node).width;
    for (std::size_t lane = 0; lane < sums_.size(); ++lane) {
      const Body& own = tree_.sorted(first_ + lane);
      const float dx = center.x - own.x;
      const float dy = center.y - own.y;
      const float dz = center.z - own.z;
      const float squared = std::fma(dx, dx, std::fma(dy, dy, dz * dz));
      if (width * width >= opening_ * opening_ * squared) return true;
    }
    return false;
  }

  void pull(std::size_t node) {
    const Body& mass = tree_.mass(node);
    for (std::size_t lane = 0; lane < sums_.size(); ++lane) {
      const Body& own = tree_.sorted(first_ + lane);
      const float dx = mass.x - own.x;
      const float dy = mass.y - own.y;
      const float dz = mass.z - own.z;
      const double squared = std::pow(dx, 2) + std::pow(dy, 2) + std::pow(dz, 2) + softening_;
      const double strength = mass.w / (squared * std::sqrt(squared));
      sums_[lane].x += strength * dx;
      sums_[lane].y += strength * dy;
      sums_[lane].z += strength * dz;
    }
  }

  const MortonTree& tree_;
  std::size_t first_;
  std::vector<Gravity> sums_;
  float opening_;
  double softening_;
};

void move(Body& body, Body& velocity, const Gravity& gravity, double step) {
  const double x = velocity.x + gravity.x * step / 2;
  const double y = velocity.y + gravity.y * step / 2;
  const double z = velocity.z + gravity.z * step / 2;
  body = {static_cast<float>(body.x + x * step), static_cast<float>(body.y + y * step),
          static_cast<float>(body.z + z * step), body.w};
  velocity = {static_cast<float>(x + gravity.x * step / 2), static_cast<float>(y + gravity.y * step / 2),
              static_cast<float>(z + gravity.z * step / 2), velocity.w};
}

void barnes_hut_bodies(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  if (n < 2) throw std::invalid_argument("scalar 'n' is less than 2");
  auto* const all = view<Body>(buffers, "bodies", n);
  auto* const velocities = view<Body>(buffers, "velocities", n);
  auto* const accelerations = view<Body>(buffers, "accelerations", n);
  const double step = real(scalars, "step");
  const MortonTree tree(all, n);
  for (std::size_t first = 0; first < n; first += kLanes) {
    const std::size_t last = std::min(first + kLanes, n);
    Warp warp(tree, first, last, real(scalars, "opening"), real(scalars, "softening"));
    warp.traverse(tree.root());
    for (std::size_t place = first; place < last; ++place) {
      const Gravity& sum = warp.sum(place - first);
      const std::size_t number = tree.number(place);
      accelerations[number] = {static_cast<float>(sum.x), static_cast<float>(sum.y),
                               static_cast<float>(sum.z), 0};
      move(all[number], velocities[number], sum, step);
    }
  }
}

}  // namespace

std::vector<Reference> bodies() {
  return {{"barnes_hut_bodies",
           barnes_hut_bodies,
           {{"accelerations", Element::kFloat, kOfApproximateForces},
            {"bodies", Element::kFloat, kOfApproximateForces},
            {"velocities", Element::kFloat, kOfApproximateForces}},
           "sums in single precision, and an approximate reciprocal square root"}};
}

}  // namespace heddle::kernels::detail
