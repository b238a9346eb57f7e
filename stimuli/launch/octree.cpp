#include <array>

#include "stimuli/launch/structures.h"

namespace heddle::structures {

namespace {

constexpr std::uint32_t kMostDepth = 30;  // the stack of the kernels has 32 levels

using Position = std::array<double, 4>;  // x, y, z and mass

class Octree {
 public:
  explicit Octree(std::int64_t bodies) : bodies_(bodies) { add_cell({0, 0, 0, 0}, 2); }

  void insert(std::int32_t body) {
    std::int32_t cell = 0;
    for (std::uint32_t depth = 1;; ++depth) {
      std::int32_t& child = children_[8 * static_cast<std::size_t>(cell) + octant(cell, places_[body])];
      if (child < 0) {
        child = body;
        return;
      }
      if (child < bodies_) {
        if (depth >= kMostDepth) return put_anywhere(cell, body);
        split(cell, child);
        continue;
      }
      cell = child - static_cast<std::int32_t>(bodies_);
    }
  }

  void place(const Position& body) { places_.push_back(body); }

  Structure finish() {
    std::vector<float> centers(4 * widths_.size());
    for (std::size_t cell = widths_.size(); cell-- > 0;) {  // children have higher numbers than their parents
      Position sum{};
      for (std::size_t i = 0; i < 8; ++i) {
        const std::int32_t child = children_[8 * cell + i];
        if (child < 0) continue;
        const Position& mass = child < bodies_ ? places_[child] : middles_[child - bodies_];
        for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += mass[3] * mass[axis];
        sum[3] += mass[3];
      }
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] /= sum[3];
      middles_[cell] = sum;
      for (std::size_t i = 0; i < 4; ++i) centers[4 * cell + i] = static_cast<float>(sum[i]);
    }
    std::vector<float> bodies;
    for (const Position& body : places_)
      for (const double value : body) bodies.push_back(static_cast<float>(value));
    Structure tree;
    tree.arrays = {{"bodies", array_of(ElementType::kF32, bodies)},
                   {"centers", array_of(ElementType::kF32, centers)},
                   {"widths", array_of(ElementType::kF32, widths_)},
                   {"children", array_of(ElementType::kI32, children_)}};
    tree.counts = {{"bodies", bodies_}, {"cells", static_cast<std::int64_t>(widths_.size())}};
    return tree;
  }

 private:
  void add_cell(const Position& middle, double width) {
    middles_.push_back(middle);
    widths_.push_back(static_cast<float>(width));
    children_.resize(children_.size() + 8, -1);
  }

  std::size_t octant(std::int32_t cell, const Position& at) const {
    const Position& middle = middles_[cell];
    return (at[0] >= middle[0] ? 1U : 0U) + (at[1] >= middle[1] ? 2U : 0U) + (at[2] >= middle[2] ? 4U : 0U);
  }

  // Replaces the body in an octant of the cell by a new cell that contains it.
  void split(std::int32_t cell, std::int32_t body) {
    const std::size_t eighth = octant(cell, places_[body]);
    const double quarter = widths_[cell] / 4;
    Position middle = middles_[cell];
    for (std::size_t axis = 0; axis < 3; ++axis)
      middle[axis] += (eighth >> axis & 1U) != 0 ? quarter : -quarter;
    const auto added = static_cast<std::int32_t>(widths_.size());
    add_cell(middle, 2 * quarter);
    children_[8 * static_cast<std::size_t>(cell) + eighth] = added + static_cast<std::int32_t>(bodies_);
    children_[8 * static_cast<std::size_t>(added) + octant(added, places_[body])] = body;
  }

  // Puts a body into any free octant of a cell of the greatest depth, because its own octant is taken.
  void put_anywhere(std::int32_t cell, std::int32_t body) {
    for (std::size_t i = 0; i < 8; ++i) {
      std::int32_t& child = children_[8 * static_cast<std::size_t>(cell) + i];
      if (child >= 0) continue;
      child = body;
      return;
    }
    throw NumberError("more than eight bodies at one place");
  }

  std::int64_t bodies_;
  std::vector<Position> places_;
  std::vector<Position> middles_;  // by cell: its middle; finish() replaces it by the centre of mass
  std::vector<float> widths_;
  std::vector<std::int32_t> children_;
};

}  // namespace

Structure octree(std::int64_t bodies, Random random) {
  Octree tree(bodies);
  for (std::int64_t i = 0; i < bodies; ++i) {
    Position body{};
    // The position is rounded to single precision as in the buffer, so that a body lies in the cell of its
    // position.
    for (std::size_t axis = 0; axis < 3; ++axis) body[axis] = static_cast<float>(2 * random.unit() - 1);
    body[3] = static_cast<float>(0.5 + random.unit());
    tree.place(body);
  }
  for (std::int64_t i = 0; i < bodies; ++i) tree.insert(static_cast<std::int32_t>(i));
  return tree.finish();
}

}  // namespace heddle::structures
