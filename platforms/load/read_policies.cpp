// The policies of a platform or an experiment, and whether they fit a GPU.

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "platforms/load/platform_loader.h"
#include "platforms/load/read_dram.h"
#include "policies/command_arbiter/i_command_arbiter.h"
#include "policies/sm_partitioner/fixed.h"

namespace heddle {

namespace {

constexpr const char* kCycles = "cycles";  // the unit of a policy's parameter

std::vector<std::int64_t> read_list(const config::Value& value, config::Range range) {
  std::vector<std::int64_t> list;
  for (const config::Value& entry : value.list()) {
    const bool all = range.least <= PolicyValue::kAll && entry.is_scalar() && entry.text() == "all";
    list.push_back(all ? PolicyValue::kAll : entry.integer(range));
  }
  return list;
}

// `all`, a list, or a list of lists: what its first entry is.
PolicyValue read_lists(const config::Value& value, const PolicyParameter& parameter) {
  if (value.is_scalar() && value.text() == "all") return IntegerLists{};
  const config::Range range{static_cast<std::int64_t>(parameter.least),
                            static_cast<std::int64_t>(parameter.most)};
  const std::vector<config::Value> entries = value.list();
  if (entries.empty() || !entries.front().is_list()) return IntegerLists{read_list(value, range)};
  IntegerLists lists;
  for (const config::Value& entry : entries) lists.push_back(read_list(entry, range));
  return lists;
}

// A number, or of cycles a share of the window: "1%".
double read_number(const config::Value& value, const PolicyParameter* known, std::uint64_t window) {
  const std::string text = value.is_scalar() ? value.text() : "";
  if (text.empty() || text.back() != '%') return value.real({-1e18, 1e18});
  const char* const end = text.data() + text.size() - 1;
  double percent = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || stopped != end || !(percent >= 0 && percent <= 100))
    value.problem("a share lies in 0% .. 100%");
  else if (known != nullptr && known->unit != kCycles)
    value.problem("only cycles can be a share of the window");
  else if (window == 0)
    value.problem("there is no window to take a share of");
  return std::floor(percent / 100 * static_cast<double>(window));
}

// Without a name where a problem is recorded.
PolicyChoice read_policy(const std::string& decision, const config::Value& value, std::uint64_t window) {
  PolicyChoice choice;
  if (value.is_scalar()) {
    choice.name = value.text();
    return choice;
  }
  const config::Section section = value.section();
  choice.name = section.text("name");
  for (const std::string& key : section.keys()) {
    if (key == "name") continue;
    const PolicyParameter* known = PolicyCatalogue::instance().find(decision, choice.name, key);
    const config::Value given = section.value(key);
    choice.parameters[key] = known != nullptr && known->fallback.is_lists()
                                 ? read_lists(given, *known)
                                 : read_number(given, known, window);
  }
  return choice;
}

}  // namespace

void read_policies(const config::Section& section, std::map<std::string, PolicyChoice>& policies,
                   std::uint64_t window_cycles) {
  for (const std::string& decision : section.keys()) {
    if (decision == kLabelOfPolicies) continue;
    const config::Value value = section.value(decision);
    const PolicyChoice choice = read_policy(decision, value, window_cycles);
    if (choice.name.empty() && !value.is_scalar()) continue;
    try {
      PolicyCatalogue::instance().resolve(decision, choice);
      policies[decision] = choice;
    } catch (const PolicyError& error) {
      value.problem(error.what());
    }
  }
}

std::string override_policy(const std::string& assignment, std::map<std::string, PolicyChoice>& policies) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    throw config::Error({fmt::format("--policy {}: expected decision=name", assignment)});
  std::string decision = assignment.substr(0, equals);
  const PolicyChoice choice{assignment.substr(equals + 1), {}};
  try {
    PolicyCatalogue::instance().resolve(decision, choice);
  } catch (const PolicyError& error) {
    throw config::Error({fmt::format("--policy {}: {}", assignment, error.what())});
  }
  policies[decision] = choice;
  return decision;
}

std::optional<PolicyMisfit> misfit(const GpuSpec& spec, const std::map<std::string, PolicyChoice>& policies,
                                   std::size_t applications) {
  for (const auto& [decision, choice] : policies)
    if (!spec.memory && is_dram_decision(decision))
      return PolicyMisfit{decision, fmt::format("{} {} needs a dram section", decision, choice.name)};
  // In strict order over several rings an event's wait can come to a head before its record, and both wait
  // for ever.
  const auto arbiter = policies.find(CommandArbiter::kDecision);
  if (arbiter != policies.end() && arbiter->second.name == "single-queue" && spec.queues.count != 1)
    return PolicyMisfit{
        arbiter->first,
        fmt::format("command_arbiter single-queue needs queues.count: 1, which is {}", spec.queues.count)};
  const auto partitioner = policies.find(SmPartitioner::kDecision);
  if (partitioner == policies.end() || partitioner->second.name != Fixed::kName) return std::nullopt;
  const PolicyParameters parameters =
      PolicyCatalogue::instance().resolve(partitioner->first, partitioner->second);
  const std::string why = Fixed::misfit(parameters.lists(Fixed::kQuotas), spec.sm.count, applications);
  if (why.empty()) return std::nullopt;
  return PolicyMisfit{partitioner->first, fmt::format("{}: {}", Fixed::kName, why)};
}

}  // namespace heddle
