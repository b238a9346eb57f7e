#include "platforms/c_api/counter_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "platforms/c_api/handle.h"

namespace heddle {

namespace {

std::string operands(const Statistic& statistic, const std::vector<Formula::Operand>& list) {
  std::vector<std::string> paths;
  paths.reserve(list.size());
  for (const Formula::Operand& operand : list) paths.push_back(statistic.path_of(operand));
  return fmt::format("{}", fmt::join(paths, " + "));
}

// Returns why there is no counter of this name.
std::string why_no_counter(const Group& stats, const std::string& name) {
  std::string formula;
  std::vector<std::string> known;
  stats.visit([&](const Statistic& statistic) {
    if (!statistic.is_formula()) known.push_back(statistic.path);
    if (statistic.is_formula() && statistic.path == name)
      formula = fmt::format("'{}' is no counter but {} * ({}) / ({}), whose operands are counters", name,
                            statistic.formula->scale(), operands(statistic, statistic.formula->numerator()),
                            operands(statistic, statistic.formula->denominator()));
  });
  if (!formula.empty()) return formula;
  return fmt::format("there is no counter '{}'{}", name, config::suggestion(name, known));
}

}  // namespace

std::uint64_t counter_of(const Group& stats, const std::string& name) {
  const Counter* counter = stats.find(name);
  if (counter == nullptr) throw BadCall(why_no_counter(stats, name));
  return counter->value();
}

std::string table_of(const Group& stats) {
  std::string table;
  stats.visit([&](const Statistic& statistic) {
    if (!statistic.is_formula())
      table += fmt::format("{}\t{}\t{}\n", statistic.path, statistic.unit, statistic.description);
  });
  return table;
}

}  // namespace heddle
