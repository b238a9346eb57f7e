#include "stimuli/ptx/steps/entry_code.h"

#include <algorithm>
#include <utility>

#include "stimuli/ptx/analysis/call_graph.h"
#include "stimuli/ptx/analysis/merged_atomics.h"
#include "stimuli/ptx/analysis/phase_specifiers.h"
#include "stimuli/ptx/steps/cluster_turns.h"
#include "stimuli/ptx/steps/multiplier_moves.h"
#include "stimuli/ptx/steps/step_decoder.h"
#include "stimuli/ptx/steps/timing.h"
#include "stimuli/ptx/steps/uniform_operations.h"

namespace heddle::ptx {
namespace {

// Local memory and registers that the callers of a function hold, at most over all chains of calls to it.
struct Held {
  std::uint64_t local_bytes = 0;
  RegisterId registers = 0;
};

// A shuffle reads registers of inactive lanes, whose values must not depend on earlier blocks.
bool shuffles(const Function& function) {
  return std::any_of(function.code.begin(), function.code.end(),
                     [](const Statement& statement) { return statement.opcode == Opcode::kShfl; });
}

bool writes(const Instruction& instruction, RegisterId id) {
  const std::vector<RegisterId>& registers = instruction.destinations();
  return std::find(registers.begin(), registers.end(), id) != registers.end();
}

bool leaves(const Instruction& instruction) {
  return instruction.operation == Operation::kBranch || instruction.operation == Operation::kExit;
}

// A comparison is a condition if a branch or an exit reads its predicate, and no branch stands between.
void mark_conditions(std::vector<Instruction>& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!leaves(code[i]) || code[i].sources().empty()) continue;
    const RegisterId predicate = code[i].sources().back();
    if (predicate < kFirstPredicateName) continue;
    for (std::size_t j = i; j-- > 0 && !leaves(code[j]);) {
      if (!writes(code[j], predicate)) continue;
      if (code[j].operation == Operation::kMove) code[j].operation = Operation::kCondition;
      break;
    }
  }
}

class EntryDecoder {
 public:
  EntryDecoder(const Image& image, std::uint32_t entry, const CodeForm& form, bool in_clusters,
               EntryCode& code)
      : image_(image), module_(*image.module), form_(form), in_clusters_(in_clusters), code_(code) {
    code_.entry = entry;
    code_.functions.resize(module_.functions.size());
    code_.changed.resize(module_.functions.size());
    for (const std::uint32_t function : CallGraph(module_).reached_from(entry))
      if (!module_.functions[function].code.empty()) reached_.push_back(function);
  }

  void decode() {
    if (form_.schedule != CodeSchedule::kNone)
      for (const std::uint32_t index : reached_) schedule(index);
    first_pc_.resize(module_.functions.size());
    std::uint32_t pc = 0;
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
      first_pc_[i] = pc;
      pc += form_.instruction_bytes * static_cast<std::uint32_t>(instructions(i));
    }
    held_.resize(module_.functions.size());
    physical_.resize(module_.functions.size());
    for (const std::uint32_t index : callers_first()) allocate(index);
    StepDecoder steps(image_, code_);
    for (const std::uint32_t index : reached_) {
      FunctionCode& code = code_.functions[index];
      code.function = &function(index);
      add_instructions(index, code);
      steps.decode(code, folded(index), physical_[index]);
      code.starts_with_zeros = physical_[index].live_at_start || shuffles(*code.function);
    }
    if (code_.recursive) code_.local_bytes = std::max(code_.local_bytes, EntryCode::kRecursionBytes);
  }

 private:
  void schedule(std::uint32_t index) {
    code_.changed[index] = std::make_shared<ScheduledFunction>(scheduled(function(index), form_.schedule));
  }

  // Returns by statement whether it is folded; empty: none is.
  const std::vector<bool>& folded(std::uint32_t index) const {
    static const std::vector<bool> none;
    return code_.changed[index] ? code_.changed[index]->folded : none;
  }

  std::size_t instructions(std::uint32_t index) const {
    return function(index).code.size() -
           static_cast<std::size_t>(std::count(folded(index).begin(), folded(index).end(), true));
  }

  void add_instructions(std::uint32_t index, FunctionCode& code) const {
    const std::vector<Statement>& statements = code.function->code;
    const bool is_scheduled = !folded(index).empty();
    std::vector<bool> merged(statements.size());
    if (index == code_.entry) merged = merged_atomics(*code.function);
    std::uint32_t pc = first_pc_[index];
    for (std::size_t i = 0; i < statements.size(); ++i) {
      if (is_scheduled && folded(index)[i]) continue;
      code.instructions.push_back(timing_of(*code.function, statements[i],
                                            is_scheduled ? &code_.changed[index]->forms[i] : nullptr,
                                            physical_[index], pc));
      code.instructions.back().mergeable = merged[i];
      if (in_clusters_) set_cluster(*code.function, statements[i], code.instructions.back());
      pc += form_.instruction_bytes;
    }
    mark_conditions(code.instructions);
    if (!is_scheduled) return;
    if (form_.uniform_datapath)
      move_to_uniform_datapath(*code_.changed[index], form_.schedule == CodeSchedule::kPtxasLike90,
                               code.instructions);
    move_to_multiplier(*code_.changed[index], code.instructions);
  }

  const Function& function(std::uint32_t index) const {
    return code_.changed[index] ? code_.changed[index]->function : module_.functions[index];
  }

  enum class Mark : std::uint8_t { kNew, kOpen, kDone };

  // Returns the reached functions in an order in which a caller precedes its callees. Recursive calls are not
  // considered.
  std::vector<std::uint32_t> callers_first() {
    std::vector<Mark> marks(module_.functions.size(), Mark::kNew);
    std::vector<std::uint32_t> done;
    struct Open {
      std::uint32_t function;
      std::vector<std::uint32_t> callees;
      std::size_t next;  // index of the next callee to visit
    };
    const CallGraph graph(module_);
    std::vector<Open> open{{code_.entry, graph.calls_of(code_.entry), 0}};
    marks[code_.entry] = Mark::kOpen;
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next == top.callees.size()) {
        marks[top.function] = Mark::kDone;
        done.push_back(top.function);
        open.pop_back();
        continue;
      }
      const std::uint32_t callee = top.callees[top.next++];
      if (marks[callee] == Mark::kOpen) code_.recursive = true;
      if (marks[callee] != Mark::kNew || module_.functions[callee].code.empty()) continue;
      marks[callee] = Mark::kOpen;
      open.push_back({callee, graph.calls_of(callee), 0});
    }
    std::reverse(done.begin(), done.end());
    return done;
  }

  void allocate(std::uint32_t index) {
    physical_[index] = allocate_registers(function(index), held_[index].registers);
    const Held own{held_[index].local_bytes + local_frame_bytes(function(index)), physical_[index].end};
    code_.local_bytes = std::max(code_.local_bytes, own.local_bytes);
    for (const Statement& statement : function(index).code) {
      if (statement.opcode != Opcode::kCall) continue;
      for (const std::uint32_t index_of_callee : callees_of(module_, statement)) {
        Held& callee = held_[index_of_callee];
        callee.local_bytes = std::max(callee.local_bytes, own.local_bytes);
        callee.registers = std::max(callee.registers, own.registers);
      }
    }
  }

  const Image& image_;
  const Module& module_;
  const CodeForm form_;
  const bool in_clusters_;
  EntryCode& code_;
  std::vector<std::uint32_t> reached_;       // functions with a body, in text order
  std::vector<std::uint32_t> first_pc_;      // by function
  std::vector<Held> held_;                   // by function
  std::vector<PhysicalRegisters> physical_;  // by function
};

}  // namespace

EntryCode decode_entry(const Image& image, std::uint32_t entry, const CodeForm& form, bool in_clusters) {
  EntryCode code;
  EntryDecoder(image, entry, form, in_clusters, code).decode();
  return code;
}

EntryCode decode_entry_with_phases(const Image& image, std::uint32_t entry, const PhaseLimits& limits,
                                   const CodeForm& form) {
  const Function& plain = image.module->functions[entry];
  const PhaseMap map = find_phases(*image.module, plain, {}, limits);
  EntryCode code;
  EntryDecoder decoder(image, entry, form, false, code);
  code.changed[entry] =
      std::make_shared<ScheduledFunction>(ScheduledFunction{with_specifiers(plain, map), {}, {}});
  for (const Phase& phase : map.phases)
    code.phases.push_back({phase.registers, static_cast<std::uint32_t>(phase.shared_bytes)});
  decoder.decode();
  return code;
}

}  // namespace heddle::ptx
