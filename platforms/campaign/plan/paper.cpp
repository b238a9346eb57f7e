#include "platforms/campaign/plan/paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "models/core/config/data_path.h"

namespace heddle {

namespace {

using config::Section;
using config::Value;
using Json = nlohmann::ordered_json;
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
    paper_.page = {{"paper", paper_.name}, {"title", paper_.title}, {"source", root_.text("source")}};
    read_campaigns();
    paper_.page["arms"] = Json::array();
    for (const Value& value : root_.list("arms")) read_arm(value.section());
    if (paper_.page["arms"].empty()) root_.value("arms").problem("no arm");
    paper_.page["figures"] = Json::array();
    for (const Value& value : root_.list("figures")) read_figure(value.section());
    if (paper_.page["figures"].empty()) root_.value("figures").problem("no figure");
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
    for (const Json& other : paper_.page["arms"])
      if (other["name"] == arm.text("arm")) arm.value("arm").problem("another arm has this name");
    paper_.page["arms"].push_back(
        {{"name", arm.text("arm")}, {"where", read_where(arm, nullptr)}, {"reason", arm.text("reason", "")}});
  }

  // Reads which samples count. Each key is an axis of the campaign, or of one of the campaigns, and each
  // value is one of that axis.
  Json read_where(const Section& from, const Campaign* only) {
    Json where = Json::object();
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
      where[key] = value;
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
    Json figure{{"figure", section.text("figure")},
                {"title", section.text("title")},
                {"finding", section.text("finding", "")},
                {"campaign", section.text("campaign")},
                {"value", section.text("value")},
                {"mean", section.choice("mean", {"arithmetic", "geometric", "median"}, "arithmetic")},
                {"rows", section.text("rows")},
                {"columns", section.text("columns")},
                {"over", section.text("over", "")},
                {"ratio", section.choice("ratio", {"of-means", "of-values"}, "of-means")}};
    figure["speed_up"] = section.boolean("speed_up", false);
    figure["best"] = read_best(section, campaign);
    figure["where"] = read_where(section, campaign);
    figure["reason"] = section.text("reason", "");
    figure["theirs"] = Json::array();
    const bool known = campaign != nullptr;
    if (known) check_names(section, *campaign, figure);
    for (const Value& value : section.list("theirs")) read_number(value.section(), campaign, figure);
    paper_.page["figures"].push_back(figure);
  }

  // Reads an additional column: the best of all columns and of all values of an axis.
  static Json read_best(const Section& from, const Campaign* campaign) {
    Json best = Json::object();
    if (!from.has("best")) return best;
    const Section section = from.section("best");
    best["column"] = section.text("column");
    best["of"] = section.text("of");
    if (campaign != nullptr) must_be_one_of(section.value("of"), best["of"], campaign->keys);
    return best;
  }

  static void check_names(const Section& section, const Campaign& campaign, const Json& figure) {
    Names keys = campaign.keys;
    keys.insert(keys.end(), {"variant", "application", kAll});
    must_be_one_of(section.value("rows"), figure["rows"], keys);
    keys.resize(keys.size() - 2);
    must_be_one_of(section.value("columns"), figure["columns"], keys);
    const bool by_application = figure["rows"] == "application";
    const Names values = by_application ? Names{"ntt", "turnaround_ps"} : campaign.metrics;
    must_be_one_of(section.value("value"), figure["value"], values);
  }

  static void read_number(const Section& section, const Campaign* campaign, Json& figure) {
    Json number;
    for (const auto& [key, names] : {std::pair{"row", "rows"}, std::pair{"column", "columns"}}) {
      number[key] = section.text(key);
      const Names known = figure[names] == kAll ? Names{kAll}
                          : campaign == nullptr ? Names()
                                                : values_of(*campaign, figure[names]);
      if (!known.empty()) must_be_one_of(section.value(key), number[key], known);
    }
    number["over"] = section.text("over", figure["over"]);
    number["value"] = section.value("value").real({0, 1e12});
    number["words"] = section.text("words", "");
    figure["theirs"].push_back(number);
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
