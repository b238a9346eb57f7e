#include "stimuli/ptx/analysis/phases.h"
#include "models/core/config/config_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/stats/writers.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "stimuli/ptx/analysis/spilling.h"
#include "stimuli/ptx/statements/forms.h"
#include "stimuli/ptx/steps/entry_code.h"

namespace heddle {

namespace {

struct PhasesOptions {
  std::string kernel;                            // a name (stimuli/kernels) or a PTX file
  std::string entry;                             // empty: all of the file
  std::uint64_t dynamic_shared = 0;              // bytes of shared memory given at launch
  std::uint32_t registers = ptx::kAnyRegisters;  // most of a thread; other values are spilled
  double live_change = 0.25;  // share of the live registers and shared memory that starts a phase
  std::uint32_t minimum_instructions = 10;  // of a phase
  std::string schedule;                     // list the instructions of this schedule instead of phases
};

constexpr std::uint32_t kColumns = 48;  // most columns of a bar
constexpr Address kImage = 4096;        // where variables stand in code that is listed

const char* name_of(ptx::Phase::Start start) {
  switch (start) {
    case ptx::Phase::Start::kEntry:
      return "entry";
    case ptx::Phase::Start::kChange:
      return "change";
    default:
      return "meeting";
  }
}

void print_phases(const ptx::PhaseMap& map) {
  std::cout << "  phase  from  instructions  barriers  live registers  live shared (B)  starts at\n";
  for (std::size_t i = 0; i < map.phases.size(); ++i) {
    const ptx::Phase& phase = map.phases[i];
    std::cout << fmt::format("  {:5}  {:4}  {:12}  {:8}  {:14}  {:15}  {}\n", i, phase.first,
                             phase.instructions, phase.waits, phase.registers, phase.shared_bytes,
                             name_of(phase.start));
  }
}

void draw(const ptx::Function& entry, const ptx::PhaseMap& map) {
  const std::uint32_t most =
      std::max(1U, *std::max_element(map.live_registers.begin(), map.live_registers.end()));
  std::cout << "  instruction: phase, live registers (: where lanes may be apart), live shared memory\n";
  std::set<std::uint32_t> boundaries;
  for (const ptx::Phase& phase : map.phases) boundaries.insert(phase.first);
  for (std::uint32_t i = 0; i < entry.code.size(); ++i) {
    if (i > 0 && ptx::is_wait(entry.code[i - 1])) std::cout << "  - - - behind a barrier or a fence\n";
    if (boundaries.count(i) != 0) std::cout << "  " << std::string(72, '-') << "\n";
    const std::uint32_t live = map.live_registers[i];
    const std::uint32_t length = (live * std::min(most, kColumns) + most - 1) / most;
    std::cout << fmt::format("  {:4} {:3} {:3} {:<{}} {:6}  {}{} (line {})\n", i, map.phase_of[i], live,
                             std::string(length, map.divergent[i] ? ':' : '#'), std::min(most, kColumns),
                             map.live_shared_bytes[i], entry.code[i].guarded() ? "@p " : "",
                             ptx::forms()[entry.code[i].form].mnemonic, entry.code[i].line);
  }
}

// Prints the instructions that an SM executes of an entry.
void list_instructions(const ptx::Image& image, std::uint32_t entry, CodeSchedule schedule) {
  const ptx::EntryCode code = ptx::decode_entry(image, entry, {schedule});
  const ptx::FunctionCode& body = code.functions[entry];
  std::cout << fmt::format("entry {}: {} instructions of {} statements\n", body.function->name,
                           body.instructions.size(), image.module->functions[entry].code.size());
  for (std::size_t i = 0; i < body.instructions.size(); ++i) {
    const Instruction& instruction = body.instructions[i];
    const ptx::Statement& statement = *body.steps[i].statement;
    std::cout << fmt::format("  {:5}  {:18} {:2}  {}{} (line {})\n", i, name_of(instruction.operation),
                             instruction.bytes, statement.guarded() ? "@p " : "",
                             ptx::forms()[statement.form].mnemonic, statement.line);
  }
}

// Prints the phases of PTX entries and draws their live registers, instruction by instruction.
int show_phases(const PhasesOptions& options) {
  ptx::Module module = ptx::load_module(find_data("stimuli/kernels", options.kernel, "", ".ptx"));
  ptx::spill_registers(module, options.registers);
  const std::vector<std::uint32_t> registers = ptx::register_estimates(module);
  const CodeSchedule schedule = options.schedule == "none"         ? CodeSchedule::kNone
                                : options.schedule == "ptxas-like" ? CodeSchedule::kPtxasLike
                                                                   : CodeSchedule::kPtxasLike90;
  const ptx::Image image = ptx::lay_out_image(std::make_shared<ptx::Module>(module), kImage);
  const PhaseRule rule{options.live_change, options.minimum_instructions};
  std::vector<std::string> known;
  bool any = false;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const ptx::Function& entry = module.functions[i];
    if (!entry.entry || entry.code.empty()) continue;
    known.push_back(entry.name);
    if (!options.entry.empty() && entry.name != options.entry) continue;
    any = true;
    if (!options.schedule.empty()) {
      list_instructions(image, static_cast<std::uint32_t>(i), schedule);
      continue;
    }
    const ptx::PhaseMap map = ptx::find_phases(module, entry, rule, {registers[i], options.dynamic_shared});
    std::cout << fmt::format("entry {}: {} instructions, about {} registers, {} B of shared memory\n",
                             entry.name, entry.code.size(), registers[i],
                             entry.static_shared_bytes + options.dynamic_shared);
    print_phases(map);
    draw(entry, map);
  }
  if (!any) {
    throw config::Error({fmt::format("{} has no entry '{}'{}", module.file, options.entry,
                                     config::suggestion(options.entry, known))});
  }
  return 0;
}

void declare_phases(CommandLine& verb, PhasesOptions& options) {
  verb.add_option("kernel", options.kernel, "a kernel's name (stimuli/kernels) or a PTX file").required();
  verb.add_option("--entry", options.entry, "one entry of the file (default: all)");
  verb.add_option("--dynamic-shared", options.dynamic_shared, "bytes of shared memory given at launch")
      .check(check_count);
  verb.add_option("--registers", options.registers,
                  "most registers of a thread; further values are spilled to local memory")
      .range(1, 255);
  verb.add_option("--live-change", options.live_change, "share of what is live that starts a phase")
      .range(0.0, 10.0)
      .capture_default_str();
  verb.add_option("--minimum-instructions", options.minimum_instructions,
                  "of a phase, on a path from the entry")
      .capture_default_str();
  verb.add_option("--schedule", options.schedule,
                  "list the instructions that the platform key pipeline.schedule makes, instead of phases")
      .one_of({"none", "ptxas-like", "ptxas-like-90"});
  verb.footer("Example:\n  heddle phases dct_8x8");
}

const VerbRegistration kPhases("phases", 70, "Print a PTX kernel's phases; draw its live registers",
                               declare_phases, show_phases);

}  // namespace

}  // namespace heddle
