#include "stimuli/ptx/analysis/spilling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "stimuli/ptx/analysis/call_graph.h"
#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/liveness.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::ptx {
namespace {

constexpr int kMostLevels = 6;   // of loops that count
constexpr int kMostRounds = 64;  // of spilling
constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

// The statements that load and store a register of 2, 4 or 8 bytes, as the reader decodes them.
struct Accesses {
  Statement load;
  Statement store;
};

Accesses accesses_of(std::uint32_t bytes) {
  static const Module module = parse_module(
      ".version 6.0\n.target sm_35\n.address_size 64\n.func f(){ .reg .b16 %h; .reg .b32 %r; .reg .b64 %d;\n"
      ".local .align 8 .b8 slot[8];\n"
      "ld.local.b16 %h, [slot]; st.local.b16 [slot], %h; ld.local.b32 %r, [slot]; st.local.b32 [slot], %r;\n"
      "ld.local.b64 %d, [slot]; st.local.b64 [slot], %d; ret; }\n",
      "spilling");
  const std::vector<Statement>& code = module.functions[0].code;
  const std::size_t first = bytes == 2 ? 0 : bytes == 4 ? 2 : 4;
  return {code[first], code[first + 1]};
}

// Replaces the registers of chosen names by local memory.
class Rewriter {
 public:
  Rewriter(const Function& function, const std::vector<bool>& chosen) : old_(function), result_(function) {
    slots_.assign(function.registers.size(), kNoSlot);
    for (std::uint32_t name = 0; name < slots_.size(); ++name)
      if (chosen[name]) {
        const std::uint32_t bytes = bytes_of(function.registers[name].type);
        result_.local_bytes = (result_.local_bytes + bytes - 1) / bytes * bytes;
        slots_[name] = result_.local_bytes;
        result_.local_bytes += bytes;
      }
    result_.code.clear();
  }

  Function rewrite() {
    std::vector<std::uint32_t> moved;
    for (const Statement& statement : old_.code) {
      moved.push_back(static_cast<std::uint32_t>(result_.code.size()));
      add(statement);
    }
    for (Statement& statement : result_.code)
      if (statement.opcode == Opcode::kBra) statement.target = moved[statement.target];
    for (Label& label : result_.labels)
      label.statement = label.statement < moved.size() ? moved[label.statement]
                                                       : static_cast<std::uint32_t>(result_.code.size());
    const FlowGraph graph(result_);
    set_reconvergence(result_, graph);
    return std::move(result_);
  }

 private:
  bool is_chosen(const Operand& operand) const {
    return operand.kind == OperandKind::kRegister && operand.index < slots_.size() &&
           slots_[operand.index] != kNoSlot;
  }

  void add(const Statement& statement) {
    Statement changed = statement;
    std::vector<Operand> operands(old_.operands_of(statement),
                                  old_.operands_of(statement) + statement.operands);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> temporaries;  // chosen register, its temporary
    bool any = false;
    for (const Operand& operand : operands)
      visit(operand, [&](const Operand& o) { any = any || is_chosen(o); });
    if (!any) {
      result_.code.push_back(statement);
      return;
    }
    const auto temporary = [&](std::uint32_t name) {
      for (const auto& [known, made] : temporaries)
        if (known == name) return made;
      const auto made = static_cast<std::uint32_t>(result_.registers.size());
      result_.registers.push_back({old_.registers[name].name + "$spill", old_.registers[name].type});
      temporaries.emplace_back(name, made);
      return made;
    };
    std::vector<std::uint32_t> read;
    std::vector<std::uint32_t> written;
    for (std::uint32_t i = 0; i < operands.size(); ++i)
      visit(operands[i], [&](const Operand& operand) {
        if (!is_chosen(operand)) return;
        std::vector<std::uint32_t>& list = i < statement.destinations ? written : read;
        if (std::find(list.begin(), list.end(), operand.index) == list.end()) list.push_back(operand.index);
      });
    for (const std::uint32_t name : read) access(statement, name, temporary(name), false);
    for (Operand& operand : operands) {
      if (is_chosen(operand)) operand.index = temporary(operand.index);
      if (operand.kind != OperandKind::kVector) continue;
      const auto first = static_cast<std::uint32_t>(result_.operands.size());
      for (std::uint32_t i = 0; i < operand.count; ++i) {
        Operand element = old_.operands[operand.index + i];
        if (is_chosen(element)) element.index = temporary(element.index);
        result_.operands.push_back(element);
      }
      operand.index = first;
    }
    changed.operand = static_cast<std::uint32_t>(result_.operands.size());
    result_.operands.insert(result_.operands.end(), operands.begin(), operands.end());
    result_.code.push_back(changed);
    for (const std::uint32_t name : written) access(statement, name, temporary(name), true);
  }

  void access(const Statement& of, std::uint32_t name, std::uint32_t temporary, bool store) {
    const Accesses both = accesses_of(bytes_of(old_.registers[name].type));
    Statement made = store ? both.store : both.load;
    made.line = of.line;
    made.flags |= kSpill;
    if (store) {
      made.guard = of.guard;
      made.guard_negated = of.guard_negated;
    }
    Operand value;
    value.kind = OperandKind::kRegister;
    value.type = old_.registers[name].type;
    value.index = temporary;
    Operand slot;
    slot.kind = OperandKind::kLocal;
    slot.value = slots_[name];
    made.operand = static_cast<std::uint32_t>(result_.operands.size());
    result_.operands.push_back(store ? slot : value);
    result_.operands.push_back(store ? value : slot);
    result_.code.push_back(made);
  }

  template <class Visit>
  void visit(const Operand& operand, const Visit& visit_operand) const {
    if (operand.kind != OperandKind::kVector) return visit_operand(operand);
    for (std::uint32_t i = 0; i < operand.count; ++i) visit_operand(old_.operands[operand.index + i]);
  }

  const Function& old_;
  Function result_;
  std::vector<std::uint32_t> slots_;
};

// Returns the accesses to each register, where an access in a loop counts ten times for each level.
std::vector<double> access_counts(const Function& function, const FlowGraph& graph) {
  std::vector<double> weight(graph.exit() + 1, 1);
  std::vector<int> depth(graph.exit() + 1, 0);
  for (std::uint32_t block = 0; block < graph.exit(); ++block)
    for (const std::uint32_t next : graph.graph().successors(block))
      if (next <= block) {
        ++depth[next];
        --depth[block + 1];
      }
  int level = 0;
  for (std::uint32_t block = 0; block < graph.exit(); ++block) {
    level += depth[block];
    weight[block] = std::pow(10.0, std::min(level, kMostLevels));
  }
  std::vector<double> counts(function.registers.size(), 0);
  const auto count = [&](const Operand& operand, std::uint32_t statement) {
    if (operand.kind == OperandKind::kRegister) counts[operand.index] += weight[graph.block_of(statement)];
  };
  for (std::uint32_t i = 0; i < function.code.size(); ++i)
    for (std::uint32_t j = 0; j < function.code[i].operands; ++j) {
      const Operand& operand = function.operands_of(function.code[i])[j];
      count(operand, i);
      for (std::uint32_t k = 0; operand.kind == OperandKind::kVector && k < operand.count; ++k)
        count(function.operands[operand.index + k], i);
    }
  return counts;
}

// Returns the registers to spill so that `excess` fewer are live where most are; all false: there are none.
std::vector<bool> choose(const Function& function, const std::vector<bool>& is_temporary,
                         const Pressure& pressure, std::uint32_t excess) {
  const std::vector<double> counts = access_counts(function, FlowGraph(function));
  std::vector<std::uint32_t> candidates;
  for (const std::uint32_t name : pressure.live)
    if (name < function.registers.size() && !is_temporary[name] &&
        bytes_of(function.registers[name].type) > 1)
      candidates.push_back(name);
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
    return counts[a] * units_of(function, b) < counts[b] * units_of(function, a);
  });
  std::vector<bool> chosen(function.registers.size(), false);
  for (const std::uint32_t name : candidates) {
    if (excess == 0) break;
    chosen[name] = true;
    excess -= std::min(excess, units_of(function, name));
  }
  return chosen;
}

void spill(Function& function, std::uint32_t most) {
  const std::uint32_t needed = register_estimate(function).registers;
  if (needed <= most) return;
  function.maxnreg = most;
  if (function.unspilled_registers == 0) function.unspilled_registers = needed;
  const std::uint32_t local_bytes = function.local_bytes;
  std::vector<bool> is_temporary(function.registers.size(), false);
  for (int round = 0; round < kMostRounds; ++round) {
    const Pressure pressure = register_estimate(function);
    if (pressure.registers <= most) break;
    const std::vector<bool> chosen = choose(function, is_temporary, pressure, pressure.registers - most);
    if (std::find(chosen.begin(), chosen.end(), true) == chosen.end()) break;
    for (std::uint32_t name = 0; name < chosen.size(); ++name)
      is_temporary[name] = is_temporary[name] || chosen[name];
    function = Rewriter(function, chosen).rewrite();
    is_temporary.resize(function.registers.size(), true);
  }
  function.spilled_bytes += function.local_bytes - local_bytes;
}

}  // namespace

std::vector<std::string> spill_notes(const Module& module, std::uint32_t entry) {
  std::vector<std::string> notes;
  for (const std::uint32_t reached : CallGraph(module).reached_from(entry)) {
    const Function& function = module.functions[reached];
    if (function.spilled_bytes == 0) continue;
    std::string what = fmt::format("kernel '{}'", kernel_name(module.functions[entry].name));
    if (reached != entry) what = fmt::format("function '{}' of {}", kernel_name(function.name), what);
    notes.push_back(
        fmt::format("{} needs {} registers of a thread and has {}: {} B of each thread are spilled to "
                    "local memory",
                    what, function.unspilled_registers, function.maxnreg, function.spilled_bytes));
  }
  return notes;
}

void spill_registers(Module& module, std::uint32_t most) {
  if (most == kAnyRegisters) return;
  for (Function& function : module.functions)
    if (!function.code.empty())
      spill(function, function.maxnreg != 0 ? std::min(most, function.maxnreg) : most);
}

}  // namespace heddle::ptx
