#include "stimuli/ptx/analysis/shared_liveness.h"

#include <algorithm>
#include <map>

#include "stimuli/ptx/analysis/call_graph.h"
#include "stimuli/ptx/statements/group_product.h"
#include "stimuli/ptx/statements/matrix.h"

namespace heddle::ptx {
namespace {

using Variables = std::uint64_t;  // a bit for each variable of the entry; the last bit stands for all others
constexpr std::size_t kMostVariables = 64;

bool only_loads(Opcode opcode) {
  return opcode == Opcode::kLd || stores_in_bulk(opcode) || opcode == Opcode::kWgmmaMma ||
         opcode == Opcode::kBulkAcross || is_matrix_load(opcode);
}
bool only_stores(Opcode opcode) {
  return opcode == Opcode::kSt || is_matrix_store(opcode) || opcode == Opcode::kCopyAsync ||
         loads_in_bulk(opcode);
}
bool is_memory(Opcode opcode) {
  return only_loads(opcode) || only_stores(opcode) || opcode == Opcode::kAtom || opcode == Opcode::kRed ||
         is_mbarrier(opcode) || stores_across(opcode);
}

class SharedLiveness {
 public:
  SharedLiveness(const Module& module, const Function& entry, const FlowGraph& graph)
      : module_(module), entry_(entry), graph_(graph), points_to_(entry.registers.size()) {
    const std::size_t known = std::min(entry.shared.size(), kMostVariables);
    all_ = known == kMostVariables ? ~Variables{0} : (Variables{1} << known) - 1;
    find_called();
    while (follow_pointers()) {
    }
  }

  std::vector<std::uint64_t> bytes(std::uint64_t dynamic_shared) {
    const std::vector<Variables> before = written_before();
    const std::vector<Variables> after = read_later();
    std::vector<std::uint64_t> result(entry_.code.size());
    for (std::uint32_t block = 0; block < graph_.blocks().size(); ++block) {
      const FlowGraph::Block& at = graph_.blocks()[block];
      std::vector<Variables> needed(at.end - at.first);
      Variables behind = after[block];
      for (std::uint32_t i = at.end; i-- > at.first;) needed[i - at.first] = behind |= reads(entry_.code[i]);
      Variables written = before[block];
      for (std::uint32_t i = at.first; i < at.end; ++i) {
        written |= writes(entry_.code[i]);
        result[i] = bytes_of(written & needed[i - at.first], dynamic_shared);
      }
    }
    return result;
  }

 private:
  void find_called() {
    const auto calls = [](const Statement& statement) { return statement.opcode == Opcode::kCall; };
    if (std::none_of(entry_.code.begin(), entry_.code.end(), calls)) return;
    const CallGraph graph(module_);
    for (const Statement& statement : entry_.code) {
      if (!calls(statement) || statement.has(kIndirect) || called_.count(statement.target) != 0) continue;
      Variables& named = called_[statement.target];
      for (const std::uint32_t function : graph.reached_from(statement.target))
        for (const std::uint32_t variable : graph.shared_of(function)) named |= bit_of(variable);
    }
  }

  // Returns for each block the variables that may have been written before it starts.
  std::vector<Variables> written_before() {
    std::vector<Variables> before(graph_.blocks().size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t block = 0; block < before.size(); ++block) {
        Variables out = before[block];
        for (std::uint32_t i = graph_.blocks()[block].first; i < graph_.blocks()[block].end; ++i)
          out |= writes(entry_.code[i]);
        for (const std::uint32_t next : graph_.graph().successors(block)) {
          if (next == graph_.exit() || (out & ~before[next]) == 0) continue;
          before[next] |= out;
          changed = true;
        }
      }
    }
    return before;
  }

  // Returns for each block the variables that may be read after it ends.
  std::vector<Variables> read_later() {
    std::vector<Variables> later(graph_.blocks().size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t block = static_cast<std::uint32_t>(later.size()); block-- > 0;) {
        Variables all = 0;
        for (const std::uint32_t next : graph_.graph().successors(block)) {
          if (next == graph_.exit()) continue;
          all |= later[next];
          for (std::uint32_t i = graph_.blocks()[next].first; i < graph_.blocks()[next].end; ++i)
            all |= reads(entry_.code[i]);
        }
        changed = changed || all != later[block];
        later[block] = all;
      }
    }
    return later;
  }

  // Extern arrays lie at the same address, so they count once.
  std::uint64_t bytes_of(Variables variables, std::uint64_t dynamic_shared) const {
    std::uint64_t bytes = 0;
    bool dynamic = false;
    for (std::size_t i = 0; i < entry_.shared.size(); ++i) {
      if ((variables >> std::min(i, kMostVariables - 1) & 1U) == 0) continue;
      const Variable& variable = module_.variables[entry_.shared[i].variable];
      dynamic = dynamic || variable.external;
      bytes += variable.external ? 0 : variable.bytes;
    }
    return bytes + (dynamic ? dynamic_shared : 0);
  }

  Variables bit_of(std::uint32_t variable) const {
    for (std::size_t i = 0; i < entry_.shared.size(); ++i)
      if (entry_.shared[i].variable == variable) return Variables{1} << std::min(i, kMostVariables - 1);
    return 0;
  }

  Variables points_to(const Operand& operand) const {
    if (operand.kind == OperandKind::kRegister) return points_to_[operand.index];
    if (operand.kind == OperandKind::kVariable) return bit_of(operand.index);
    Variables all = 0;
    if (operand.kind == OperandKind::kVector)
      for (std::uint32_t i = 0; i < operand.count; ++i) all |= points_to(entry_.operands[operand.index + i]);
    return all;
  }

  // Makes one pass over the code. Returns whether it found a new pointer.
  bool follow_pointers() {
    bool changed = false;
    for (const Statement& statement : entry_.code) {
      const Operand* const operands = entry_.operands_of(statement);
      Variables found = 0;
      const bool from_memory = is_memory(statement.opcode);
      for (std::uint32_t i = statement.destinations; i < statement.operands; ++i)
        found |= points_to(operands[i]);
      if (statement.opcode == Opcode::kCall && (found != 0 || escaped_)) {
        changed = changed || !escaped_;
        escaped_ = true;
      }
      if (statement.opcode == Opcode::kSt && points_to(operands[1]) != 0 && !escaped_)
        changed = escaped_ = true;
      if (from_memory || statement.opcode == Opcode::kCall) found = escaped_ ? all_ : 0;
      for (std::uint32_t i = 0; i < statement.destinations; ++i)
        changed = give(operands[i], found) || changed;
    }
    return changed;
  }

  bool give(const Operand& operand, Variables variables) {
    bool changed = false;
    if (operand.kind == OperandKind::kVector)
      for (std::uint32_t i = 0; i < operand.count; ++i)
        changed = give(entry_.operands[operand.index + i], variables) || changed;
    if (operand.kind != OperandKind::kRegister) return changed;
    changed = (variables & ~points_to_[operand.index]) != 0;
    points_to_[operand.index] |= variables;
    return changed;
  }

  // The descriptors of matrices are made of addresses.
  Variables read_by_product(const Statement& statement) const {
    const Operand* const operands = entry_.operands_of(statement);
    const Variables b = points_to(operands[kMatrixB]);
    const bool has_a = operands[kMatrixA].kind != OperandKind::kVector;
    const Variables a = has_a ? points_to(operands[kMatrixA]) : b;
    return a == 0 || b == 0 ? all_ : a | b;
  }
  Variables accessed(const Statement& statement) const {
    if (statement.has(kIndirect)) return all_;
    if (statement.opcode == Opcode::kCall) return escaped_ ? all_ : called_.at(statement.target);
    if (!is_memory(statement.opcode)) return 0;
    if (statement.opcode == Opcode::kWgmmaMma) return read_by_product(statement);
    if (statement.opcode == Opcode::kBulkAcross || stores_across(statement.opcode)) return all_;
    const bool shared = statement.space == Space::kShared || statement.opcode == Opcode::kCopyAsync ||
                        loads_in_bulk(statement.opcode) || stores_in_bulk(statement.opcode);
    if (!shared && statement.space != Space::kGeneric) return 0;
    // A copy from shared memory names its source behind the place in device memory.
    std::uint32_t address = statement.destinations;
    if (stores_in_bulk(statement.opcode)) address += is_tensor(statement.opcode) ? 2U : 1U;
    const Variables found = points_to(entry_.operands_of(statement)[address]);
    return found == 0 && shared ? all_ : found;
  }
  Variables reads(const Statement& statement) const {
    return only_stores(statement.opcode) ? 0 : accessed(statement);
  }
  Variables writes(const Statement& statement) const {
    return only_loads(statement.opcode) ? 0 : accessed(statement);
  }

  const Module& module_;
  const Function& entry_;
  const FlowGraph& graph_;
  Variables all_ = 0;
  std::vector<Variables> points_to_;           // by register
  std::map<std::uint32_t, Variables> called_;  // by callee: what it and its callees name
  bool escaped_ = false;                       // an address was stored or passed to a call
};

}  // namespace

std::vector<std::uint64_t> live_shared_bytes(const Module& module, const Function& entry,
                                             const FlowGraph& graph, std::uint64_t dynamic_shared) {
  return SharedLiveness(module, entry, graph).bytes(dynamic_shared);
}

}  // namespace heddle::ptx
