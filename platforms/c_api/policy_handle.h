#pragma once
// A policy of the C interface: a RolePolicy whose signals are called by their names.

#include <memory>
#include <string>

#include "models/rtl/roles/role_policy.h"
#include "platforms/c_api/handle.h"

namespace heddle {

class PolicyHandle final : public Handle {
 public:
  // `policy` is YAML: a name, or {name: ..., parameter: value}. Throws a PolicyError or a config::Error.
  static std::unique_ptr<PolicyHandle> open(const std::string& decision, const std::string& policy,
                                            std::uint32_t things);

  const char* kind() const override { return "policy"; }
  void reset() override { policy_->reset(); }
  std::string list(const std::string& what) override;

  RolePolicy& policy() { return *policy_; }
  std::size_t signal(const std::string& name) const;  // throws a BadCall if there is none

 private:
  explicit PolicyHandle(std::unique_ptr<RolePolicy> policy) : policy_(std::move(policy)) {}

  std::unique_ptr<RolePolicy> policy_;
};

}  // namespace heddle
