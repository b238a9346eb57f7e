#include "platforms/campaign/plan/axes.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

// An entry [axis][step] is true if the step sets the values that an exclusion asks of that axis.
using Agreement = std::vector<std::vector<bool>>;

bool names(const Axis& axis, const std::string& key) {
  return std::any_of(axis.begin(), axis.end(), [&](const Step& step) {
    return std::any_of(step.begin(), step.end(), [&](const Assignment& a) { return a.key == key; });
  });
}

// Returns nothing if no axis has one of the keys, because then no point matches.
std::optional<Agreement> agreement_with(const std::vector<Axis>& axes,
                                        const std::vector<Assignment>& exclusion) {
  Agreement agreement;
  for (const Axis& axis : axes) agreement.emplace_back(axis.size(), true);
  for (const Assignment& asked : exclusion) {
    const auto axis =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& each) { return names(each, asked.key); });
    if (axis == axes.end()) return std::nullopt;
    std::vector<bool>& agrees = agreement[static_cast<std::size_t>(axis - axes.begin())];
    for (std::size_t i = 0; i < axis->size(); ++i)
      if (std::find((*axis)[i].begin(), (*axis)[i].end(), asked) == (*axis)[i].end()) agrees[i] = false;
  }
  return agreement;
}

bool agrees(const Agreement& agreement, const std::vector<std::size_t>& steps) {
  for (std::size_t axis = 0; axis < steps.size(); ++axis)
    if (!agreement[axis][steps[axis]]) return false;
  return true;
}

}  // namespace

std::optional<std::uint64_t> points_of(const std::vector<Axis>& axes) {
  if (std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.empty(); })) return 0;
  std::uint64_t points = 1;
  for (const Axis& axis : axes)
    if (__builtin_mul_overflow(points, std::uint64_t{axis.size()}, &points)) return std::nullopt;
  return points;
}

std::vector<std::size_t> steps_of(const std::vector<Axis>& axes, std::uint64_t point) {
  std::vector<std::size_t> steps(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    steps[i] = static_cast<std::size_t>(point % axes[i].size());
    point /= axes[i].size();
  }
  return steps;
}

std::vector<std::uint64_t> points_left(const std::vector<Axis>& axes,
                                       const std::vector<std::vector<Assignment>>& exclusions) {
  std::vector<Agreement> agreements;
  for (const std::vector<Assignment>& exclusion : exclusions)
    if (auto agreement = agreement_with(axes, exclusion)) agreements.push_back(std::move(*agreement));
  const std::optional<std::uint64_t> points = points_of(axes);
  HEDDLE_CHECK(points.has_value(), "campaign", Cycle{0}, "axes of more points than can be numbered");
  std::vector<std::uint64_t> left;
  for (std::uint64_t point = 0; point < *points; ++point) {
    const std::vector<std::size_t> steps = steps_of(axes, point);
    if (std::none_of(agreements.begin(), agreements.end(),
                     [&](const Agreement& agreement) { return agrees(agreement, steps); }))
      left.push_back(point);
  }
  return left;
}

}  // namespace heddle
