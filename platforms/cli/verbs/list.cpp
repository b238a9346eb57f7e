#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>

#include "models/core/base/systemc_reports.h"
#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "models/core/config/input_file.h"
#include "models/machine/machines.h"
#include "models/rtl/rtl_role.h"
#include "models/stats/path_patterns.h"
#include "models/stats/writers.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/list_program.h"
#include "platforms/load/platform_loader.h"
#include "platforms/load/read_rtl.h"
#include "platforms/run/plugins.h"
#include "policies/registry.h"
#include "stimuli/capture/format/runtime_calls.h"
#include "stimuli/ptx/statements/forms.h"

namespace heddle {

namespace {

struct Kind {
  const char* name;
  const char* meaning;
};

constexpr Kind kKinds[] = {
    {"experiments", "questions that heddle run answers"},
    {"applications", "programs with measured times or synthetic kernels"},
    {"language-models", "whose step an application may launch"},
    {"launches", "kernels in PTX with their data"},
    {"platforms", "GPUs"},
    {"policies", "the decisions, and the policies that answer them, with parameters and sources"},
    {"campaigns", "experiments over all combinations of values, for heddle batch run"},
    {"papers", "whose figures heddle reproduce runs again"},
    {"cards", "on which programs were measured; heddle reproduce simulates these"},
    {"rtl", "blocks in SystemVerilog or Verilog"},
    {"keys", "of a platform's file, with units, defaults and ranges"},
    {"rtl-keys", "of the file of a block in RTL"},
    {"rtl-roles", "what a block in RTL can stand for, and the signals of each role"},
    {"forms", "of PTX that are read"},
    {"runtime-calls", "of CUDA that a captured program may make"},
    {"counters", "of a machine; --platform names it"},
    {"plugin-flags", "of the compiler, for a policy of one's own"},
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

bool is_kind(const std::string& what) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& kind) { return kind.name == what; });
}

// A check for CLI11.
std::string check_kind(const std::string& what) {
  if (is_kind(what) || std::filesystem::is_regular_file(what)) return "";
  const std::vector<std::string> names = kind_names();
  return fmt::format("'{}' is no file of a program or of PTX, and none of {}{}", what, fmt::join(names, ", "),
                     config::suggestion(what, names));
}

struct ListOptions {
  std::string what;
  std::string platform = "gtx480";  // whose counters
  bool markdown = false;
};

std::string range_of(const PolicyParameter& parameter) {
  if (parameter.fallback.is_name()) return fmt::format("; {}", fmt::join(parameter.names, ", "));
  if (parameter.fallback.kind() == PolicyValue::Kind::kTexts) return "; " + parameter.unit;
  return fmt::format(" {}, {} .. {}", parameter.unit, parameter.least, parameter.most);
}

void list_policies() {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  for (const std::string& decision : catalogue.decisions()) {
    std::cout << decision << "\n";
    for (const std::string& name : catalogue.names(decision)) {
      const PolicyInfo& info = catalogue.info(decision, name);
      std::cout << fmt::format("  {:<14} {} [{}]\n", name, info.doc, info.source);
      for (const PolicyParameter& parameter : info.parameters)
        std::cout << fmt::format("  {:<14}   {}: {} (default {}{})\n", "", parameter.name, parameter.doc,
                                 parameter.fallback.text(), range_of(parameter));
    }
  }
}

void list_kinds() {
  for (const Kind& kind : kKinds) std::cout << fmt::format("{:<14} {}\n", kind.name, kind.meaning);
  std::cout << "heddle list NAME lists one of these; heddle list FILE shows the kernels of a CUDA program or "
               "of PTX\n";
}

// Prints the files of a folder with the text of one of their keys.
void list_files(const std::string& folder, const std::string& key) {
  for (const std::string& name : known_data(folder)) {
    std::string text;
    try {
      const config::Document document = config::Document::load(find_data(folder, name));
      if (document.root().has(key)) text = document.root().text(key);
    } catch (const config::Error& error) {
      text = error.what();
    }
    std::cout << fmt::format("{:<24} {}\n", name, text);
  }
}

void print_table(const Table& table, bool markdown) {
  if (markdown)
    table.print_markdown(std::cout);
  else
    table.print(std::cout);
}

void list_keys(const std::vector<config::KeyDescription>& keys, bool markdown) {
  Table table({{"key"}, {"type"}, {"unit"}, {"default"}, {"range"}, {"what it is"}});
  for (const config::KeyDescription& key : keys)
    table.add_row({key.path, key.type, key.unit, key.fallback, key.range, key.description});
  print_table(table, markdown);
}

// One process with one kernel, so that a machine has every counter; nothing is simulated.
MachineSpec machine_with_kernel(const GpuSpec& gpu) {
  MachineSpec machine;
  machine.gpu = gpu;
  machine.starvation_limit_ps = 1;
  HostProcessSpec process;
  process.program.name = "APPLICATION";
  process.program.kernels.emplace_back().name = "KERNEL";
  process.requests.emplace();  // it is a server
  machine.processes.push_back(process);
  return machine;
}

void list_counters(const std::string& platform, bool markdown) {
  route_systemc_reports();
  Machines machines(machine_with_kernel(load_platform(platform)));
  std::vector<Statistic> statistics;
  std::vector<std::string> paths;
  machines.stats().visit_with_levels([&](const Statistic& statistic) {
    statistics.push_back(statistic);
    paths.push_back(statistic.path);
  });
  const std::vector<std::string> patterns = path_patterns(paths);
  Table table({{"counter"}, {"kind"}, {"unit"}, {"what it counts"}});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < statistics.size(); ++i)
    if (seen.insert(patterns[i]).second)
      table.add_row({patterns[i], statistics[i].kind(), std::string(statistics[i].unit),
                     std::string(statistics[i].description)});
  print_table(table, markdown);
}

void list_rtl_roles(bool markdown) {
  Table table({{"role"}, {"decision"}, {"clock"}, {"signal"}, {"of the block"}, {"kind"}, {"meaning"}});
  for (const RtlRole& role : rtl_roles())
    for (const RtlRoleSignal& signal : role.signals)
      table.add_row({role.name, role.decision, role.domain, signal.name, signal.is_input ? "input" : "output",
                     name_of(signal.kind), signal.description});
  print_table(table, markdown);
}

// Adds rows of so many items. The head stands in the first one.
void add_rows(Table& table, const std::string& head, const std::vector<std::string>& items,
              const char* separator, std::size_t items_of_row) {
  for (std::size_t i = 0; i < items.size(); i += items_of_row) {
    const std::size_t end = std::min(items.size(), i + items_of_row);
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last = items.begin() + static_cast<std::ptrdiff_t>(end);
    table.add_row({i == 0 ? head : "", fmt::format("{}", fmt::join(first, last, separator))});
  }
}

// One row for each mnemonic, on a page one for each form.
void list_forms(bool markdown) {
  Table table({{"instruction"}, {"forms"}});
  for (const std::string& mnemonic : ptx::mnemonics()) {
    const ptx::FormRange range = ptx::forms_of(mnemonic);
    std::vector<std::string> forms;
    for (std::size_t i = range.first; i < range.end; ++i) forms.push_back(ptx::text_of(ptx::forms()[i]));
    add_rows(table, mnemonic, forms, "; ", markdown ? 1 : forms.size());
  }
  print_table(table, markdown);
}

void list_runtime_calls(bool markdown) {
  const std::string library = runtime_folder() + "/libcudart.so.13";
  const capture::RuntimeCalls calls = capture::runtime_calls(config::read_file(library), library);
  Table table({{"calls"}, {"names"}});
  const auto add = [&](const std::string& head, const std::vector<std::string>& names) {
    add_rows(table, head, names, ", ", markdown ? 5 : names.size());
  };
  add("performed", calls.performed);
  add("refused", calls.refused);
  add("performed, of the driver", calls.driver_performed);
  add("refused, of the driver", calls.driver_refused);
  print_table(table, markdown);
}

int list_known(const ListOptions& options) {
  const std::string& what = options.what;
  if (what.empty()) {
    list_kinds();
    return 0;
  }
  if (!is_kind(what)) list_program(what);
  if (what == "policies") list_policies();
  if (what == "platforms") list_files("platforms", "description");
  if (what == "applications") list_files("stimuli/applications", "description");
  if (what == "language-models") list_files("stimuli/language_models", "description");
  if (what == "launches") list_files("stimuli/launches", "description");
  if (what == "experiments") list_files("stimuli/experiments", "question");
  if (what == "campaigns") list_files("stimuli/campaigns", "question");
  if (what == "papers") list_files("stimuli/papers", "title");
  if (what == "cards") list_files("stimuli/cards", "title");
  if (what == "rtl") list_files("stimuli/rtl", "description");
  if (what == "keys") list_keys(platform_keys(), options.markdown);
  if (what == "rtl-keys") list_keys(rtl_block_keys(), options.markdown);
  if (what == "rtl-roles") list_rtl_roles(options.markdown);
  if (what == "forms") list_forms(options.markdown);
  if (what == "runtime-calls") list_runtime_calls(options.markdown);
  if (what == "plugin-flags") std::cout << plugin_flags() << "\n";
  if (what == "counters") list_counters(options.platform, options.markdown);
  return 0;
}

void declare_list(CommandLine& verb, ListOptions& options) {
  verb.add_option(
          "what", options.what,
          "policies, platforms, applications, language-models, launches, experiments, campaigns, papers, "
          "cards, rtl; keys "
          "of a platform, rtl-keys of an RTL block, rtl-roles and their signals, forms of PTX that "
          "are read, runtime-calls of CUDA, counters of a machine, or plugin-flags of the compiler; or the "
          "file of a CUDA program or of "
          "PTX: its kernels, whether their blocks may start over, and what of it heddle capture does not "
          "support; otherwise what can be listed")
      .check(check_kind);
  verb.add_option("--platform", options.platform, "whose counters, by name or YAML file (default: gtx480)");
  verb.add_flag("--markdown", options.markdown, "keys, forms, calls and counters as a table of Markdown");
}

const VerbRegistration kList("list", 100, "List what there is, with parameters, units and defaults",
                             declare_list, list_known);

}  // namespace

}  // namespace heddle
