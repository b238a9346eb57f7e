#include "stimuli/ptx/statements/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "stimuli/ptx/statements/forms.h"

namespace heddle::ptx {

void set_unread(Function& function, const std::vector<std::string>& problems) {
  function.problems.insert(function.problems.end(), problems.begin(), problems.end());
  function.registers.clear();
  function.predicates.clear();
  function.labels.clear();
  function.operands.clear();
  Statement trap;
  trap.opcode = Opcode::kTrap;
  trap.form = static_cast<std::uint16_t>(forms_of("trap").first);
  trap.line = function.line;
  function.code = {trap};
}

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

bool same_frame(const std::vector<FrameVariable>& a, const std::vector<FrameVariable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const FrameVariable& x, const FrameVariable& y) {
                      return x.bytes == y.bytes && x.offset == y.offset;
                    });
}

bool fits(const Function& function, const CallPrototype& prototype) {
  return function.addressed && !function.entry && same_frame(function.returns, prototype.returns) &&
         same_frame(function.parameters, prototype.parameters);
}

std::vector<std::uint32_t> callees_of(const Module& module, const Statement& call) {
  if (!call.has(kIndirect)) return {call.target};
  std::vector<std::uint32_t> callees;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i)
    if (fits(module.functions[i], module.prototypes[call.target])) callees.push_back(i);
  return callees;
}

std::string source_of(const Module& module, const Function& function, std::uint32_t line) {
  const auto behind =
      std::upper_bound(function.sources.begin(), function.sources.end(), line,
                       [](std::uint32_t at, const SourceLine& source) { return at < source.line; });
  if (behind == function.sources.begin()) return "";
  const SourceLine& source = *std::prev(behind);
  const auto file = module.files.find(source.file);
  if (source.source == 0 || file == module.files.end() || file->second.empty()) return "";
  return fmt::format("{}:{}", file->second, source.source);
}

}  // namespace heddle::ptx
