#pragma once
// Registered policies as parameters of tests, and conformance suites that run over all policies of a
// decision.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/core/base/random.h"
#include "policies/registry.h"

namespace heddle {

struct PolicyName {
  std::string decision;
  std::string name;
};

// Policies that a test registers have names that begin with "test-", and are left out.
inline std::vector<PolicyName> policies_of(const std::string& decision) {
  std::vector<PolicyName> result;
  for (const std::string& name : PolicyCatalogue::instance().names(decision))
    if (name.rfind("test-", 0) != 0) result.push_back({decision, name});
  return result;
}

inline std::vector<PolicyName> all_policies() {
  std::vector<PolicyName> result;
  for (const std::string& decision : PolicyCatalogue::instance().decisions())
    for (PolicyName& policy : policies_of(decision)) result.push_back(std::move(policy));
  return result;
}

inline std::string test_name(const testing::TestParamInfo<PolicyName>& info) {
  std::string name = info.param.decision + "_" + info.param.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

// Returns the decisions that have a conformance suite in this program.
inline std::set<std::string>& decisions_with_suite() {
  static std::set<std::string> decisions;
  return decisions;
}

// Runs the suite over every registered policy of the decision. The suite is a class derived from
// testing::TestWithParam<PolicyName>.
#define HEDDLE_CONFORMANCE(Suite, Interface)                                                          \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(policies_of(Interface::kDecision)), test_name); \
  static const bool k##Suite##Known = decisions_with_suite().insert(Interface::kDecision).second

// Returns the policy with random parameters. Each parameter either keeps its default or is drawn from the
// lower end of its range. Parameters that are lists keep their defaults.
inline PolicyChoice random_choice(const PolicyName& policy, Random& random) {
  constexpr double kMostAboveLeast = 50;
  PolicyChoice choice{policy.name, {}};
  for (const PolicyParameter& parameter :
       PolicyCatalogue::instance().info(policy.decision, policy.name).parameters) {
    const bool is_list =
        parameter.fallback.is_lists() || parameter.fallback.kind() == PolicyValue::Kind::kTexts;
    if (is_list || random.below(4) == 0) continue;
    if (parameter.fallback.is_name()) {
      choice.parameters[parameter.name] = parameter.names[random.below(parameter.names.size())];
      continue;
    }
    const double span = std::min(parameter.most - parameter.least, kMostAboveLeast);
    const double drawn = parameter.whole
                             ? static_cast<double>(random.below(static_cast<std::uint64_t>(span) + 1))
                             : span * static_cast<double>(random.below(1001)) / 1000;
    choice.parameters[parameter.name] = parameter.least + drawn;
  }
  return choice;
}

}  // namespace heddle
