#pragma once
// Decodes operands and checks them against the statement's form.

#include <array>
#include <deque>
#include <string>

#include "stimuli/ptx/text/forms.h"
#include "stimuli/ptx/text/module.h"
#include "stimuli/ptx/text/raw_operand.h"
#include "stimuli/ptx/text/scopes.h"

namespace heddle::ptx {

class OperandDecoder {
 public:
  OperandDecoder(Cursor& cursor, Module& module, Scopes& scopes)
      : cursor_(cursor), module_(module), scopes_(scopes) {}

  void begin(Function& function) {
    function_ = &function;
    vectors_.clear();
  }

  // Decodes an operand that is neither a label nor part of a call. Appends the elements of a vector to the
  // function's operands. Throws Refused.
  Operand decode(const RawOperand& raw, const RawOperands& all, const OperandSlot& slot,
                 const Statement& statement);

  Operand parameter(const RawOperand& raw, std::uint32_t bytes,
                    bool destination);                     // an argument or a result of a call
  Operand predicate(const Token& name);                    // a guard
  Operand callee(const Token& name);                       // a register with the address of a function
  Operand register_named(const FrameVariable& parameter);  // the register of a .reg parameter
  // Replaces the name of a vector register by its elements in braces.
  void expand(RawOperand& raw, RawOperands& all);
  // Returns the space of the variable that an address names, or kGeneric.
  Space named_space(const RawOperand& raw) const;

 private:
  // The requirements of a value.
  struct Wanted {
    Type type = Type::kNone;
    bool destination = false;
    bool wider = false;
    bool negatable = false;
    bool bits = false;            // a wider register of bits may hold a floating-point value
    Opcode video = Opcode::kRet;  // a video instruction of which the operand may select a part
  };

  Symbol& find(const Token& name);
  Operand value(const RawOperand& raw, const Wanted& wanted);
  Operand named(const RawOperand& raw, const Wanted& wanted);
  bool special(const RawOperand& raw, const Wanted& wanted, Operand& operand);
  Operand register_of(Symbol& symbol, const Token& name, std::string_view component = {});
  Symbol& element_of(Symbol& symbol, const RawOperand& raw);
  void check_type(const RawOperand& raw, Type declared, const Wanted& wanted);
  Operand vector(const RawOperand& raw, const RawOperands& all, const Wanted& element);
  // As above, with another type of the first element.
  Operand vector(const RawOperand& raw, const RawOperands& all, const Wanted& element, const Wanted& first);
  Operand elements(const RawOperand& raw, const RawOperands& all, const Wanted& wanted, std::uint32_t width);
  Operand fragment(const RawOperand& raw, const RawOperands& all, const OperandSlot& slot,
                   const Statement& statement);
  Operand move(const RawOperand& raw, const RawOperands& all, const Wanted& wanted);
  Operand memory(const RawOperand& raw, const Statement& statement, Space space);
  Operand address_of_function(const RawOperand& raw, const Symbol& symbol, const Wanted& wanted);
  Operand symbol_address(const RawOperand& raw, const Symbol& symbol);
  Operand handle(const RawOperand& raw, const Statement& statement);
  Operand coordinates(const RawOperand& raw, const RawOperands& all, const Statement& statement);
  void check_space(const RawOperand& raw, const Symbol& symbol, Space wanted);
  Space space_of(const Symbol& symbol) const;

  Cursor& cursor_;
  Module& module_;
  Scopes& scopes_;
  Function* function_ = nullptr;
  std::deque<std::array<Symbol, 4>> vectors_;  // the elements of the function's vector registers
};

}  // namespace heddle::ptx
