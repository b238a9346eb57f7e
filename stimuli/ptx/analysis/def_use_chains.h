#pragma once
// The def-use chains of a function: which statements write a register, and which read it. From them follows
// which registers of 64 bits are narrow.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Names are those of Liveness. The function and the graph must outlive the object.
class DefUseChains {
 public:
  DefUseChains(const Function& function, const FlowGraph& graph);

  std::uint32_t names() const { return names_; }
  // Returns how many names are registers. They come before the predicates.
  std::uint32_t registers() const { return registers_; }
  // Returns the name of a register or a predicate; Graph::kNone: the operand is neither.
  std::uint32_t name_of(const Operand& operand) const;
  bool is_wide(std::uint32_t name) const;  // a register of 64 bits

  // Returns the statements that write, or read, the name, in the order of the code.
  const std::vector<std::uint32_t>& definitions(std::uint32_t name) const { return definitions_[name]; }
  const std::vector<std::uint32_t>& uses(std::uint32_t name) const { return uses_[name]; }
  bool is_read(std::uint32_t name) const { return !uses_[name].empty(); }
  // Returns the only statement that writes the name, if it has no guard; else null.
  const Statement* definition(std::uint32_t name) const;

  // Returns whether the name keeps its value between two statements.
  bool is_kept(std::uint32_t name, std::uint32_t from, std::uint32_t to) const;
  // Returns whether the name keeps its value from the first definition of `result` to each use of `result`.
  bool is_kept_for_all(std::uint32_t name, std::uint32_t result) const;

  // Calls visit_name for each name in an operand.
  template <class Visit>
  void visit(const Operand& operand, const Visit& visit_name) const {
    if (operand.kind == OperandKind::kVector) {
      for (std::uint32_t i = 0; i < operand.count; ++i)
        if (const std::uint32_t name = name_of(function_.operands[operand.index + i]); name != Graph::kNone)
          visit_name(name);
    } else if (const std::uint32_t name = name_of(operand); name != Graph::kNone) {
      visit_name(name);
    }
  }

 private:
  const Function& function_;
  const FlowGraph& graph_;
  std::uint32_t registers_;
  std::uint32_t names_;
  std::vector<std::vector<std::uint32_t>> definitions_;  // by name
  std::vector<std::vector<std::uint32_t>> uses_;         // by name
};

// Returns the index of the operand that is an address; Graph::kNone: the statement has none.
std::uint32_t address_of(const Statement& statement);

// Returns for each name whether it is a register of 64 bits that is read, and all that read it need its low
// 32 bits only.
std::vector<bool> narrow_registers(const Function& function, const DefUseChains& chains);

}  // namespace heddle::ptx
