#pragma once
// The registrations of a library that is loaded while the program runs. An exception from the constructors of
// a library would end the program, so that the catalogue collects the problems of a plug-in here.

#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct PolicyInfo;

class PluginRegistration {
 public:
  PluginRegistration();  // the catalogue tells this object of registrations, until it is destroyed
  ~PluginRegistration();
  PluginRegistration(const PluginRegistration&) = delete;
  PluginRegistration& operator=(const PluginRegistration&) = delete;

  // Returns the object that is told now, or null.
  static PluginRegistration* current();

  void registered(const PolicyInfo& info);
  void problem(const std::string& message) { problems_.push_back(message); }

  const std::vector<std::pair<std::string, std::string>>& policies() const { return policies_; }
  // The first problem: a name that is taken, a decision that there is not, or a default of a parameter that
  // its own range does not have. Empty: none.
  std::string first_problem() const;

 private:
  std::vector<std::pair<std::string, std::string>> policies_;  // decision, name
  std::vector<std::string> problems_;
};

}  // namespace heddle
