#include "platforms/campaign/plan/point_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "platforms/experiment/loaded_inputs.h"

namespace heddle {

namespace {

constexpr int kMostFailures = 20;
constexpr int kMostLoads = 5000;

using Problems = std::vector<std::string>;
using Steps = std::vector<std::size_t>;

bool takes_off(std::string& text, const std::string& prefix) {
  if (text.rfind(prefix, 0) != 0) return false;
  text.erase(0, prefix.size());
  return true;
}

// Removes the start of "--set sm.count=0: sm.count: must be ..." and returns true, or returns false if the
// problem is not that assignment's.
bool takes_off_place(std::string& problem, const Assignment& assignment) {
  if (!takes_off(problem, Overrides::option_of(assignment.key, assignment.value) + ": ")) return false;
  takes_off(problem, assignment.key + ": ");
  return true;
}

bool has_empty(const Step& step) {
  return std::any_of(step.begin(), step.end(), [](const Assignment& a) { return a.value.empty(); });
}

class PointChecker {
 public:
  PointChecker(const CampaignAxes& axes, const Campaign& campaign, const config::Value& base)
      : axes_(axes), campaign_(campaign), base_(base) {
    for (const Axis& axis : axes.axes) {
      states_.emplace_back();
      for (const Step& step : axis) states_.back().push_back(has_empty(step) ? State::kBad : State::kUnknown);
    }
    if (axes.has_seeds) states_.back().assign(states_.back().size(), State::kGood);
    for (const std::vector<State>& axis : states_)
      unknown_ += static_cast<std::size_t>(std::count(axis.begin(), axis.end(), State::kUnknown));
  }

  void run(const std::vector<std::uint64_t>& points) {
    for (std::size_t i = 0; i < points.size() && failures_ < kMostFailures && loads_ < kMostLoads; ++i) {
      if (i > 0 && unknown_ == 0) return;
      Steps steps = steps_of(axes_.axes, points[i]);
      if (!leave_out_bad(steps)) continue;
      if (i > 0 && suspects_of(steps).empty()) continue;
      // After a failure the wrong values are left out of the point, and it is loaded again.
      for (Problems problems = load(steps); !problems.empty(); problems = load(steps)) {
        ++failures_;
        if (!blame(steps, problems)) return;
        if (!leave_out_bad(steps) || suspects_of(steps).empty() || failures_ == kMostFailures) break;
      }
    }
  }

 private:
  enum class State : std::uint8_t { kUnknown, kGood, kBad };

  // Returns false if the base itself is wrong, because then no value can be checked.
  bool leave_out_bad(Steps& steps) const {
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      if (steps[axis] == kLeftOut || states_[axis][steps[axis]] != State::kBad) continue;
      for (const Assignment& assignment : axes_.axes[axis][steps[axis]])
        if (assignment.key == "experiment" || assignment.key == "platform") return false;
      steps[axis] = kLeftOut;
    }
    return true;
  }

  // Returns the axes whose step is not known to be right.
  Steps suspects_of(const Steps& steps) const {
    Steps suspects;
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
      if (steps[axis] != kLeftOut && states_[axis][steps[axis]] == State::kUnknown) suspects.push_back(axis);
    return suspects;
  }

  // Marks the values of a point that loads as right.
  Problems load(const Steps& steps) {
    const CampaignPoint point = point_at(axes_, steps);
    LoadOptions options;
    options.loaded = &loaded_;
    ++loads_;
    try {
      load_experiment(experiment_of(campaign_, point), overrides_of(point), options);
    } catch (const config::Error& error) {
      return error.problems();
    }
    something_loads_ = true;
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
      if (steps[axis] != kLeftOut) mark(axis, steps[axis], State::kGood);
    return {};
  }

  void mark(std::size_t axis, std::size_t step, State state) {
    if (states_[axis][step] == State::kUnknown) --unknown_;
    states_[axis][step] = state;
  }

  // Returns false if the experiment does not load even without the axes.
  bool blame(const Steps& steps, const Problems& problems) {
    if (blame_by_name(steps, problems)) return true;
    Steps suspects = suspects_of(steps);
    if (suspects.size() > 1 || !something_loads_) {
      const auto culprit = std::find_if(suspects.rbegin(), suspects.rend(), [&](std::size_t axis) {
        Steps others = steps;
        others[axis] = kLeftOut;
        return load(others).empty();
      });
      suspects = culprit == suspects.rend() ? Steps{} : Steps{*culprit};
    }
    if (suspects.empty()) {
      for (const std::string& problem : problems) base_.problem(problem);
      return false;
    }
    const std::size_t axis = suspects.front();
    mark(axis, steps[axis], State::kBad);
    const std::vector<config::Value>& places = axes_.places[axis][steps[axis]];
    for (const std::string& problem : problems) (places.empty() ? base_ : places.back()).problem(problem);
    return true;
  }

  // Reports the problems that name the assignment they come from.
  bool blame_by_name(const Steps& steps, const Problems& problems) {
    bool found = false;
    for (const std::string& problem : problems)
      for (std::size_t axis = 0; axis < steps.size(); ++axis) {
        if (steps[axis] == kLeftOut) continue;
        const Step& step = axes_.axes[axis][steps[axis]];
        for (std::size_t i = 0; i < step.size(); ++i) {
          std::string rest = problem;
          if (!takes_off_place(rest, step[i])) continue;
          found = true;
          mark(axis, steps[axis], State::kBad);
          // A wrong key is wrong with each of its values.
          if (told_.insert(step[i].key + ": " + rest).second)
            axes_.places[axis][steps[axis]][i].problem(rest);
        }
      }
    return found;
  }

  const CampaignAxes& axes_;
  const Campaign& campaign_;
  const config::Value& base_;
  LoadedInputs loaded_;
  std::vector<std::vector<State>> states_;  // by axis and step
  std::size_t unknown_ = 0;
  int failures_ = 0;
  int loads_ = 0;
  bool something_loads_ = false;
  std::set<std::string> told_;
};

}  // namespace

CampaignPoint point_at(const CampaignAxes& axes, const std::vector<std::size_t>& steps) {
  CampaignPoint point;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    if (steps[axis] == kLeftOut) continue;
    const Step& step = axes.axes[axis][steps[axis]];
    if (axes.has_seeds && axis + 1 == steps.size()) {
      point.seed = std::stoull(step.front().value);
    } else {
      point.values.insert(point.values.end(), step.begin(), step.end());
    }
  }
  return point;
}

void check_points(const CampaignAxes& axes, const std::vector<std::uint64_t>& points,
                  const Campaign& campaign, const config::Value& base) {
  PointChecker(axes, campaign, base).run(points);
}

}  // namespace heddle
