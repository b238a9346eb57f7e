#pragma once
// The OperandDecoder decodes operands and checks them against the statement's form.

#include "stimuli/ptx/statements/forms.h"
#include "stimuli/ptx/statements/module.h"
#include "stimuli/ptx/text/named_operands.h"
#include "stimuli/ptx/text/raw_operand.h"

namespace heddle::ptx {

class OperandDecoder {
 public:
  OperandDecoder(Cursor& cursor, Module& module, NamedOperands& names)
      : cursor_(cursor), module_(module), names_(names) {}

  void begin(Function& function) { function_ = &function; }

  // Decodes an operand that is neither a label nor part of a call. Appends the elements of a vector to the
  // function's operands. Throws Refused.
  Operand decode(const RawOperand& raw, const RawOperands& all, const OperandSlot& slot,
                 const Statement& statement);

  // An argument or a result of a call.
  Operand parameter(const RawOperand& raw, std::uint32_t bytes, bool destination);
  Operand callee(const Token& name);  // a register with the address of a function

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

  Operand value(const RawOperand& raw, const Wanted& wanted);
  Operand named(const RawOperand& raw, const Wanted& wanted);
  bool special(const RawOperand& raw, const Wanted& wanted, Operand& operand);
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
  Operand handle(const RawOperand& raw, const Statement& statement);
  Operand coordinates(const RawOperand& raw, const RawOperands& all, const Statement& statement);

  Cursor& cursor_;
  Module& module_;
  NamedOperands& names_;
  Function* function_ = nullptr;
};

}  // namespace heddle::ptx
