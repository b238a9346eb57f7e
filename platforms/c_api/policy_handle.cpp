#include "platforms/c_api/policy_handle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "platforms/load/read_policy.h"

namespace heddle {

namespace {

PolicyChoice choice_of(const std::string& decision, const std::string& policy) {
  const config::Document document = config::Document::parse("policy: " + policy + "\n", decision);
  PolicyChoice choice = read_policy(decision, document.root().value("policy"), 0);
  document.finish();
  return choice;
}

}  // namespace

std::unique_ptr<PolicyHandle> PolicyHandle::open(const std::string& decision, const std::string& policy,
                                                 std::uint32_t things) {
  return std::unique_ptr<PolicyHandle>(
      new PolicyHandle(RolePolicy::make(decision, choice_of(decision, policy), things)));
}

std::string PolicyHandle::list(const std::string& what) {
  if (what != "signals") refuse_list(what, "signals");
  std::string table;
  const RtlRole& role = policy_->role();
  for (std::size_t i = 0; i < role.signals.size(); ++i) {
    const RtlRoleSignal& signal = role.signals[i];
    table += fmt::format("{}\t{}\t{}\t{}\t{}\n", signal.name, signal.is_input ? "in" : "out",
                         name_of(signal.kind), policy_->elements(i), signal.description);
  }
  return table;
}

std::size_t PolicyHandle::signal(const std::string& name) const {
  const RtlRole& role = policy_->role();
  const std::size_t found = role.find(name);
  if (found != RtlRole::kNoSignal) return found;
  std::vector<std::string> known;
  for (const RtlRoleSignal& signal : role.signals) known.emplace_back(signal.name);
  throw BadCall(
      fmt::format("{} has no signal '{}'{}", role.name, name, config::suggestion_and_known(name, known)));
}

}  // namespace heddle
