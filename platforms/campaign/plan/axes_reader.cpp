#include "platforms/campaign/plan/axes_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/plan/campaign.h"
#include "platforms/campaign/plan/partitions.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using config::Section;
using config::Value;
using Places = std::vector<Value>;

constexpr const char* kQuotas = "policies.sm_partitioner.quotas";  // a parameter of `fixed`

bool is_kernels_list(const std::string& name) {
  return fs::path(name).extension() == ".g";
}

// Returns whether the values of the key are plain names, which are not read as YAML.
bool is_name_only(const std::string& key) {
  return key == kLabelOfStep || key.rfind(Overrides::kPolicyPrefix, 0) == 0;
}

class AxesReader {
 public:
  AxesReader(const Section& root, const std::string& beside, const std::string& experiment)
      : root_(root), beside_(beside), experiment_(experiment) {}

  CampaignAxes read() {
    if (root_.has("axes")) {
      const Value axes = root_.value("axes");
      if (axes.is_list() && axes.list().empty()) axes.problem("no axis");
      for (const Value& value : axes.list()) read_entry(value);
    }
    read_seeds();
    return std::move(result_);
  }

 private:
  void read_entry(const Value& value) {
    const Section entry = value.section();
    if (!value.is_section()) return;
    const std::vector<std::string> keys = entry.keys();
    static const std::vector<std::string> kinds{"product", "zip", "list", "partitions"};
    const bool known = keys.size() == 1 && std::find(kinds.begin(), kinds.end(), keys[0]) != kinds.end();
    if (!known) {
      for (const std::string& key : keys) entry.has(key);
      return entry.problem("an entry of the axes is one of product, zip, list and partitions");
    }
    if (keys[0] == "list") return read_list(entry.value("list"));
    if (keys[0] == "partitions") return read_partitions(entry.value("partitions"));
    const Section section = entry.section(keys[0]);
    if (entry.value(keys[0]).is_section() && section.keys().empty()) return section.problem("no key to vary");
    if (keys[0] == "product") return read_product(section);
    read_zip(section);
  }

  void read_product(const Section& section) {
    for (const std::string& key : section.keys()) {
      const std::vector<Value> values = values_of(section.value(key));
      begin(section.value(key));
      for (const Value& value : values) {
        add_step();
        assign(key, value);
      }
      finish_axis({key});
    }
  }

  void read_zip(const Section& section) {
    const std::vector<std::string> keys = section.keys();
    std::vector<std::vector<Value>> values;
    for (const std::string& key : keys) {
      const Value list = section.value(key);
      values.push_back(values_of(list));
      if (!values.back().empty() && !values.front().empty() && values.back().size() != values.front().size())
        list.problem(fmt::format("{} values, but '{}' has {}", values.back().size(), keys.front(),
                                 values.front().size()));
    }
    if (keys.empty()) return;
    begin(section.value(keys.front()));
    const bool equal = std::all_of(values.begin(), values.end(),
                                   [&](const auto& list) { return list.size() == values.front().size(); });
    if (!equal) return finish_axis(keys);  // the axis has no step
    for (std::size_t i = 0; i < values.front().size(); ++i) {
      add_step();
      for (std::size_t k = 0; k < keys.size(); ++k) assign(keys[k], values[k][i]);
    }
    finish_axis(keys);
  }

  void read_list(const Value& list) {
    begin(list);
    std::vector<std::string> keys;
    for (const Value& value : values_of(list)) {
      const Section section = value.section();
      add_step();
      for (const std::string& key : section.keys()) {
        assign(key, section.value(key));
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      }
    }
    finish_axis(keys);
  }

  // Reads lists of applications. Each list runs under every combination of block counts that fits an SM. The
  // file of a campaign that has results states the combinations: the applications, then lists of block
  // counts.
  void read_partitions(const Value& list) {
    begin(list);
    std::vector<std::string> resolved;
    for (const Value& value : values_of(list)) {
      const std::vector<Value> parts = value.list();
      if (parts.empty()) continue;
      const bool is_kept = parts.front().is_list();
      const std::string applications = (is_kept ? parts.front() : value).assigned();
      std::vector<std::string> quotas;
      if (is_kept)
        for (std::size_t i = 1; i < parts.size(); ++i) quotas.push_back(parts[i].assigned());
      else
        quotas = fitting(applications, value);
      for (const std::string& blocks : quotas) {
        add_step();
        set("applications", applications, value);
        set(kQuotas, blocks, value);
      }
      resolved.push_back(fmt::format("[{}, {}]", applications, fmt::join(quotas, ", ")));
    }
    if (!beside_.empty() && !resolved.empty())
      result_.resolved.push_back(fmt::format("{}=[{}]", list.path(), fmt::join(resolved, ", ")));
    finish_axis({"applications", kQuotas});
  }

  std::vector<std::string> fitting(const std::string& applications, const Value& value) const {
    std::vector<std::string> quotas;
    if (experiment_.empty()) return quotas;  // this is reported already
    try {
      Overrides overrides;
      overrides.sets = {"applications=" + applications, std::string(kQuotas) + "=all"};
      for (const std::vector<std::uint32_t>& blocks : partitions_of(load_experiment(experiment_, overrides)))
        quotas.push_back(fmt::format("[{}]", fmt::join(blocks, ", ")));
      if (quotas.empty()) value.problem("a block of each of these does not fit an SM");
    } catch (const config::Error& error) {
      value.problem(error.problems().front());
    }
    return quotas;
  }

  void read_seeds() {
    if (!root_.has("seeds") && !root_.has("repeats")) return;
    const Value value = root_.value(root_.has("seeds") ? "seeds" : "repeats");
    if (root_.has("seeds") && root_.has("repeats"))
      return root_.value("repeats").problem("a campaign has either 'seeds' or 'repeats'");
    begin(value);
    if (root_.has("seeds")) {
      for (const Value& seed : values_of(value)) {
        add_step();
        set("seed", fmt::format("{}", seed.integer()), seed);
      }
    } else {
      const auto most = static_cast<std::int64_t>(Campaign::kMostPoints);
      for (std::int64_t seed = 1, last = value.integer({1, most}); seed <= last; ++seed) {
        add_step();
        set("seed", fmt::format("{}", seed), value);
      }
    }
    finish_axis({"seed"});
    result_.keys.erase(std::remove(result_.keys.begin(), result_.keys.end(), "seed"), result_.keys.end());
    result_.has_seeds = true;
  }

  static std::vector<Value> values_of(const Value& list) {
    std::vector<Value> values = list.list();
    if (list.is_list() && values.empty()) list.problem("no value");
    return values;
  }

  void begin(const Value& at) {
    at_ = at;
    result_.axes.emplace_back();
    result_.places.emplace_back();
    known_.clear();
  }

  void add_step() {
    result_.axes.back().emplace_back();
    result_.places.back().emplace_back();
  }

  void set(const std::string& key, const std::string& text, const Value& value) {
    result_.axes.back().back().push_back({key, text});
    result_.places.back().back().push_back(value);
  }

  void assign(const std::string& key, const Value& value) {
    const bool odd = std::any_of(key.begin(), key.end(),
                                 [](char c) { return c == '=' || static_cast<unsigned char>(c) < ' '; });
    if (odd) {
      value.problem("a key has no '=' and no control character");
      return set(key, "", value);
    }
    const bool is_base = key == "experiment" || key == "platform";
    if (is_base || is_name_only(key)) {
      const std::string name = value.is_scalar() ? value.text() : "";
      if (name.empty()) value.problem(is_base ? "needs a name or a file" : "needs a name");
      if (name.empty() || !is_base) return set(key, name, value);
      const std::string folder = key == "platform" ? "platforms" : "stimuli/experiments";
      return set(key, find_base(value, folder, beside_, result_.resolved), value);
    }
    set(key, value.assigned(), value);
  }

  // Checks that no other axis has the keys and that no step occurs twice.
  void finish_axis(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      if (std::find(result_.keys.begin(), result_.keys.end(), key) == result_.keys.end())
        result_.keys.push_back(key);
      else
        at_->problem(fmt::format("another axis varies '{}' too", key));
    }
    const Axis& axis = result_.axes.back();
    for (std::size_t i = 0; i < axis.size(); ++i) {
      Step sorted = axis[i];
      std::sort(sorted.begin(), sorted.end());
      const auto [first, is_new] = known_.emplace(std::move(sorted), i);
      if (is_new) continue;
      const Places& places = result_.places.back()[i];
      (places.empty() ? *at_ : places.front())
          .problem(fmt::format("entry {} of this axis is entry {} again", i, first->second));
    }
  }

  const Section& root_;
  const std::string beside_;
  const std::string experiment_;
  CampaignAxes result_;
  std::optional<Value> at_;  // place of the axis that is being read
  std::map<Step, std::size_t> known_;
};

bool is_step_of(const CampaignAxes& axes, const Assignment& asked) {
  for (const Axis& axis : axes.axes)
    for (const Step& step : axis)
      if (std::find(step.begin(), step.end(), asked) != step.end()) return true;
  return false;
}

Assignment read_excluded(const Value& value, const std::string& key, CampaignAxes& axes,
                         const std::string& beside) {
  const bool is_base = key == "experiment" || key == "platform";
  const std::string folder = key == "platform" ? "platforms" : "stimuli/experiments";
  const bool is_name = value.is_scalar() && (is_base || is_name_only(key));
  Assignment excluded{key, is_name ? value.text() : value.assigned()};
  if (is_name && is_base) excluded.value = find_base(value, folder, beside, axes.resolved);
  std::vector<std::string> keys = axes.keys;
  if (axes.has_seeds) keys.emplace_back("seed");
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    value.problem(fmt::format("no axis varies '{}'{}", key, config::suggestion(key, keys)));
  } else if (points_of(axes.axes) != 0u && !excluded.value.empty() && !is_step_of(axes, excluded)) {
    value.problem(fmt::format("no point has {}={}", excluded.key, excluded.value));
  }
  return excluded;
}

// Reads `only`, and excludes every value of its keys that it does not list.
void read_only(const Section& root, CampaignAxes& axes, const std::string& beside,
               std::vector<std::vector<Assignment>>& exclusions) {
  for (const Value& value : root.list("only")) {
    const Section section = value.section();
    for (const std::string& key : section.keys()) {
      std::vector<Assignment> kept;
      for (const Value& each : section.list(key)) kept.push_back(read_excluded(each, key, axes, beside));
      for (const Axis& axis : axes.axes)
        for (const Step& step : axis)
          for (const Assignment& assignment : step)
            if (assignment.key == key && std::find(kept.begin(), kept.end(), assignment) == kept.end())
              exclusions.push_back({assignment});
    }
  }
}

}  // namespace

std::string find_base(const Value& value, const std::string& folder, const std::string& beside,
                      std::vector<std::string>& resolved) {
  std::string name = value.text();
  if (name.empty()) {
    if (value.is_scalar()) value.problem("needs a name or a file");
    return name;
  }
  if (beside.empty()) return name;
  if (!is_file_name(name) && is_kernels_list(name)) name = "./" + name;
  try {
    const std::string found = find_data(folder, name, beside);
    if (!is_file_name(name)) return name;
    name = fs::absolute(found).lexically_normal().string();
    resolved.push_back(value.path() + "=" + name);
  } catch (const config::Error& error) {
    value.problem(error.what());
    return "";
  }
  return name;
}

CampaignAxes read_axes(const Section& root, const std::string& beside, const std::string& experiment) {
  return AxesReader(root, beside, experiment).read();
}

std::vector<std::vector<Assignment>> read_exclusions(const Section& root, CampaignAxes& axes,
                                                     const std::string& beside) {
  std::vector<std::vector<Assignment>> exclusions;
  for (const Value& value : root.list("exclude")) {
    const Section section = value.section();
    if (value.is_section() && section.keys().empty()) value.problem("would exclude every point");
    exclusions.emplace_back();
    for (const std::string& key : section.keys())
      exclusions.back().push_back(read_excluded(section.value(key), key, axes, beside));
  }
  read_only(root, axes, beside, exclusions);
  return exclusions;
}

}  // namespace heddle
