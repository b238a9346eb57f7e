#include "models/stats/stats_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "models/stats/path_ranges.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPaths = 10'000'000;  // of a file; a larger one is not Heddle's

void check_schema(const Json& file) {
  if (!file.is_object()) throw StatsError("is damaged: must be an object");
  const auto schema = file.find("schema");
  if (schema == file.end())
    throw StatsError(fmt::format("has no schema; this program reads {}", kStatsSchema));
  if (*schema != kStatsSchema)
    throw StatsError(fmt::format("is of the schema {}; this program reads {}",
                                 schema->is_string() ? schema->get<std::string>() : schema->dump(),
                                 kStatsSchema));
}

void check_keys(const Json& object, const std::set<std::string>& known) {
  for (const auto& [key, value] : object.items())
    if (known.count(key) == 0) throw StatsError(fmt::format("is damaged: unknown key '{}'", key));
}

class EntryReader {
 public:
  EntryReader(const Json& entry, std::vector<ReadStatistic>& statistics)
      : entry_(entry), statistics_(statistics) {
    check_keys(entry,
               {"unit", "description", "numerator", "denominator", "scale", "values", "zero", "undefined"});
    entry.at("unit").get_to(common_.unit);
    entry.at("description").get_to(common_.description);
    if (!entry.contains("numerator")) return;
    auto formula = std::make_shared<ReadFormula>();
    formula->numerator = paths_of(entry.at("numerator"));
    formula->denominator = paths_of(entry.at("denominator"));
    entry.at("scale").get_to(formula->scale);
    common_.formula = std::move(formula);
  }

  void read() {
    const Json none = Json::object();
    const Json& values = entry_.contains("values") ? entry_.at("values") : none;
    for (const auto& [range, value] : values.items()) read_values(range, value);
    if (entry_.contains("zero"))
      for (const std::string& path : paths_of(entry_.at("zero"))) add(path, 0, 0.0);
    if (entry_.contains("undefined"))
      for (const std::string& path : paths_of(entry_.at("undefined"))) add(path, 0, std::nullopt);
  }

 private:
  static std::vector<std::string> paths_of(const Json& ranges) {
    std::vector<std::string> paths;
    for (const Json& range : ranges)
      for (std::string& path : paths_in(range.get<std::string>(), kMostPaths))
        paths.push_back(std::move(path));
    return paths;
  }

  void read_values(const std::string& range, const Json& values) {
    const std::vector<std::string> paths = paths_in(range, kMostPaths);
    if (paths.size() != (values.is_array() ? values.size() : 1))
      throw StatsError(
          fmt::format("is damaged: {} has {} paths and {} values", range, paths.size(), values.size()));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const Json& value = values.is_array() ? values[i] : values;
      const bool fits = common_.formula ? value.is_number() : value.is_number_unsigned();
      if (!fits) throw StatsError(fmt::format("is damaged: {} has a value {}", range, value.dump()));
      add(paths[i], common_.formula ? 0 : value.get<std::uint64_t>(), value.get<double>());
    }
  }

  void add(const std::string& path, std::uint64_t count, std::optional<double> value) {
    if (statistics_.size() == kMostPaths) throw StatsError("is damaged: too many paths");
    statistics_.push_back(common_);
    statistics_.back().path = path;
    statistics_.back().count = count;
    statistics_.back().value = value;
  }

  const Json& entry_;
  std::vector<ReadStatistic>& statistics_;
  ReadStatistic common_;
};

}  // namespace

std::string ReadStatistic::path_of(const std::string& operand) const {
  return path.substr(0, path.rfind('.') + 1) + operand;
}

std::vector<ReadStatistic> read_stats(const std::string& text) {
  try {
    const Json file = Json::parse(text);
    check_schema(file);
    check_keys(file, {"schema", "statistics"});
    std::vector<ReadStatistic> statistics;
    for (const Json& entry : file.at("statistics")) EntryReader(entry, statistics).read();
    return statistics;
  } catch (const nlohmann::json::exception& error) {
    throw StatsError(fmt::format("is damaged: {}", error.what()));
  } catch (const std::invalid_argument& error) {
    throw StatsError(fmt::format("is damaged: {}", error.what()));
  }
}

}  // namespace heddle
