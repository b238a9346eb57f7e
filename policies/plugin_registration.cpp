#include "policies/plugin_registration.h"

#include "policies/registry.h"

namespace heddle {

namespace {

PluginRegistration* told = nullptr;

}  // namespace

PluginRegistration::PluginRegistration() {
  told = this;
}

PluginRegistration::~PluginRegistration() {
  told = nullptr;
}

PluginRegistration* PluginRegistration::current() {
  return told;
}

void PluginRegistration::registered(const PolicyInfo& info) {
  policies_.emplace_back(info.decision, info.name);
}

std::string PluginRegistration::first_problem() const {
  if (!problems_.empty()) return problems_.front();
  for (const auto& [decision, name] : policies_) try {
      PolicyCatalogue::instance().resolve(decision, {name, {}});
    } catch (const PolicyError& error) {
      return error.what();
    }
  return "";
}

}  // namespace heddle
