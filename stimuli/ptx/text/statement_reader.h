#pragma once
// Reads the statements of a function's body.

#include <vector>

#include "stimuli/ptx/statements/forms.h"
#include "stimuli/ptx/statements/module.h"
#include "stimuli/ptx/text/operand_decoder.h"
#include "stimuli/ptx/text/raw_operand.h"
#include "stimuli/ptx/text/scopes.h"

namespace heddle::ptx {

// A call that is checked after all functions have been read.
struct UnresolvedCall {
  std::uint32_t function = 0;  // index of the callee in Module::functions
  std::uint32_t caller = 0;
  Place place;
};

class StatementReader {
 public:
  static constexpr std::size_t kMostStatements = std::size_t{1} << 22U;  // per module

  StatementReader(Cursor& cursor, Module& module, Scopes& scopes)
      : cursor_(cursor),
        module_(module),
        scopes_(scopes),
        raw_(cursor),
        names_(cursor, module, scopes),
        decoder_(cursor, module, names_) {}

  void begin(Function& function, std::uint32_t index);  // in Module::functions
  // Loads the parameters that are registers. The call comes before the first statement of the body.
  void load_parameters();
  // Reads one statement from its guard to after its ';'. Throws Refused.
  void read();
  // Appends a return, and before it stores of the results that are registers.
  void append_return(Statement& statement);
  const std::vector<UnresolvedCall>& calls() const { return calls_; }

 private:
  void read_guard(Statement& statement);
  void decode_operands(Statement& statement, const Token& mnemonic);
  Operand decode_slot(Statement& statement, std::size_t slot, std::size_t& next);
  void set_space(Statement& statement, const RawOperand& raw) const;
  Statement parameter_access(const char* mnemonic, const FrameVariable& parameter, Operand value);
  bool is_present(const Statement& statement, std::size_t slot, std::size_t next) const;
  void read_branch(std::size_t& next);
  void read_call(Statement& statement);
  void read_indirect_call(Statement& statement, const Token& callee, const std::vector<RawOperand>& results,
                          const std::vector<RawOperand>& arguments);
  std::vector<RawOperand> read_call_list();
  void pass(const std::vector<RawOperand>& given, const std::vector<FrameVariable>& wanted, bool results,
            const Token& callee);
  void append(Statement& statement);
  void check_copy(const Statement& statement, const Token& mnemonic);
  void check_merge(const Statement& statement, const Token& mnemonic);
  void append_parts(Statement& statement, const Token& mnemonic);

  Cursor& cursor_;
  Module& module_;
  Scopes& scopes_;
  RawReader raw_;
  NamedOperands names_;
  OperandDecoder decoder_;
  Function* function_ = nullptr;
  std::uint32_t index_ = 0;  // of the function
  RawOperands written_;
  std::vector<Operand> decoded_;
  std::vector<Token> modifiers_;
  std::vector<UnresolvedCall> calls_;
  struct Result {
    FrameVariable place;
    Operand value;  // its register
  };
  std::vector<Result> results_;  // of the function, those that are registers
  std::size_t statements_ = 0;
};

}  // namespace heddle::ptx
