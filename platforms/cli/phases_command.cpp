#include "stimuli/ptx/analysis/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/stats/writers.h"
#include "platforms/cli/commands.h"
#include "stimuli/ptx/analysis/liveness.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/text/forms.h"

namespace heddle {

namespace {

constexpr std::uint32_t kColumns = 48;  // of the longest bar

const char* name_of(ptx::Phase::Start start) {
  switch (start) {
    case ptx::Phase::Start::kEntry:
      return "entry";
    case ptx::Phase::Start::kChange:
      return "change";
    case ptx::Phase::Start::kBarrier:
      return "barrier";
    default:
      return "meeting";
  }
}

void print_phases(const ptx::PhaseMap& map) {
  std::cout << "  phase  from  instructions  live registers  live shared (B)  starts at\n";
  for (std::size_t i = 0; i < map.phases.size(); ++i) {
    const ptx::Phase& phase = map.phases[i];
    std::cout << fmt::format("  {:5}  {:4}  {:12}  {:14}  {:15}  {}\n", i, phase.first, phase.instructions,
                             phase.registers, phase.shared_bytes, name_of(phase.start));
  }
}

void draw(const ptx::Function& entry, const ptx::PhaseMap& map) {
  const std::uint32_t most =
      std::max(1U, *std::max_element(map.live_registers.begin(), map.live_registers.end()));
  std::cout << "  instruction: phase, live registers (: where lanes may be apart), live shared memory\n";
  for (std::uint32_t i = 0; i < entry.code.size(); ++i) {
    if (map.phases[map.phase_of[i]].first == i) std::cout << "  " << std::string(72, '-') << "\n";
    const std::uint32_t live = map.live_registers[i];
    const std::uint32_t length = (live * std::min(most, kColumns) + most - 1) / most;
    std::cout << fmt::format("  {:4} {:3} {:3} {:<{}} {:6}  {}{} (line {})\n", i, map.phase_of[i], live,
                             std::string(length, map.divergent[i] ? ':' : '#'), std::min(most, kColumns),
                             map.live_shared_bytes[i], entry.code[i].guarded() ? "@p " : "",
                             ptx::forms()[entry.code[i].form].mnemonic, entry.code[i].line);
  }
}

}  // namespace

int phases_command(const PhasesOptions& options) {
  const ptx::Module module = ptx::load_module(find_data("stimuli/kernels", options.kernel, "", ".ptx"));
  const std::vector<std::uint32_t> registers = ptx::register_estimates(module);
  const ptx::PhaseRule rule{options.live_change, options.minimum_instructions};
  std::vector<std::string> known;
  bool any = false;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const ptx::Function& entry = module.functions[i];
    if (!entry.entry || entry.code.empty()) continue;
    known.push_back(entry.name);
    if (!options.entry.empty() && entry.name != options.entry) continue;
    any = true;
    const ptx::PhaseMap map = ptx::find_phases(module, entry, rule, options.dynamic_shared);
    std::cout << fmt::format("entry {}: {} instructions, about {} registers, {} B of shared memory\n",
                             entry.name, entry.code.size(), registers[i],
                             entry.static_shared_bytes + options.dynamic_shared);
    print_phases(map);
    draw(entry, map);
  }
  if (!any) {
    const std::string nearest = config::nearest_name(options.entry, known);
    throw config::Error({fmt::format("{} has no entry '{}'{}", module.file, options.entry,
                                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest))});
  }
  return 0;
}

}  // namespace heddle
