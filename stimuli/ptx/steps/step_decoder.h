#pragma once
// Decodes the statements of a function into steps.

#include "stimuli/ptx/steps/entry_code.h"
#include "stimuli/ptx/steps/row_table.h"

namespace heddle::ptx {

class StepDecoder {
 public:
  StepDecoder(const Image& image, EntryCode& code)
      : module_(*image.module), code_(code), rows_(image, code) {}

  // `function.instructions` have been filled, one for each statement that is not folded.
  void decode(FunctionCode& function, const std::vector<bool>& is_folded, const PhysicalRegisters& physical);

 private:
  void finish_block(std::vector<Step>& folded);
  Step step_of(const Statement& statement);
  void operands(const Statement& statement, Step& step);
  void add(const Operand& operand, bool destination, bool wide, Step& step);
  void memory(const Statement& statement, Step& step);
  void address(const Operand& operand, Access& access, Step& step);
  Row address_row(const Operand& operand, Access& access);
  void keep(const Access& access, Step& step);  // the access of the step
  void elements(const Operand& operand, bool destination, Step& step);
  void texture(const Statement& statement, Step& step);
  void copy(const Statement& statement, Step& step);
  void asynchronous_store(const Statement& statement, Step& step);
  void tensor_copy(const Statement& statement, Step& step);
  void phase_barrier(const Statement& statement, Step& step);
  void call(const Statement& statement, Step& step);
  CallSite::Argument argument(const Operand& operand, const FrameVariable& parameter);

  const Module& module_;
  EntryCode& code_;
  RowTable rows_;
  FunctionCode* function_ = nullptr;
};

}  // namespace heddle::ptx
