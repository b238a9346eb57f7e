#include "stimuli/ptx/text/module.h"

#include <algorithm>

namespace heddle::ptx {

const Function* Module::entry(const std::string& name) const {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const Function& function) {
    return function.entry && function.name == name;
  });
  return found == functions.end() ? nullptr : &*found;
}

const Variable* Module::variable(const std::string& name) const {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const Variable& variable) {
    return variable.in_module && variable.name == name;
  });
  return found == variables.end() ? nullptr : &*found;
}

}  // namespace heddle::ptx
