#include "platforms/campaign/plan/paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "models/core/config/data_path.h"

namespace heddle {

namespace {

using config::Section;
using config::Value;
using Names = std::vector<std::string>;

constexpr const char* kAll = "all";  // the row of a figure that has one

void must_be_one_of(const Value& value, const std::string& name, const Names& known) {
  if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string nearest = config::nearest_name(name, known);
  value.problem(fmt::format("'{}' is not among {}{}", name, fmt::join(known, ", "),
                            nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

// The values of one key over a campaign's points.
Names values_of(const Campaign& campaign, const std::string& key) {
  Names values;
  for (const CampaignPoint& point : campaign.points)
    for (const Assignment& assignment : point.values)
      if (assignment.key == key && std::find(values.begin(), values.end(), assignment.value) == values.end())
        values.push_back(assignment.value);
  return values;
}

class PaperReader {
 public:
  PaperReader(const Section& root, const std::string& file, std::uint64_t window)
      : root_(root), file_(file), window_(window) {}

  Paper read() {
    paper_.name = read_name(root_, "paper");
    paper_.title = root_.text("title");
    paper_.source = root_.text("source");
    read_campaigns();
    for (const Value& value : root_.list("arms")) read_arm(value.section());
    if (paper_.arms.empty()) root_.value("arms").problem("no arm");
    for (const Value& value : root_.list("figures")) read_figure(value.section());
    if (paper_.figures.empty()) root_.value("figures").problem("no figure");
    return std::move(paper_);
  }

 private:
  void read_campaigns() {
    Names sets;
    if (root_.has("window")) {
      paper_.has_window = true;
      if (window_ != 0) sets.push_back(fmt::format("{}=[{}cycles]", root_.text("window"), window_));
    }
    for (const Value& value : root_.list("campaigns")) {
      const std::string name = value.text();
      if (name.empty()) continue;
      try {
        paper_.campaigns.push_back(load_campaign(find_data("stimuli/campaigns", name, file_), sets));
      } catch (const config::Error& error) {  // the figures cannot be checked without their campaign
        Names problems = error.problems();
        problems.front() = fmt::format("{}: {}", value.place(), problems.front());
        throw config::Error(problems);
      }
    }
    if (root_.list("campaigns").empty()) root_.value("campaigns").problem("no campaign");
  }

  void read_arm(const Section& arm) {
    for (const PaperArm& other : paper_.arms)
      if (other.name == arm.text("arm")) arm.value("arm").problem("another arm has this name");
    paper_.arms.push_back({arm.text("arm"), read_where(arm, nullptr), arm.text("reason", "")});
  }

  // Reads which samples count. Each key is an axis of the campaign, or of one of the campaigns, and each
  // value is one of that axis.
  std::vector<Assignment> read_where(const Section& from, const Campaign* only) {
    std::vector<Assignment> where;
    if (!from.has("where")) return where;
    const Section section = from.section("where");
    for (const std::string& key : section.keys()) {
      Names known;
      for (const Campaign& campaign : paper_.campaigns)
        if (only == nullptr || only == &campaign)
          for (const std::string& value : values_of(campaign, key)) known.push_back(value);
      const std::string value = section.text(key);
      if (known.empty())
        section.value(key).problem(fmt::format("no axis varies '{}'", key));
      else
        must_be_one_of(section.value(key), value, known);
      where.push_back({key, value});
    }
    return where;
  }

  const Campaign* read_campaign_of(const Section& section) {
    Names known;
    for (const Campaign& campaign : paper_.campaigns) known.push_back(campaign.name);
    const std::string name = section.text("campaign");
    must_be_one_of(section.value("campaign"), name, known);
    for (const Campaign& campaign : paper_.campaigns)
      if (campaign.name == name) return &campaign;
    return nullptr;
  }

  void read_figure(const Section& section) {
    const Campaign* campaign = read_campaign_of(section);
    PaperFigure figure;
    figure.figure = section.text("figure");
    figure.title = section.text("title");
    figure.finding = section.text("finding", "");
    figure.campaign = section.text("campaign");
    figure.value = section.text("value");
    figure.mean = section.choice("mean", {"arithmetic", "geometric", "median"}, "arithmetic");
    figure.rows = section.text("rows");
    figure.columns = section.text("columns");
    figure.over = section.text("over", "");
    figure.ratio = section.choice("ratio", {"of-means", "of-values"}, "of-means");
    figure.speed_up = section.boolean("speed_up", false);
    figure.best = read_best(section, campaign);
    figure.where = read_where(section, campaign);
    figure.reason = section.text("reason", "");
    if (campaign != nullptr) check_names(section, *campaign, figure);
    for (const Value& value : section.list("theirs"))
      figure.theirs.push_back(read_number(value.section(), campaign, figure));
    paper_.figures.push_back(std::move(figure));
  }

  // Reads an additional column: the best of all columns and of all values of an axis.
  static std::optional<PaperBest> read_best(const Section& from, const Campaign* campaign) {
    if (!from.has("best")) return std::nullopt;
    const Section section = from.section("best");
    PaperBest best{section.text("column"), section.text("of")};
    if (campaign != nullptr) must_be_one_of(section.value("of"), best.of, campaign->keys);
    return best;
  }

  static void check_names(const Section& section, const Campaign& campaign, const PaperFigure& figure) {
    Names keys = campaign.keys;
    keys.insert(keys.end(), {"variant", "application", kAll});
    must_be_one_of(section.value("rows"), figure.rows, keys);
    keys.resize(keys.size() - 2);
    must_be_one_of(section.value("columns"), figure.columns, keys);
    const bool by_application = figure.rows == "application";
    const Names values = by_application ? Names{"ntt", "turnaround_ps"} : campaign.metrics;
    must_be_one_of(section.value("value"), figure.value, values);
  }

  // One of the values that `axis`, the rows or columns of a figure, has in its campaign.
  static std::string read_place(const Section& section, const char* key, const std::string& axis,
                                const Campaign* campaign) {
    std::string place = section.text(key);
    const Names known = axis == kAll          ? Names{kAll}
                        : campaign == nullptr ? Names()
                                              : values_of(*campaign, axis);
    if (!known.empty()) must_be_one_of(section.value(key), place, known);
    return place;
  }

  static PaperNumber read_number(const Section& section, const Campaign* campaign,
                                 const PaperFigure& figure) {
    PaperNumber number;
    number.row = read_place(section, "row", figure.rows, campaign);
    number.column = read_place(section, "column", figure.columns, campaign);
    number.over = section.text("over", figure.over);
    number.value = section.value("value").real({0, 1e12});
    number.words = section.text("words", "");
    return number;
  }

  const Section& root_;
  const std::string file_;
  const std::uint64_t window_;
  Paper paper_;
};

}  // namespace

Paper load_paper(const std::string& name_or_file, std::uint64_t window) {
  const std::string file = find_data("stimuli/papers", name_or_file);
  const config::Document document = config::Document::load(file);
  const Section root = document.root();
  Paper paper = PaperReader(root, file, window).read();
  document.finish();
  return paper;
}

}  // namespace heddle
