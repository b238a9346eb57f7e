#pragma once
// Registered policies as parameters of tests.

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "policies/registry.h"

namespace heddle {

struct PolicyName {
  std::string decision;
  std::string name;
};

inline std::vector<PolicyName> policies_of(const std::string& decision) {
  std::vector<PolicyName> result;
  for (const std::string& name : PolicyCatalogue::instance().names(decision))
    result.push_back({decision, name});
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

}  // namespace heddle
