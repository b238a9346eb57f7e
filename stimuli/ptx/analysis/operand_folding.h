#pragma once
// The registers of a function that need no operation or no register of their own in machine code, because the
// operations that read them take a constant, a parameter, a copy or a part of an address instead.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/analysis/def_use_chains.h"
#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/statements/module.h"

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

  const DefUseChains& chains() const { return chains_; }
  // Returns the registers of 32 bits that the name takes. A register of 64 bits takes one if all that read it
  // need its low half only.
  std::uint8_t units(std::uint32_t name) const;
  bool is_narrow(std::uint32_t name) const { return narrow_[name]; }
  bool is_parameter(std::uint32_t name) const { return is_parameter_[name]; }
  bool is_constant(const Operand& operand) const;
  // Returns whether the operand is a predicate that a comparison of equal or unequal numbers sets to false.
  bool is_false(const Operand& operand) const;
  // Returns the address of the operand in constant memory that operations take for the name. A variable in
  // constant memory counts as a bank. None: the name is not read from constant memory.
  std::optional<ConstantAddress> constant_of(std::uint32_t name) const;
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
  Place place_of(const Operand& address) const;

 private:
  const Operand* operands(const Statement& statement) const { return function_.operands_of(statement); }
  void find_offsets();
  bool is_part_of_addresses(std::uint32_t name) const;
  void find_aliases();
  void find_masks();
  void fold_load(const Statement& s);
  std::uint32_t copied(std::uint32_t result, const Operand& source);
  void fold_comparison(const Statement& s);
  std::optional<std::uint64_t> number_of(const Operand& operand) const;
  std::uint32_t alias_of(const Statement& s, std::uint32_t result);
  std::uint32_t index_of(std::uint32_t name) const;
  void find_scaled();
  void find_renamed();

  const Function& function_;
  const FlowGraph& graph_;
  const Constants constants_;
  const DefUseChains chains_;
  const std::vector<bool> narrow_;  // by name
  std::vector<bool> offset_;        // by name: a sum with a constant that only addresses read
  std::vector<bool> is_parameter_;
  std::vector<bool> is_false_;  // by name: a predicate that is always false
  std::vector<bool> mask_;      // by name: a predicate that selections from 0 take as a mask of 32 bits
  std::vector<std::uint32_t> alias_;
  std::vector<std::uint32_t> scaled_;
  std::vector<std::uint32_t> renamed_;
};

}  // namespace heddle::ptx
