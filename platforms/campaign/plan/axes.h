#pragma once
// The axes of a campaign and their product. Values are texts that are not interpreted here.
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

// This key of a step gives the step a name in tables and plots, and sets nothing.
inline constexpr const char* kLabelOfStep = "label";

using Step = std::vector<Assignment>;  // what one step along an axis sets
using Axis = std::vector<Step>;

// The number of points of the product, or nothing if it exceeds 64 bits. Without an axis there is one point.
std::optional<std::uint64_t> points_of(const std::vector<Axis>& axes);

// The step that a point takes along each axis.
std::vector<std::size_t> steps_of(const std::vector<Axis>& axes, std::uint64_t point);

// The points that no exclusion matches, ascending. An exclusion matches a point that sets every key of the
// exclusion to its value.
std::vector<std::uint64_t> points_left(const std::vector<Axis>& axes,
                                       const std::vector<std::vector<Assignment>>& exclusions);

}  // namespace heddle
