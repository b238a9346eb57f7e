#pragma once
// The registers of a function that need no operation or no register of their own in machine code, because the
// operations that read them take a constant, a parameter, a copy or a part of an address instead.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// How the operations of a machine take the parameters of an entry, constant memory at constant addresses, and
// the sizes of the block and the grid.
enum class Constants : std::uint8_t {
  kOperands,  // from constant memory, as an operand
  kLoaded,    // from a register into which an instruction loads them, as since compute capability 9.0
};

// Names are those of Liveness.
class OperandFolding {
 public:
  static constexpr std::uint32_t kFree = Graph::kNone - 1;  // a value that takes no register

  // An address as a value and an offset from it.
  struct Place {
    std::uint32_t base = Graph::kNone;
    std::uint64_t offset = 0;
  };

  OperandFolding(const Function& function, const FlowGraph& graph, Constants constants);

  std::uint32_t names() const { return names_; }
  std::uint32_t name_of(const Operand& operand) const;
  // Returns the registers of 32 bits that the name takes. A register of 64 bits takes one if all that read it
  // need its low half only.
  std::uint8_t units(std::uint32_t name) const;
  bool is_narrow(std::uint32_t name) const { return narrow_[name]; }
  bool is_parameter(std::uint32_t name) const { return is_parameter_[name]; }
  bool is_read(std::uint32_t name) const { return !uses_[name].empty(); }
  bool is_constant(const Operand& operand) const;
  // Returns the name whose value this one has, or kFree.
  std::uint32_t alias(std::uint32_t name) const { return alias_[name]; }
  // Returns the value of which the name is a multiple that is computed where it is added; Graph::kNone: the
  // name is none.
  std::uint32_t scaled(std::uint32_t name) const { return scaled_[name]; }
  std::uint64_t scale_of(std::uint32_t name) const;  // of a scaled name
  // Returns the first of the copies and sums that end in a constant.
  std::uint32_t root(std::uint32_t name) const;
  // Returns the name in whose register the name is computed: a loop's value y that is copied to x, as in
  // `add y, x, 1; mov x, y`, is computed in x at once.
  std::uint32_t renamed(std::uint32_t name) const { return renamed_[name]; }
  // Returns the only statement that writes the name, if it has no guard; else null.
  const Statement* definition(std::uint32_t name) const;
  Place place_of(const Operand& address) const;

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
  const Operand* operands(const Statement& statement) const { return function_.operands_of(statement); }
  bool is_wide(std::uint32_t name) const;
  void find_definitions();
  void find_narrow();
  bool needs_low_half(const Statement& s, std::uint32_t operand) const;
  bool is_kept(std::uint32_t name, std::uint32_t from, std::uint32_t to) const;
  bool is_kept_for_all(std::uint32_t name, std::uint32_t result) const;
  void find_offsets();
  bool is_part_of_addresses(std::uint32_t name) const;
  void find_aliases();
  void find_masks();
  void fold_load(const Statement& s);
  std::uint32_t copied(std::uint32_t result, const Operand& source);
  std::uint32_t alias_of(const Statement& s, std::uint32_t result);
  std::uint32_t index_of(std::uint32_t name) const;
  void find_scaled();
  void find_renamed();

  const Function& function_;
  const FlowGraph& graph_;
  const Constants constants_;
  std::uint32_t registers_;
  std::uint32_t names_;
  std::vector<std::vector<std::uint32_t>> definitions_;  // by name: statements
  std::vector<std::vector<std::uint32_t>> uses_;         // by name: statements
  std::vector<bool> narrow_;
  std::vector<bool> offset_;  // by name: a sum with a constant that only addresses read
  std::vector<bool> is_parameter_;
  std::vector<bool> mask_;  // by name: a predicate that selections from 0 take as a mask of 32 bits
  std::vector<std::uint32_t> alias_;
  std::vector<std::uint32_t> scaled_;
  std::vector<std::uint32_t> renamed_;
};

// Returns the index of the operand that is an address; Graph::kNone: the statement has none.
std::uint32_t address_of(const Statement& statement);

}  // namespace heddle::ptx
