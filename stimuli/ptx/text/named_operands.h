#pragma once
// NamedOperands says what the name in an operand stands for: a register, an element of a vector register, or
// the address of a variable. Registers are numbered at their first use.

#include <array>
#include <deque>
#include <string_view>

#include "stimuli/ptx/statements/module.h"
#include "stimuli/ptx/text/cursor.h"
#include "stimuli/ptx/text/raw_operand.h"
#include "stimuli/ptx/text/scopes.h"

namespace heddle::ptx {

class NamedOperands {
 public:
  NamedOperands(Cursor& cursor, const Module& module, Scopes& scopes)
      : cursor_(cursor), module_(module), scopes_(scopes) {}

  void begin(Function& function) {
    function_ = &function;
    vectors_.clear();
  }

  Symbol* known(std::string_view name) { return scopes_.find(name); }  // null: the name is not declared
  Symbol& find(const Token& name);  // throws Refused if the name is not declared
  // Returns the element of a vector register that the operand names, or the symbol of any other register.
  // Throws Refused.
  Symbol& element_of(Symbol& symbol, const RawOperand& raw);
  // Replaces the name of a vector register by its elements in braces.
  void expand(RawOperand& raw, RawOperands& all);

  Operand register_of(Symbol& symbol, const Token& name, std::string_view component = {});
  Operand predicate(const Token& name);                    // a guard; throws Refused
  Operand register_named(const FrameVariable& parameter);  // the register of a .reg parameter

  // Returns the address of a variable with an offset. Throws Refused.
  Operand symbol_address(const RawOperand& raw, const Symbol& symbol);
  Space space_of(const Symbol& symbol) const;
  // Returns the space of the variable that an address names, or kGeneric.
  Space named_space(const RawOperand& raw) const;
  // Throws Refused unless the variable is in the space.
  void check_space(const RawOperand& raw, const Symbol& symbol, Space wanted);

 private:
  Cursor& cursor_;
  const Module& module_;
  Scopes& scopes_;
  Function* function_ = nullptr;
  std::deque<std::array<Symbol, 4>> vectors_;  // the elements of the function's vector registers
};

}  // namespace heddle::ptx
