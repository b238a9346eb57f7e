#include "platforms/campaign/plan/paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"

namespace heddle {

namespace {

using config::Section;
using config::Value;
using Names = std::vector<std::string>;

constexpr const char* kAll = "all";    // the row of a figure that has one
constexpr const char* kMean = "mean";  // the row that `mean_row` adds
constexpr const char* kWindow = "window";
constexpr const char* kRunTime = "run_time";
constexpr std::int64_t kMostWindow = std::int64_t{1} << 60;  // cycles

using Campaigns = std::vector<const Campaign*>;

void must_be_one_of(const Value& value, const std::string& name, const Names& known) {
  if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  value.problem(
      fmt::format("'{}' is not among {}{}", name, fmt::join(known, ", "), config::suggestion(name, known)));
}

// The values of one key in a campaign, also those that a short form leaves out.
Names values_of(const Campaign& campaign, const std::string& key) {
  Names values;
  for (const Assignment& assignment : campaign.values)
    if (assignment.key == key) values.push_back(assignment.value);
  return values;
}
Names values_of(const Campaigns& campaigns, const std::string& key) {
  Names values;
  for (const Campaign* campaign : campaigns)
    for (const std::string& value : values_of(*campaign, key)) values.push_back(value);
  return values;
}

// Returns the keys that one of the campaigns varies.
Names keys_of(const Campaigns& campaigns) {
  Names keys;
  for (const Campaign* campaign : campaigns)
    for (const std::string& key : campaign->keys)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

// The metrics that all of the campaigns have.
Names metrics_of(const Campaigns& campaigns) {
  Names metrics = campaigns.front()->metrics;
  for (const Campaign* campaign : campaigns) {
    const Names& others = campaign->metrics;
    const auto is_missing = [&](const std::string& metric) {
      return std::find(others.begin(), others.end(), metric) == others.end();
    };
    metrics.erase(std::remove_if(metrics.begin(), metrics.end(), is_missing), metrics.end());
  }
  return metrics;
}

class PaperReader {
 public:
  PaperReader(const Section& root, const std::string& file, PaperSize size)
      : root_(root), file_(file), size_(size) {}

  Paper read() {
    paper_.name = read_name(root_, "paper");
    paper_.title = root_.text("title");
    paper_.source = root_.text("source");
    paper_.run_seconds = run_time_of(root_);
    read_campaigns();
    for (const Value& value : root_.list("arms")) read_arm(value.section());
    if (paper_.arms.empty()) root_.value("arms").problem("no arm");
    for (const Value& value : root_.list("figures")) read_figure(value.section());
    if (paper_.figures.empty()) root_.value("figures").problem("no figure");
    return std::move(paper_);
  }

 private:
  // Returns the seconds of a run that the section states, if it does.
  static std::optional<double> run_time_of(const Section& section) {
    if (!section.has(kRunTime)) return std::nullopt;
    return static_cast<double>(section.time_ps(kRunTime)) * 1e-12;
  }

  void read_campaigns() {
    const std::map<std::string, std::vector<Assignment>> kept = read_short();
    read_window();
    for (const Value& value : root_.list("campaigns")) {
      const std::string name = value.text();
      if (name.empty()) continue;
      Names sets;
      if (paper_.window != 0)
        sets.push_back(fmt::format("{}=[{}cycles]", root_.text("window"), paper_.window));
      const auto of_campaign = kept.find(name);
      if (of_campaign != kept.end()) sets.push_back("only=" + only_text(of_campaign->second));
      try {
        paper_.campaigns.push_back(load_campaign(find_data("stimuli/campaigns", name, file_), sets));
      } catch (const config::Error& error) {  // the figures cannot be checked without their campaign
        Names problems = error.problems();
        problems.front() = fmt::format("{}: {}", value.place(), problems.front());
        throw config::Error(problems);
      }
      if (of_campaign != kept.end()) note_left_out(paper_.campaigns.back(), of_campaign->second);
    }
    if (root_.list("campaigns").empty()) root_.value("campaigns").problem("no campaign");
  }

  // A window of the command line replaces that of the short form.
  void read_window() {
    paper_.has_window = root_.has("window");
    const bool has_short_window = paper_.has_short && root_.section("short").has(kWindow);
    const std::uint64_t of_short =
        has_short_window ? root_.section("short").cycles(kWindow, {1, kMostWindow}) : 0;
    if (has_short_window && !paper_.has_window)
      root_.section("short").value(kWindow).problem("the paper's runs have no window");
    if (paper_.has_window) paper_.window = size_.window != 0 || !size_.is_short ? size_.window : of_short;
  }

  // Reads which values of their axes the campaigns keep in the short form, and returns them by the name of
  // the campaign, "key: [values]" each; nothing where the whole paper is run.
  std::map<std::string, std::vector<Assignment>> read_short() {
    std::map<std::string, std::vector<Assignment>> kept;
    paper_.has_short = root_.has("short");
    if (!paper_.has_short) return kept;
    Names known;
    for (const Value& value : root_.list("campaigns")) known.push_back(value.text());
    const Section section = root_.section("short");
    const std::optional<double> run_time = run_time_of(section);
    if (size_.is_short && run_time) paper_.run_seconds = run_time;
    for (const std::string& name : section.keys()) {
      if (name == kWindow || name == kRunTime) continue;
      must_be_one_of(section.value(name), name, known);
      const Section of_campaign = section.section(name);
      for (const std::string& key : of_campaign.keys()) {
        const std::string values = of_campaign.value(key).assigned();
        if (size_.is_short) kept[name].push_back({key, values});
      }
    }
    return kept;
  }

  // A key may have brackets, "applications[0]", so that it stands in quotes.
  static std::string only_text(const std::vector<Assignment>& kept) {
    Names keys;
    for (const Assignment& of_key : kept)
      keys.push_back(fmt::format("{{\"{}\": {}}}", of_key.key, of_key.value));
    return fmt::format("[{}]", fmt::join(keys, ", "));
  }

  // "mixes: 12 of 60 points, mix.size: [2, 4]"
  void note_left_out(const Campaign& campaign, const std::vector<Assignment>& kept) {
    if (campaign.points.size() == campaign.product) return;
    std::string line =
        fmt::format("{}: {} of {} points", campaign.name, campaign.points.size(), campaign.product);
    for (const Assignment& of_key : kept) line += fmt::format(", {}: {}", of_key.key, of_key.value);
    paper_.left_out.push_back(std::move(line));
  }

  void read_arm(const Section& arm) {
    for (const PaperArm& other : paper_.arms)
      if (other.name == arm.text("arm")) arm.value("arm").problem("another arm has this name");
    paper_.arms.push_back({arm.text("arm"), read_where(arm, all_campaigns()), arm.text("reason", "")});
  }

  Campaigns all_campaigns() const {
    Campaigns all;
    for (const Campaign& campaign : paper_.campaigns) all.push_back(&campaign);
    return all;
  }

  // Reads which samples count. Each key is an axis of one of the campaigns, and each value is one of that
  // axis.
  static std::vector<Assignment> read_where(const Section& from, const Campaigns& campaigns) {
    std::vector<Assignment> where;
    if (!from.has("where")) return where;
    const Section section = from.section("where");
    for (const std::string& key : section.keys()) {
      const Names known = values_of(campaigns, key);
      const std::string value = section.text(key);
      if (known.empty())
        section.value(key).problem(fmt::format("no axis varies '{}'", key));
      else
        must_be_one_of(section.value(key), value, known);
      where.push_back({key, value});
    }
    return where;
  }

  // Reads one name or a list of names. Names without a campaign are a problem and left out.
  Campaigns read_campaigns_of(const Section& section) const {
    Names known;
    for (const Campaign& campaign : paper_.campaigns) known.push_back(campaign.name);
    const Value value = section.value("campaign");
    Campaigns campaigns;
    for (const Value& name : value.is_list() ? value.list() : std::vector<Value>{value}) {
      must_be_one_of(name, name.text(), known);
      for (const Campaign& campaign : paper_.campaigns)
        if (campaign.name == name.text()) campaigns.push_back(&campaign);
    }
    if (value.is_list() && value.list().empty()) value.problem("no campaign");
    return campaigns;
  }

  void read_figure(const Section& section) {
    const Campaigns campaigns = read_campaigns_of(section);
    PaperFigure figure;
    figure.figure = section.text("figure");
    figure.title = section.text("title");
    figure.finding = section.text("finding", "");
    for (const Campaign* campaign : campaigns) figure.campaigns.push_back(campaign->name);
    figure.value = section.text("value");
    figure.mean = section.choice("mean", {"arithmetic", "geometric", "median"}, "arithmetic");
    figure.rows = section.text("rows");
    figure.columns = section.text("columns");
    figure.over = section.text("over", "");
    figure.ratio = section.choice("ratio", {"of-means", "of-values"}, "of-means");
    figure.speed_up = section.boolean("speed_up", false);
    figure.best = read_best(section, campaigns);
    figure.mean_row = section.boolean("mean_row", false);
    figure.plot = section.choice("plot", {"bars", "curves", "box", "scatter"}, "bars");
    if (figure.plot == "scatter") figure.against = section.text("against");
    read_statistic(section, campaigns, figure);
    figure.normalise = read_normalisation(section, campaigns, figure);
    if (figure.plot != "bars" && figure.mean_row)
      section.value("mean_row").problem("only bars have a row that is a mean");
    if (figure.plot == "box" && !figure.over.empty())
      section.value("over").problem("boxes are of values, which are over no column");
    figure.where = read_where(section, campaigns);
    figure.reason = section.text("reason", "");
    if (!campaigns.empty()) check_names(section, campaigns, figure);
    for (const Value& value : section.list("theirs"))
      figure.theirs.push_back(read_number(value.section(), campaigns, figure));
    paper_.figures.push_back(std::move(figure));
  }

  // Reads what a number of the figure is of the values that it is made of.
  static void read_statistic(const Section& section, const Campaigns& campaigns, PaperFigure& figure) {
    figure.statistic = section.choice(
        "statistic", {"mean", "least", "most", "range", "porting-loss", "porting-growth"}, "mean");
    const bool is_porting = figure.statistic.rfind("porting", 0) == 0;
    if (is_porting) {
      figure.across = section.text("across");
      must_be_one_of(section.value("across"), figure.across, keys_of(campaigns));
      if (figure.across == figure.columns || figure.across == figure.rows)
        section.value("across").problem("rows and columns are of the axis across which it is");
    }
    const bool is_ratio = is_porting || figure.statistic == "range";
    if (is_ratio && !figure.over.empty())
      section.value("over").problem(fmt::format("'{}' is a ratio already", figure.statistic));
    if (is_ratio && figure.ratio == "of-values")
      section.value("ratio").problem(fmt::format("ratios of values have no '{}'", figure.statistic));
  }

  static std::optional<PaperNormalisation> read_normalisation(const Section& from, const Campaigns& campaigns,
                                                              const PaperFigure& figure) {
    if (!from.has("normalise")) return std::nullopt;
    const Section section = from.section("normalise");
    PaperNormalisation normalise{section.text("per"), section.choice("to", {"least", "most"}),
                                 section.text("column", "")};
    must_be_one_of(section.value("per"), normalise.per, keys_of(campaigns));
    if (section.has("column"))
      must_be_one_of(section.value("column"), normalise.column, values_of(campaigns, figure.columns));
    if (!figure.over.empty()) section.problem("the figure is over a column");
    if (figure.best) section.problem("the figure has a best of its values");
    return normalise;
  }

  // Reads an additional column: the best of all columns and of all values of an axis.
  static std::optional<PaperBest> read_best(const Section& from, const Campaigns& campaigns) {
    if (!from.has("best")) return std::nullopt;
    const Section section = from.section("best");
    PaperBest best{section.text("column"), section.text("of")};
    must_be_one_of(section.value("of"), best.of, keys_of(campaigns));
    return best;
  }

  static void check_names(const Section& section, const Campaigns& campaigns, const PaperFigure& figure) {
    Names keys = keys_of(campaigns);
    keys.insert(keys.end(), {"variant", "application", kAll});
    must_be_one_of(section.value("rows"), figure.rows, keys);
    keys.resize(keys.size() - 2);
    must_be_one_of(section.value("columns"), figure.columns, keys);
    const bool by_application = figure.rows == "application";
    const Names values = by_application ? Names{"ntt", "turnaround_ps"} : metrics_of(campaigns);
    must_be_one_of(section.value("value"), figure.value, values);
    if (figure.plot == "scatter") must_be_one_of(section.value("against"), figure.against, values);
  }

  // One of the values that `axis`, the rows or columns of a figure, has in its campaigns, or one of `more`.
  static std::string read_place(const Section& section, const char* key, const std::string& axis,
                                const Campaigns& campaigns, const Names& more) {
    std::string place = section.text(key);
    Names known = axis == kAll ? Names{kAll} : values_of(campaigns, axis);
    if (known.empty()) return place;
    known.insert(known.end(), more.begin(), more.end());
    must_be_one_of(section.value(key), place, known);
    return place;
  }

  static PaperNumber read_number(const Section& section, const Campaigns& campaigns,
                                 const PaperFigure& figure) {
    PaperNumber number;
    const Names mean = figure.mean_row ? Names{kMean} : Names{};
    number.row = read_place(section, "row", figure.rows, campaigns, mean);
    number.column = read_place(section, "column", figure.columns, campaigns, {});
    number.over = section.text("over", figure.over);
    number.value = section.value("value").real({0, 1e15});
    number.words = section.text("words", "");
    return number;
  }

  const Section& root_;
  const std::string file_;
  const PaperSize size_;
  Paper paper_;
};

}  // namespace

Paper load_paper(const std::string& name_or_file, PaperSize size) {
  const std::string file = find_data("stimuli/papers", name_or_file);
  const config::Document document = config::Document::load(file);
  const Section root = document.root();
  Paper paper = PaperReader(root, file, size).read();
  document.finish();
  return paper;
}

}  // namespace heddle
