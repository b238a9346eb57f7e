#pragma once
// Reads one instruction of a function's body.

#include <vector>

#include "stimuli/ptx/text/forms.h"
#include "stimuli/ptx/text/module.h"
#include "stimuli/ptx/text/operand_decoder.h"
#include "stimuli/ptx/text/raw_operand.h"
#include "stimuli/ptx/text/scopes.h"

namespace heddle::ptx {

// A call, to be checked once all functions are known.
struct CallPlace {
  std::uint32_t function = 0;  // called
  Place place;
};

class InstructionReader {
 public:
  static constexpr std::size_t kMostInstructions = std::size_t{1} << 22U;  // of a module

  InstructionReader(Cursor& cursor, Module& module, Scopes& scopes)
      : cursor_(cursor), module_(module), scopes_(scopes), raw_(cursor), decoder_(cursor, module, scopes) {}

  void begin(Function& function);
  void read();  // from the guard to behind the ';'; throws Refused
  const std::vector<CallPlace>& calls() const { return calls_; }

 private:
  void read_guard(Instruction& instruction);
  void decode_operands(Instruction& instruction, const Token& mnemonic);
  Operand decode_slot(const Instruction& instruction, std::size_t slot, std::size_t& next);
  bool stands(const Instruction& instruction, std::size_t slot, std::size_t next) const;
  void read_branch(std::size_t& next);
  void read_call(Instruction& instruction);
  std::vector<RawOperand> read_call_list();
  void pass(const std::vector<RawOperand>& given, const std::vector<FrameVariable>& wanted, bool results,
            const Token& callee);
  void append(Instruction& instruction);

  Cursor& cursor_;
  Module& module_;
  Scopes& scopes_;
  RawReader raw_;
  OperandDecoder decoder_;
  Function* function_ = nullptr;
  RawOperands written_;
  std::vector<Operand> decoded_;
  std::vector<Token> modifiers_;
  std::vector<CallPlace> calls_;
  std::size_t instructions_ = 0;
};

}  // namespace heddle::ptx
