#pragma once
// Axes and their product: what a campaign varies. Pure arithmetic over texts.
//
// A point of the product is a number below points_of(); the last axis varies fastest.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct Assignment {
  std::string key;
  std::string value;
};

inline bool operator==(const Assignment& a, const Assignment& b) {
  return a.key == b.key && a.value == b.value;
}
inline bool operator<(const Assignment& a, const Assignment& b) {
  return a.key != b.key ? a.key < b.key : a.value < b.value;
}

using Step = std::vector<Assignment>;  // what one step along an axis sets
using Axis = std::vector<Step>;

// How many points the axes have; none beyond 64 bits. No axis: one point.
std::optional<std::uint64_t> points_of(const std::vector<Axis>& axes);

// For each axis the step that a point takes.
std::vector<std::size_t> steps_of(const std::vector<Axis>& axes, std::uint64_t point);

// The points, ascending, that agree with no exclusion. A point agrees if it sets every key of the exclusion
// to its value.
std::vector<std::uint64_t> points_left(const std::vector<Axis>& axes,
                                       const std::vector<std::vector<Assignment>>& exclusions);

}  // namespace heddle
