#include "platforms/campaign/plan/campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/config_units.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/plan/axes_reader.h"
#include "platforms/campaign/plan/point_checker.h"
#include "platforms/experiment/application_reader.h"
#include "platforms/experiment/input.h"
#include "platforms/run/result/metrics.h"

namespace heddle {

namespace {

using config::Section;
using config::Value;
using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether a metric has the form of a counter's name: names joined by dots. Only a run can tell whether the
// counter exists.
bool is_counter_path(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
  return plain && text.find('.') != std::string::npos && text.find("..") == std::string::npos &&
         text.front() != '.' && text.back() != '.';
}

Names read_metrics(const Section& root) {
  if (!root.has("metrics")) return {"antt", "stp", "fairness"};
  Names known;
  for (const RunMetric& metric : run_metrics()) known.push_back(metric.name);
  Names metrics;
  for (const Value& value : root.list("metrics")) {
    const std::string name = value.text();
    if (!value.is_scalar()) continue;
    if (!has(known, name) && !is_counter_path(name))
      value.problem(fmt::format("'{}' is neither one of {} nor a counter's full name{}", name,
                                fmt::join(known, ", "), config::suggestion(name, known)));
    if (has(metrics, name)) value.problem("named twice");
    metrics.push_back(name);
  }
  if (metrics.empty() && root.value("metrics").is_list()) root.value("metrics").problem("no metric");
  return metrics;
}

// The keys of a kind of plot and what each may name.
std::pair<const char*, std::string> shown_by(const PlotSpec& plot) {
  if (plot.kind == "heat-map") return {"series", plot.series};
  if (plot.kind == "cdf") return {"x", plot.x};
  return {"y", plot.y};
}

std::vector<PlotSpec> read_plots(const Section& root, const CampaignAxes& axes, Names metrics) {
  for (const ApplicationMetric& metric : application_metrics()) metrics.push_back(metric.name);
  metrics.insert(metrics.end(), request_metrics().begin(), request_metrics().end());
  metrics.emplace_back(kHandoverMetric);
  Names known = axes.keys;
  if (axes.has_seeds) known.emplace_back("seed");
  known.emplace_back("variant");
  known.emplace_back("application");  // of the metrics of applications, of their requests and of hand-overs
  known.emplace_back("way");          // of hand-overs
  known.insert(known.end(), metrics.begin(), metrics.end());
  std::vector<PlotSpec> plots;
  for (const Value& value : root.list("plots")) {
    const Section section = value.section();
    if (!value.is_section()) continue;
    PlotSpec plot;
    plot.kind = section.choice("kind", {"bars", "heat-map", "curves", "box", "cdf", "timeline"});
    if (plot.kind == "timeline") {
      plots.push_back(plot);
      continue;
    }
    const auto read = [&](const char* key, bool required) {
      if (!required && !section.has(key)) return std::string();
      std::string name = section.text(key);
      if (section.has(key) && section.value(key).is_scalar() && !has(known, name))
        section.value(key).problem(fmt::format("'{}' is neither varied nor among the metrics{}", name,
                                               config::suggestion_and_known(name, known)));
      return name;
    };
    plot.x = read("x", true);
    plot.y = read("y", plot.kind != "cdf");
    plot.series = read("series", plot.kind == "heat-map");
    const bool named = has(known, plot.x) && (plot.y.empty() || has(known, plot.y)) &&
                       (plot.series.empty() || has(known, plot.series));
    if (const auto [key, shown] = shown_by(plot); named && !has(metrics, shown))
      section.problem(fmt::format("shows no metric: of {} it is {} that names one", plot.kind, key));
    plots.push_back(plot);
  }
  return plots;
}

void read_limits(const Section& root, Campaign& campaign) {
  if (!root.has("limits")) return;
  const Section limits = root.section("limits");
  if (limits.has("time")) {
    campaign.time_limit_ps = limits.time_ps("time");
    if (campaign.time_limit_ps == 0u) limits.value("time").problem("must be above zero");
  }
  if (limits.has("memory")) {
    campaign.memory_bytes = limits.bytes("memory");
    if (campaign.memory_bytes == 0u) limits.value("memory").problem("must be above zero");
  }
}

void read_series(const Section& root, Campaign& campaign) {
  const bool has_patterns = root.has("series");
  if (!root.has("interval")) {
    if (has_patterns) root.value("series").problem("needs the key interval, the time between samples");
    return;
  }
  const Value interval = root.value("interval");
  const std::string text = interval.text();
  const std::string problem = interval.is_scalar() ? set_interval(campaign.series, text) : "";
  if (!problem.empty()) interval.problem(fmt::format("{}, not {}", problem, config::detail::shown(text)));
  campaign.has_default_series = !has_patterns;
  if (!has_patterns) {
    campaign.series.patterns = default_series();
    return;
  }
  Names& patterns = campaign.series.patterns;
  for (const Value& value : root.list("series")) {
    const std::string pattern = value.text();
    if (!value.is_scalar()) continue;
    if (has(patterns, pattern)) value.problem("named twice");
    patterns.push_back(pattern);
  }
  if (patterns.empty() && root.value("series").is_list())
    root.value("series").problem("no pattern; without this key a run has its usual series");
}

// Checks the number of points before any point is enumerated.
bool check_count(const Section& root, const CampaignAxes& axes) {
  const std::optional<std::uint64_t> points = points_of(axes.axes);
  if (points && *points <= Campaign::kMostPoints) return *points > 0;
  std::vector<std::size_t> sizes;
  for (const Axis& axis : axes.axes) sizes.push_back(axis.size());
  const std::string count = points ? fmt::format("{}", *points) : "more than 2^64";
  const std::string message =
      fmt::format("{} points ({}): at most {}", count, fmt::join(sizes, " x "), Campaign::kMostPoints);
  root.value(root.has("axes") ? "axes" : "seeds").problem(message);
  return false;
}

std::vector<Assignment> values_of(const std::vector<Axis>& axes) {
  std::vector<Assignment> values;
  for (const Axis& axis : axes)
    for (const Step& step : axis)
      for (const Assignment& assignment : step)
        if (std::find(values.begin(), values.end(), assignment) == values.end()) values.push_back(assignment);
  return values;
}

config::Document load(const std::string& file, const Names& sets) {
  config::Document document = config::Document::load(file);
  for (const std::string& set : sets) document.set(set);
  return document;
}

struct CampaignParts {
  Names base_file;  // assignments that make the base's path absolute
  CampaignAxes axes;
  std::vector<std::vector<Assignment>> exclusions;
};

// Reads everything but the points. Files are searched beside `beside`; if it is empty, they are not searched.
CampaignParts read_parts(const Section& root, const std::string& beside, Campaign& campaign) {
  CampaignParts parts;
  campaign.name = read_name(root, "campaign");
  campaign.question = root.text("question", "");
  campaign.experiment = find_base(root.value("experiment"), "stimuli/experiments", beside, parts.base_file);
  parts.axes = read_axes(root, beside, campaign.experiment);
  campaign.keys = parts.axes.keys;
  parts.exclusions = read_exclusions(root, parts.axes, beside);
  read_limits(root, campaign);
  campaign.metrics = read_metrics(root);
  campaign.plots = read_plots(root, parts.axes, campaign.metrics);
  read_series(root, campaign);
  campaign.on_slurm = root.choice("backend", {"local", "slurm"}, "local") == "slurm";
  campaign.slurm = read_slurm(root, campaign.time_limit_ps);
  return parts;
}

// If `kept` is true, the points have been checked before and all paths in the document are absolute.
Campaign read_campaign(const std::string& file, config::Document document, bool kept) {
  Campaign campaign;
  campaign.file = file;
  const Section root = document.root();
  CampaignParts parts = read_parts(root, kept ? "" : campaign.file, campaign);
  CampaignAxes& axes = parts.axes;
  // A problem of the axes can cause problems of the points, so those of the axes are reported first.
  std::vector<std::uint64_t> left;
  if (check_count(root, axes)) {
    left = points_left(axes.axes, parts.exclusions);
    if (left.empty()) root.value(root.has("exclude") ? "exclude" : "only").problem("no point is left");
    if (!kept && !campaign.experiment.empty()) check_points(axes, left, campaign, root.value("experiment"));
  }
  document.finish();
  campaign.product = points_of(axes.axes).value_or(0);
  campaign.values = values_of(axes.axes);
  campaign.points.reserve(left.size());
  for (const std::uint64_t number : left) {
    campaign.points.push_back(point_at(axes, steps_of(axes.axes, number)));
    campaign.points.back().number = campaign.points.size();
  }
  for (const std::string& assignment : parts.base_file) document.set(assignment);
  for (const std::string& assignment : axes.resolved) document.set(assignment);
  campaign.yaml = document.to_yaml();
  return campaign;
}

// Refuses an input that is no campaign, and names the command that takes it.
void refuse_other_input(const std::string& name) {
  if (is_known_data("stimuli/campaigns", name)) return;
  Input input;
  try {
    input = find_input(name);
  } catch (const config::Error&) {
    return;  // it is unknown as a campaign, which tells more
  }
  if (input.kind == InputKind::kCampaign) return;
  throw config::Error({fmt::format(
      "'{0}' is no campaign; it {1}; a campaign is a file with the key 'campaign' that names it as its "
      "'experiment' or among its 'applications'; heddle list campaigns",
      name, use_of(input, name))});
}

}  // namespace

Campaign load_campaign(const std::string& name_or_file, const Names& sets) {
  refuse_other_input(name_or_file);
  const std::string file = find_data("stimuli/campaigns", name_or_file);
  return read_campaign(file, load(file, sets), false);
}

Campaign load_kept_campaign(const std::string& directory, const Names& sets) {
  const std::string file = directory + "/campaign.yaml";
  if (!std::filesystem::exists(file)) throw config::Error({directory + ": there is no campaign"});
  return read_campaign(file, load(file, sets), true);
}

Campaign make_campaign(const std::string& yaml, const std::string& name) {
  return read_campaign(name, config::Document::implied(yaml, name), true);
}

std::string experiment_of(const Campaign& campaign, const CampaignPoint& point) {
  for (const Assignment& assignment : point.values)
    if (assignment.key == "experiment") return assignment.value;
  return campaign.experiment;
}

Overrides overrides_of(const CampaignPoint& point) {
  Overrides overrides;
  for (const Assignment& assignment : point.values)
    if (assignment.key != "experiment" && assignment.key != kLabelOfStep)
      overrides.assign(assignment.key, assignment.value);
  overrides.seed = point.seed;
  return overrides;
}

std::string label_of(const CampaignPoint& point) {
  Names parts;
  for (const Assignment& assignment : point.values) parts.push_back(assignment.key + "=" + assignment.value);
  if (point.seed) parts.push_back(fmt::format("seed={}", *point.seed));
  return parts.empty() ? "base" : fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace heddle
