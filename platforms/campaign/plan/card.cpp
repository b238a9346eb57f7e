#include "platforms/campaign/plan/card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/plan/card_table.h"
#include "platforms/experiment/experiment.h"
#include "platforms/experiment/loaded_inputs.h"
#include "platforms/run/result/json_fields.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using config::Section;
using config::Value;
using Names = std::vector<std::string>;
using Points = std::vector<const CardPoint*>;

constexpr const char* kAllPoints = "points";  // the campaign in which nothing is changed
constexpr const char* kLongest = "longest";
constexpr const char* kOfEach = "of_each";
constexpr const char* kWithout = "without";
constexpr const char* kPlatform = "platform";
// The launches of the card are queued before the first one starts, so that the host's calls take no time.
const Assignment kNoCalls{"host.launch_latency", "0s"};

// Which points of a table are simulated.
struct Selection {
  std::optional<double> longest;  // in the unit of the table
  std::size_t of_each = 0;        // points of a benchmark, at most; 0: all
  Names without;                  // benchmarks
};

// Sorts the points by their measured time and returns `count` of them at equal distances in this order, from
// the shortest to the longest. If `count` is 1, the function returns the median point.
Points spread(Points points, std::size_t count) {
  if (points.size() <= count) return points;
  std::stable_sort(points.begin(), points.end(),
                   [](const CardPoint* a, const CardPoint* b) { return a->measured < b->measured; });
  if (count == 1) return {points[(points.size() - 1) / 2]};
  Points chosen;
  for (std::size_t i = 0; i < count; ++i) {
    const double rank = static_cast<double>(i * (points.size() - 1)) / static_cast<double>(count - 1);
    chosen.push_back(points[static_cast<std::size_t>(std::llround(rank))]);
  }
  return chosen;
}

Points select(const Points& points, const Selection& selection) {
  std::map<std::string, Points> by_benchmark;
  for (const CardPoint* point : points) {
    const Names& without = selection.without;
    const bool is_out = std::find(without.begin(), without.end(), point->benchmark) != without.end() ||
                        (selection.longest && point->measured > *selection.longest);
    if (!is_out) by_benchmark[point->benchmark].push_back(point);
  }
  Points chosen;
  for (const auto& [benchmark, of_benchmark] : by_benchmark) {
    const Points kept = selection.of_each == 0 ? of_benchmark : spread(of_benchmark, selection.of_each);
    chosen.insert(chosen.end(), kept.begin(), kept.end());
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const CardPoint* a, const CardPoint* b) { return a->row < b->row; });
  return chosen;
}

std::string words_of(const Points& points, const CardTable& table, const Selection& selection) {
  Names conditions;
  if (selection.longest)
    conditions.push_back(fmt::format("took the card at most {} {}", *selection.longest, table.unit));
  if (selection.of_each != 0)
    conditions.push_back(fmt::format("are at most {} of each benchmark", selection.of_each));
  if (!selection.without.empty())
    conditions.push_back(fmt::format("are not of {}", fmt::join(selection.without, ", ")));
  const std::string of = fmt::format("{} of the table's {} points", points.size(), table.points.size());
  return conditions.empty() ? of : fmt::format("{}, which {}", of, fmt::join(conditions, ", and "));
}

// Returns the text as a quoted string in the syntax of YAML.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

class CardReader {
 public:
  CardReader(const Section& root, std::string file, bool is_short) : root_(root), file_(std::move(file)) {
    card_.is_short = is_short;
  }

  Card read() {
    card_.name = read_name(root_, "card");
    card_.title = root_.text("title");
    read_table();
    read_platform();
    read_sizes();
    read_mechanisms();
    if (!is_complete_) return std::move(card_);
    check_points();
    check_mechanisms();
    card_.campaigns.push_back(campaign_of(kAllPoints, points_, {}));
    for (const CardMechanism& mechanism : card_.mechanisms)
      card_.campaigns.push_back(campaign_of(mechanism.name, changed_, {mechanism.change}));
    return std::move(card_);
  }

 private:
  void read_table() {
    const Value value = root_.value("table");
    const std::string name = value.text();
    if (name.empty() && value.is_scalar()) value.problem("names no file");
    if (name.empty()) return fail();
    card_.table = fs::absolute(fs::path(file_).parent_path() / name).lexically_normal().string();
    table_ = read_card_table(card_.table);
    for (const CardPoint& point : table_.points) all_.push_back(&point);
  }

  void read_platform() {
    const Value value = root_.value(kPlatform);
    card_.platform = value.text();
    if (!value.is_scalar()) return fail();
    try {
      const std::string found = find_data("platforms", card_.platform, file_);
      card_.platform_file = fs::absolute(found).lexically_normal().string();
      if (is_file_name(card_.platform)) card_.platform = card_.platform_file;
    } catch (const config::Error& error) {
      value.problem(error.what());
      fail();
    }
  }

  // Reads which points the full form and the short form simulate. It reads both, so that the user sees the
  // problems of both.
  void read_sizes() {
    card_.has_short = root_.has("short");
    read_size(root_, !card_.is_short);
    if (card_.has_short) read_size(root_.section("short"), card_.is_short);
    if (card_.points.empty() || (card_.changed.empty() && root_.has("mechanisms"))) fail();
  }

  void read_size(const Section& section, bool counts) {
    const Selection points = read_selection(section, "points");
    const Selection changed = read_selection(section, "changed");
    const Points of_points = select(all_, points);
    const Points of_changed = select(of_points, changed);
    const char* empty = of_points.empty() ? "points" : of_changed.empty() ? "changed" : nullptr;
    if (has_table() && empty != nullptr && section.has(empty))
      section.value(empty).problem("no point is left");
    std::optional<double> run_seconds;
    if (section.has("run_time")) run_seconds = static_cast<double>(section.time_ps("run_time")) * 1e-12;
    if (!counts) return;
    points_ = of_points;
    changed_ = of_changed;
    for (const CardPoint* point : points_) card_.points.push_back(point->row);
    for (const CardPoint* point : changed_) card_.changed.push_back(point->row);
    card_.points_words = words_of(points_, table_, points);
    card_.changed_words = words_of(changed_, table_, both(points, changed));
    card_.run_seconds = run_seconds;
  }

  // Returns the conditions of both selections together. A point is simulated without a mechanism only if it
  // is also simulated with all mechanisms.
  static Selection both(const Selection& points, Selection changed) {
    if (!changed.longest) changed.longest = points.longest;
    if (changed.of_each == 0) changed.of_each = points.of_each;
    for (const std::string& name : points.without)
      if (std::find(changed.without.begin(), changed.without.end(), name) == changed.without.end())
        changed.without.push_back(name);
    return changed;
  }

  Selection read_selection(const Section& from, const char* key) {
    Selection selection;
    if (!from.has(key)) return selection;
    const Section section = from.section(key);
    if (section.has(kLongest)) selection.longest = section.value(kLongest).real();
    selection.of_each = static_cast<std::size_t>(section.integer(kOfEach, {1, 1000000}, 0));
    for (const Value& value : section.list(kWithout)) {
      const std::string name = value.text();
      Names known;
      for (const CardPoint* point : all_)
        if (known.empty() || known.back() != point->benchmark) known.push_back(point->benchmark);
      if (has_table() && std::find(known.begin(), known.end(), name) == known.end())
        value.problem(
            fmt::format("the table has no benchmark '{}'{}", name, config::suggestion(name, known)));
      selection.without.push_back(name);
    }
    return selection;
  }

  void read_mechanisms() {
    std::set<std::string> names{kAllPoints};
    for (const Value& value : root_.list("mechanisms")) {
      const Section section = value.section();
      CardMechanism mechanism;
      mechanism.name = read_name(section, "mechanism");
      mechanism.meaning = section.text("meaning");
      if (!mechanism.name.empty() && !names.insert(mechanism.name).second)
        section.value("mechanism").problem("another campaign of the card has this name");
      const Section change = section.section("change");
      const Names keys = change.keys();
      if (keys.size() != 1) {
        section.value("change").problem("states one key of the platform and its value");
        for (const std::string& key : keys) change.has(key);
        fail();
        continue;
      }
      mechanism.change = {keys.front(), change.value(keys.front()).assigned()};
      changes_.push_back(change.value(keys.front()));
      card_.mechanisms.push_back(std::move(mechanism));
    }
  }

  Experiment load(const CardPoint& point, const std::vector<Assignment>& changes) {
    Overrides overrides;
    overrides.assign(kPlatform, card_.platform);
    overrides.assign(kNoCalls.key, kNoCalls.value);
    for (const Assignment& parameter : point.parameters) overrides.assign(parameter.key, parameter.value);
    for (const Assignment& change : changes) overrides.assign(change.key, change.value);
    LoadOptions options;
    options.loaded = &loaded_;
    return load_experiment(launch_file(point), overrides, options);
  }

  std::string launch_file(const CardPoint& point) const {
    return fs::absolute(find_data("stimuli/launches", point.launch, card_.table)).lexically_normal().string();
  }

  void check_points() {
    for (const CardPoint* point : points_) {
      try {
        load(*point, {});
      } catch (const config::Error& error) {
        throw config::Error(
            {fmt::format("{}: {}: {}", point->place, point->launch, error.problems().front())});
      }
    }
  }

  // A change that is no key of the platform is a problem, and so is one that the platform has already.
  void check_mechanisms() {
    for (std::size_t i = 0; i < card_.mechanisms.size(); ++i) {
      const Assignment& change = card_.mechanisms[i].change;
      try {
        const Experiment changed = load(*changed_.front(), {change});
        const bool is_policy = change.key.rfind(Overrides::kPolicyPrefix, 0) == 0;
        if (!is_policy && changed.platform_yaml == load(*changed_.front(), {}).platform_yaml)
          changes_[i].problem("changes nothing: the platform has this value");
      } catch (const config::Error& error) {
        changes_[i].problem(error.problems().front());
      }
    }
  }

  Campaign campaign_of(const std::string& name, const Points& points,
                       const std::vector<Assignment>& changes) const {
    std::string yaml = fmt::format("campaign: {}\nquestion: {}\nexperiment: {}\nmetrics: [cycles]\naxes:\n",
                                   name, quoted(card_.title), quoted(launch_file(*points.front())));
    yaml += fmt::format("  - product: {{{}: [{}], {}: [{}]", kPlatform, quoted(card_.platform), kNoCalls.key,
                        kNoCalls.value);
    for (const Assignment& change : changes) yaml += fmt::format(", {}: [{}]", change.key, change.value);
    yaml += "}\n  - list:\n";
    for (const CardPoint* point : points) {
      yaml += fmt::format("    - {{experiment: {}", quoted(launch_file(*point)));
      for (const Assignment& parameter : point->parameters)
        yaml += fmt::format(", {}: {}", parameter.key, parameter.value);
      yaml += "}\n";
    }
    return make_campaign(yaml, fmt::format("{}: {}", file_, name));
  }

  // Without a table no point is known, so that conditions on points have no problem of their own.
  bool has_table() const { return !all_.empty(); }
  void fail() { is_complete_ = false; }

  const Section& root_;
  const std::string file_;
  Card card_;
  bool is_complete_ = true;  // so that its points can be loaded
  CardTable table_;
  Points all_;
  Points points_;
  Points changed_;
  std::vector<Value> changes_;  // of the mechanisms
  LoadedInputs loaded_;
};

}  // namespace

Card load_card(const std::string& name_or_file, bool is_short) {
  const std::string file = find_data("stimuli/cards", name_or_file);
  const config::Document document = config::Document::load(file);
  const Section root = document.root();
  Card card = CardReader(root, file, is_short).read();
  document.finish();
  return card;
}

// FieldWriter finds fields() by its arguments' namespace, which an anonymous namespace is not.
static void fields(FieldWriter& io, const CardMechanism& mechanism) {
  io.field("name", mechanism.name);
  io.field("change", mechanism.change.key + "=" + mechanism.change.value);
  io.field("meaning", mechanism.meaning);
}

std::string card_text(const Card& card, const std::string& command) {
  FieldWriter io;
  io.field("card", card.name);
  io.field("title", card.title);
  io.field("table", card.table);
  io.field("platform", card.platform);
  io.field("platform_file", card.platform_file);
  io.field("points", card.points);
  io.field("points_words", card.points_words);
  io.field("changed", card.changed);
  io.field("changed_words", card.changed_words);
  io.field("mechanisms", card.mechanisms);
  io.field("command", command);
  return json_file(io.json());
}

}  // namespace heddle
