#include "stimuli/ptx/schedule/merged_operations.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

bool is_sum(const Statement& s) {
  return s.opcode == Opcode::kAdd || s.opcode == Opcode::kSub;
}
bool is_logical(const Statement& s) {
  return s.opcode == Opcode::kAnd || s.opcode == Opcode::kOr || s.opcode == Opcode::kXor ||
         s.opcode == Opcode::kNot;
}
bool is_integer(const Statement& s, std::uint32_t bytes) {
  return !is_float(s.type) && s.type != Type::kPred && bytes_of(s.type) == bytes && !s.has(kCarryOut) &&
         !s.has(kSat);
}
// Returns whether the statement packs two halves into a register. Machine code has one instruction (F2FP)
// that converts two numbers to halves and packs them.
bool is_packed(const Function& function, const Statement& s) {
  const Operand* const operands = function.operands_of(s);
  return s.opcode == Opcode::kMov && bytes_of(s.type) == 4 && !s.guarded() &&
         operands[0].kind == OperandKind::kRegister && operands[1].kind == OperandKind::kVector &&
         operands[1].count == 2;
}
bool is_conversion_to_half(const Statement& s) {
  return s.opcode == Opcode::kCvt && (s.type == Type::kF16 || s.type == Type::kBf16) &&
         s.source_type == Type::kF32 && !s.has(kSat);
}
bool is_contracted(const Statement& s) {
  return (s.type == Type::kF32 || s.type == Type::kF64) && s.rounding == Rounding::kNone && !s.has(kSat);
}

class OperationMerger {
 public:
  OperationMerger(const Function& function, const FlowGraph& graph, std::vector<bool>& folded,
                  std::vector<InstructionForm>& forms)
      : function_(function), graph_(graph), folded_(folded), forms_(forms), merged_(forms.size()) {
    const std::size_t all = function.registers.size() + function.predicates.size();
    reads_.resize(all);
    writers_.resize(all);
    for (std::uint32_t i = 0; i < forms.size(); ++i) {
      if (folded[i]) continue;
      for (const std::uint32_t name : forms[i].reads) ++reads_[name];
      for (const std::uint32_t name : forms[i].writes) writers_[name].push_back(i);
    }
  }

  void merge() {
    for (std::uint32_t i = 0; i < forms_.size(); ++i) {
      if (folded_[i]) continue;
      if (is_packed(function_, function_.code[i])) {
        merge_conversions(i);
        continue;
      }
      for (const std::uint32_t name : forms_[i].reads)
        if (const std::uint32_t from = mergeable_writer(name, i); from != Graph::kNone) {
          merge(from, name, i);
          break;
        }
    }
  }

 private:
  void merge_conversions(std::uint32_t user) {
    const std::vector<std::uint32_t> halves = forms_[user].reads;
    if (halves.empty()) return;
    for (const std::uint32_t name : halves)
      if (mergeable_writer(name, user) == Graph::kNone) return;
    for (const std::uint32_t name : halves) merge(writers_[name][0], name, user);
    forms_[user].operation = Operation::kConvert;
  }

  // Returns the statement that computes the name for the instruction alone and may be merged with it.
  std::uint32_t mergeable_writer(std::uint32_t name, std::uint32_t user) const {
    if (reads_[name] != 1 || writers_[name].size() != 1) return Graph::kNone;
    const std::uint32_t from = writers_[name][0];
    const Statement& s = function_.code[from];
    if (folded_[from] || merged_[from] || from >= user || s.guarded() || forms_[from].writes.size() != 1 ||
        graph_.block_of(from) != graph_.block_of(user) || !is_one_operation(s, function_.code[user]))
      return Graph::kNone;
    return from;
  }

  bool is_one_operation(const Statement& first, const Statement& second) const {
    if (is_logical(second) && second.type == Type::kPred)
      return is_logical(first) || (first.opcode == Opcode::kSetp && first.combination == Combination::kNone);
    if (is_logical(second)) return bytes_of(second.type) == 4 && is_logical(first);
    if (second.opcode == Opcode::kMov) return is_conversion_to_half(first);
    if (!is_sum(second)) return false;
    if (is_float(second.type))
      return first.opcode == Opcode::kMul && first.type == second.type && is_contracted(first) &&
             is_contracted(second);
    const bool is_shifted = first.opcode == Opcode::kShl && second.opcode == Opcode::kAdd &&
                            function_.operands_of(first)[2].kind == OperandKind::kImmediate;
    if (is_shifted && is_integer(second, 8) && is_integer(first, 8)) return true;
    if (!is_integer(second, 4) || !is_integer(first, 4)) return false;
    return is_shifted || is_sum(first) || (first.opcode == Opcode::kMul && first.variant == Variant::kLo);
  }

  void merge(std::uint32_t from, std::uint32_t name, std::uint32_t user) {
    std::vector<std::uint32_t>& reads = forms_[user].reads;
    reads.erase(std::find(reads.begin(), reads.end(), name));
    for (const std::uint32_t other : forms_[from].reads) {
      if (std::find(reads.begin(), reads.end(), other) == reads.end())
        reads.push_back(other);
      else
        --reads_[other];
    }
    if (function_.code[from].opcode == Opcode::kMul) forms_[user].operation = operation_of_product(from);
    std::vector<ConstantAddress>& constants = forms_[user].constants;
    constants.insert(constants.end(), forms_[from].constants.begin(), forms_[from].constants.end());
    folded_[from] = true;
    merged_[user] = true;
    forms_[from] = {};
  }

  // Returns the operation of the instruction that computes this product and adds to it.
  Operation operation_of_product(std::uint32_t statement) const {
    const Type type = function_.code[statement].type;
    if (type == Type::kF64) return Operation::kDouble;
    return is_float(type) ? Operation::kFloatFma : Operation::kIntMad;
  }

  const Function& function_;
  const FlowGraph& graph_;
  std::vector<bool>& folded_;
  std::vector<InstructionForm>& forms_;
  std::vector<bool> merged_;                         // by statement: it computes another one
  std::vector<std::uint32_t> reads_;                 // by name: instructions
  std::vector<std::vector<std::uint32_t>> writers_;  // by name: instructions
};

}  // namespace

void merge_operations(const Function& function, const FlowGraph& graph, std::vector<bool>& folded,
                      std::vector<InstructionForm>& forms) {
  OperationMerger(function, graph, folded, forms).merge();
}

}  // namespace heddle::ptx
