#include "stimuli/ptx/schedule/code_schedule.h"

#include <utility>

#include "models/core/base/launch_limits.h"
#include "stimuli/ptx/analysis/block_schedule.h"
#include "stimuli/ptx/analysis/live_values.h"
#include "stimuli/ptx/analysis/operand_folding.h"
#include "stimuli/ptx/analysis/operation_costs.h"
#include "stimuli/ptx/analysis/written_code.h"
#include "stimuli/ptx/schedule/address_numbers.h"
#include "stimuli/ptx/schedule/expansion.h"
#include "stimuli/ptx/schedule/instruction_selection.h"
#include "stimuli/ptx/schedule/predicated_branches.h"
#include "stimuli/ptx/schedule/repeated_loops.h"
#include "stimuli/ptx/schedule/statement_effects.h"
#include "stimuli/ptx/statements/clocks.h"

namespace heddle::ptx {
namespace {

using Memory = MachineOperation::Memory;

constexpr std::uint32_t kSpecialLatency = 20;  // of the steps of an expanded statement, as in costs_of()
constexpr std::uint32_t kDoubleLatency = 16;

// Returns whether folded statements may be computed behind the instruction, within the same issue.
bool has_ended_at_issue(Opcode opcode) {
  return opcode != Opcode::kCall && opcode != Opcode::kBarSync && opcode != Opcode::kBarArrive &&
         opcode != Opcode::kBarRed;
}

// The cycles until the result of an instruction can be read.
std::uint32_t latency_of(const Statement& s, const InstructionForm& form) {
  if (!form.operation) return costs_of(s).latency;
  if (*form.operation == Operation::kSfu) return kSpecialLatency;
  return *form.operation == Operation::kDouble ? kDoubleLatency : OperationCosts{}.latency;
}

class Scheduler {
 public:
  explicit Scheduler(ScheduledFunction selected)
      : selected_(std::move(selected)),
        function_(selected_.function),
        graph_(function_),
        code_(code_as_written(function_, graph_)),
        carry_(static_cast<std::uint32_t>(code_.units.size())),
        folded_(std::move(selected_.folded)),
        forms_(std::move(selected_.forms)) {
    code_.units.push_back(0);
  }

  ScheduledFunction schedule() {
    AddressNumbers numbers(function_);
    for (MachineBlock& block : code_.blocks) {
      numbers.start();
      for (MachineOperation& operation : block.operations) describe(operation, numbers);
    }
    MachineCode narrow = code_;
    ptx::schedule(code_, ScheduleGoal::kLatency);
    const std::uint32_t most = function_.maxnreg != 0 ? function_.maxnreg : kMostRegistersOfThread;
    if (pressure_of(code_).registers > most) {
      ptx::schedule(narrow, ScheduleGoal::kRegisters);
      if (pressure_of(narrow).registers < pressure_of(code_).registers) code_ = std::move(narrow);
    }
    return result();
  }

 private:
  void describe(MachineOperation& operation, AddressNumbers& numbers) const {
    const Statement& s = function_.code[operation.statement];
    const InstructionForm& form = forms_[operation.statement];
    operation.issues = !folded_[operation.statement];
    operation.latency = operation.issues ? latency_of(s, form) : 0;
    if (form.operation) add_names(form, operation);
    operation.calls = form.is_fixed || (operation.issues && is_fixed(function_, s));
    operation.ends_block = ends_block(s);
    if (s.has(kCarryOut)) operation.writes.push_back(carry_);
    if (s.opcode == Opcode::kAddc || s.opcode == Opcode::kSubc || s.opcode == Opcode::kMadc)
      operation.reads.push_back(carry_);
    operation.memory = memory_of(function_, s);
    operation.space = s.space;
    if (operation.memory == Memory::kLoad || operation.memory == Memory::kStore)
      access(s, operation, numbers);
    numbers.write(s);
  }
  // The instructions of an expanded statement hand their results on in its registers.
  static void add_names(const InstructionForm& form, MachineOperation& operation) {
    for (const std::uint32_t name : form.reads) operation.reads.push_back(name);
    if (operation.writes.empty()) operation.writes = form.writes;
  }
  void access(const Statement& s, MachineOperation& operation, AddressNumbers& numbers) const {
    operation.read_only = s.opcode == Opcode::kLd && (s.has(kReadOnly) || s.space == Space::kConst);
    if (s.opcode == Opcode::kTex || s.opcode == Opcode::kTld4) operation.space = Space::kGlobal;
    if (s.opcode != Opcode::kLd && s.opcode != Opcode::kSt) return;
    const AddressNumbers::Value address = numbers.address_of(function_.operands_of(s)[ptx::address_of(s)]);
    operation.base = address.number;
    operation.offset = address.offset;
    operation.bytes = bytes_of(s.type) * s.width;
  }

  ScheduledFunction result() {
    ScheduledFunction made;
    made.function = function_;
    made.function.code.clear();
    for (const MachineBlock& block : code_.blocks) {
      keep_an_instruction(block);
      for (const MachineOperation& operation : block.operations) {
        made.function.code.push_back(function_.code[operation.statement]);
        made.folded.push_back(folded_[operation.statement]);
        made.forms.push_back(std::move(forms_[operation.statement]));
      }
    }
    return made;
  }
  // The last statement of a block issues if no instruction before it can compute it.
  void keep_an_instruction(const MachineBlock& block) {
    for (std::size_t i = block.operations.size(); i-- > 0;) {
      const std::uint32_t statement = block.operations[i].statement;
      if (folded_[statement]) continue;
      if (i + 1 == block.operations.size() || has_ended_at_issue(function_.code[statement].opcode)) return;
      break;
    }
    const MachineOperation& last = block.operations.back();
    folded_[last.statement] = false;
    forms_[last.statement] = {of_function(last.reads), of_function(last.writes), {}};
  }

  std::vector<std::uint32_t> of_function(const std::vector<std::uint32_t>& names) const {
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t name : names)
      if (name < carry_) kept.push_back(name);
    return kept;
  }

  ScheduledFunction selected_;
  const Function& function_;
  const FlowGraph graph_;
  MachineCode code_;           // an operation for each statement
  const std::uint32_t carry_;  // the name of the carry flag, behind those of registers and predicates
  std::vector<bool> folded_;
  std::vector<InstructionForm> forms_;
};

}  // namespace

ScheduledFunction scheduled(const Function& function, CodeSchedule schedule) {
  const Constants constants =
      schedule == CodeSchedule::kPtxasLike90 ? Constants::kLoaded : Constants::kOperands;
  ScheduledFunction code =
      with_selected_instructions(with_repeated_loops(with_predicated_branches(function)), constants);
  expand(code, constants);
  return Scheduler(std::move(code)).schedule();
}

}  // namespace heddle::ptx
