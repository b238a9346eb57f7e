#include "platforms/cli/verbs/list_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/core/config/input_file.h"
#include "models/stats/writers.h"
#include "platforms/cli/verbs/restart_reasons.h"
#include "stimuli/capture/format/device_code.h"
#include "stimuli/capture/format/elf_reader.h"
#include "stimuli/capture/format/fat_binary.h"
#include "stimuli/capture/format/machine_code_file.h"
#include "stimuli/capture/format/program_file.h"
#include "stimuli/capture/format/runtime_calls.h"
#include "stimuli/capture/format/vendor_library.h"
#include "stimuli/ptx/analysis/call_graph.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle {

namespace {

// One module's code for one compute capability, or a file of PTX.
struct ModuleCode {
  std::size_t module = 0;
  std::string version;  // "compute_75"; of a file of PTX "version 6.0"
  std::string text;
  ptx::Module code;
  std::map<std::string, std::uint32_t> registers;  // of machine code, by kernel
};

// Returns the problems of a kernel and of the functions that it may call.
std::vector<std::string> problems_of(const ptx::Module& module, const ptx::CallGraph& calls,
                                     std::uint32_t kernel) {
  std::vector<std::string> problems;
  for (const std::uint32_t function : calls.reached_from(kernel)) {
    const std::vector<std::string>& own = module.functions[function].problems;
    problems.insert(problems.end(), own.begin(), own.end());
  }
  return problems;
}

// What is told below the table of kernels.
struct Notes {
  std::set<std::string> problems;     // what is not read
  std::vector<std::string> restarts;  // why blocks may not start over, by kernel in the order of the text
};

// Returns "yes", "no" or "by arguments", and adds the reasons with their lines.
std::string restartable(const ModuleCode& part, const ptx::Function& kernel, Notes& notes) {
  const ptx::RestartVerdict verdict = ptx::restart_verdict(part.code, kernel);
  const std::vector<std::string> reasons = restart_reasons(verdict, kernel.name, part.code.file, part.text);
  notes.restarts.insert(notes.restarts.end(), reasons.begin(), reasons.end());
  return name_of(verdict.kind);
}

// Adds a row for each kernel.
void add_kernels(const ModuleCode& part, Table& table, Notes& notes) {
  const ptx::CallGraph calls(part.code);
  for (std::uint32_t i = 0; i < part.code.functions.size(); ++i) {
    const ptx::Function& kernel = part.code.functions[i];
    if (!kernel.entry) continue;
    const std::vector<std::string> own = problems_of(part.code, calls, i);
    notes.problems.insert(own.begin(), own.end());
    const auto counted = part.registers.find(kernel.name);
    table.add_row({std::to_string(part.module), part.version, ptx::kernel_name(kernel.name),
                   counted == part.registers.end() ? "" : std::to_string(counted->second),
                   own.empty() ? "yes" : "no", own.empty() ? restartable(part, kernel, notes) : "–"});
  }
}

bool is_ptx(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos && bytes.find(".version") != std::string_view::npos;
}

std::vector<ModuleCode> read_ptx(std::string_view text, const std::string& file) {
  ModuleCode part;
  part.text = text;
  part.code = ptx::parse_module(text, file, ptx::Refusal::kFunction);
  part.version = fmt::format("version {}.{}", part.code.version / 10, part.code.version % 10);
  return {part};
}

std::vector<ModuleCode> read_modules(std::string_view bytes, const std::string& file) {
  std::vector<ModuleCode> parts;
  std::size_t module = 0;
  const capture::DeviceCode device_code = capture::device_code_of(bytes, file);
  // Beside parts that were compiled apart stands the machine code that is linked from them.
  for (const std::string_view container :
       device_code.parts.empty() ? device_code.containers : device_code.parts) {
    const std::string name = fmt::format("{}: module {}", file, module);
    const auto entries = capture::read_fat_binary(container, name);
    if (entries.empty()) continue;  // nvcc puts an empty one into every program
    for (const capture::FatBinaryEntry& entry : entries) {
      if (!entry.ptx) continue;
      ModuleCode& part = parts.emplace_back();
      part.module = module;
      part.version = fmt::format("compute_{}", entry.architecture);
      part.text = capture::text_of(entry, name);
      part.code = ptx::parse_module(part.text, fmt::format("module {}, {}", module, part.version),
                                    ptx::Refusal::kFunction);
      if (const auto* code = capture::choose_machine_code(entries, entry.architecture); code != nullptr)
        part.registers = capture::registers_of_machine_code(capture::machine_code_of(*code, name), name);
    }
    if (std::none_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.ptx; }))
      std::cout << fmt::format(
          "module {}: machine code without PTX, which cannot be captured; compile it with "
          "-gencode arch=compute_75,code=compute_75\n",
          module);
    ++module;
  }
  return parts;
}

void print_needs(std::string_view bytes, const std::string& file) {
  const capture::ProgramFile program = capture::read_program_file(bytes, file);
  for (const std::string& needed : program.needed)
    if (const std::string refusal = capture::refusal_of_library(needed); !refusal.empty())
      std::cout << "needs " << refusal << "\n";
  std::string runtime;
  try {
    runtime = capture::runtime_of(program, file);
  } catch (const config::Error& error) {
    std::cout << error.what() << "\n";
  }
  if (runtime.empty()) return;
  std::cout << fmt::format("CUDA runtime: {}, for which heddle capture puts Heddle's own\n", runtime);
  const std::string own = runtime_folder() + "/libcudart.so.13";
  const capture::RuntimeCalls known = capture::runtime_calls(config::read_file(own), own);
  std::vector<std::string> missing;
  for (const std::string& call : capture::calls_of_program(bytes, file))
    for (const std::vector<std::string>* refused : {&known.refused, &known.driver_refused})
      if (std::binary_search(refused->begin(), refused->end(), call)) missing.push_back(call);
  if (!missing.empty())
    std::cout << fmt::format("calls that are not supported and end the program: {}\n",
                             fmt::join(missing, ", "));
}

void print_kernels(const std::vector<ModuleCode>& parts) {
  Table table(
      {{"module"}, {"PTX"}, {"kernel"}, {"registers", Table::Align::kRight}, {"read"}, {"restartable"}});
  Notes notes;
  for (const ModuleCode& part : parts) add_kernels(part, table, notes);
  std::cout << "\n";
  table.print(std::cout);
  print_restarts(notes.restarts);
  if (notes.problems.empty()) return;
  std::cout << "\nforms of PTX that are not read, which refuse the launches of their kernels:\n";
  for (const std::string& problem : notes.problems) std::cout << problem << "\n";
}

}  // namespace

void list_program(const std::string& file) {
  const std::string bytes = config::read_file(file);
  const bool elf = capture::ElfReader::accepts(bytes);
  if (!elf && !is_ptx(bytes)) throw config::Error({file + ": is neither a program of 64 bits nor PTX"});
  const std::vector<ModuleCode> parts = elf ? read_modules(bytes, file) : read_ptx(bytes, file);
  std::cout << file << "\n";
  if (elf && parts.empty()) std::cout << "the file holds no PTX\n";
  if (elf) print_needs(bytes, file);
  if (parts.empty()) return;
  print_kernels(parts);
}

}  // namespace heddle
