#include "stimuli/synthetic/synthetic_code.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr std::uint32_t kLoopOverhead = 3;

bool have_same_needs(const SyntheticPhase& a, const SyntheticPhase& b) {
  return a.live_registers == b.live_registers && a.live_shared == b.live_shared;
}

// Returns the last phase that starts in the entries; null if none does.
const SyntheticPhase* last_phase(const std::vector<SyntheticEntry>& entries) {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->kind == SyntheticEntry::Kind::kPhase) return &entry->phase;
    if (const SyntheticPhase* inside = last_phase(entry->body)) return inside;
  }
  return nullptr;
}

std::uint64_t saturating(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMostIssues / b ? kMostIssues + 1 : std::min(a * b, kMostIssues + 1);
}

std::size_t operands_of(Operation operation) {
  switch (operation) {
    case Operation::kFence:
    case Operation::kNop:
      return 0;
    case Operation::kSfu:
    case Operation::kDoubleReciprocal:
    case Operation::kMove:
    case Operation::kConvert:
    case Operation::kCondition:
    case Operation::kTraceSfu:
      return 1;
    case Operation::kIntMad:
    case Operation::kFloatFma:
    case Operation::kDouble:
    case Operation::kTraceTensor:
    case Operation::kTensor:
    case Operation::kTensorWide:
    case Operation::kTensorDouble:
      return 3;
    default:
      return 2;
  }
}

// Returns Instruction::tensor_products of the operation.
std::uint8_t tensor_products_of(Operation operation) {
  switch (operation) {
    case Operation::kTensor:
    case Operation::kTensorDouble:
      return 1;
    case Operation::kTensorWide:
    case Operation::kTraceTensor:
      return 2;
    default:
      return 0;
  }
}

class Layout {
 public:
  Layout(const SyntheticKernel& kernel, bool with_phases, SyntheticCode& code)
      : kernel_(kernel), with_phases_(with_phases), code_(code) {
    for (const SyntheticValue& value : kernel.values) written_ += value.width;
  }

  void entries(const std::vector<SyntheticEntry>& entries) {
    for (const SyntheticEntry& entry : entries) one(entry);
  }

  void end() { emit(Operation::kExit, {SyntheticStep::Kind::kExit}); }

 private:
  using Kind = SyntheticEntry::Kind;

  void one(const SyntheticEntry& entry) {
    switch (entry.kind) {
      case Kind::kCompute:
        return operations(entry);
      case Kind::kMemory:
        return memory(entry);
      case Kind::kBarrier:
        emit(Operation::kBarrier, {}).barrier = entry.barrier;
        return;
      case Kind::kLoop:
        return loop(entry);
      case Kind::kIf:
        return branch(entry);
      case Kind::kPhase:
        return phase(entry.phase);
    }
  }

  std::uint32_t pc() const {
    return static_cast<std::uint32_t>(code_.instructions.size()) * kInstructionBytes;
  }

  Instruction& emit(Operation operation, const SyntheticStep& step) {
    Instruction instruction;
    instruction.pc = pc();
    instruction.operation = operation;
    instruction.tensor_products = tensor_products_of(operation);
    code_.instructions.push_back(instruction);
    code_.steps.push_back(step);
    return code_.instructions.back();
  }

  RegisterId register_of(std::uint32_t value, std::uint32_t i) const {
    const SyntheticValue& of = kernel_.values[value];
    return static_cast<RegisterId>(of.first + i % of.width);
  }

  RegisterId predicate() const { return static_cast<RegisterId>(kFirstPredicate + depth_ % 8); }

  // Adds an operand to the instruction: the entry's values in turn, the i-th one here. An entry without
  // values reads a register that no instruction writes. If all live registers of the phase hold values, there
  // is no operand.
  void read_operand(Instruction& instruction, const SyntheticEntry& entry, std::uint32_t i) {
    const auto ways = static_cast<std::uint32_t>(entry.from.size());
    if (ways != 0) return instruction.reads(register_of(entry.from[i % ways], i / ways));
    const std::uint32_t live = code_.phases.back().live_registers;
    if (written_ >= live) return;
    instruction.reads(static_cast<RegisterId>(written_ + unwritten_++ % (live - written_)));
  }

  void operations(const SyntheticEntry& entry) {
    for (std::uint32_t i = 0; i < entry.count; ++i) {
      const Operation operation = entry.operations[i % entry.operations.size()];
      Instruction& instruction = emit(operation, {});
      const std::size_t operands = operands_of(operation);
      if (operands == 0) continue;
      const RegisterId chain = register_of(entry.to, i % entry.distance);
      instruction.writes(chain);
      instruction.reads(chain);
      if (operands == 1 && !entry.from.empty()) read_operand(instruction, entry, i);
      for (std::size_t k = 1; k < operands; ++k) read_operand(instruction, entry, i);
    }
  }

  void memory(const SyntheticEntry& entry) {
    const auto index = static_cast<std::uint32_t>(code_.accesses.size());
    AccessPattern access = entry.access;
    access.visits = entry.count;
    for (std::int32_t at = loop_; at >= 0; at = code_.loops[static_cast<std::size_t>(at)].parent)
      access.visits *= code_.loops[static_cast<std::size_t>(at)].most;
    code_.accesses.push_back(
        {loop_, entry.count,
         AddressGenerator(access, kernel_.blocks, kernel_.shape.threads, kernel_.seed, index + 1)});
    for (std::uint32_t i = 0; i < entry.count; ++i) {
      Instruction& instruction = emit(entry.operations.front(), {SyntheticStep::Kind::kMemory, index, i, 0});
      instruction.space = entry.space;
      instruction.bytes = static_cast<std::uint8_t>(access.bytes);
      instruction.bypass_l1 = entry.bypass_l1;
      if (entry.to != SyntheticEntry::kNoValue) instruction.writes(register_of(entry.to, i % entry.distance));
      if (entry.at != SyntheticEntry::kNoValue)
        instruction.reads(register_of(entry.at, i % entry.distance));
      else
        read_unwritten(instruction);
      if (instruction.operation != Operation::kLoad) read_operand(instruction, entry, i);
    }
  }

  void read_unwritten(Instruction& instruction) { read_operand(instruction, {}, 0); }

  void loop(const SyntheticEntry& entry) {
    const std::int32_t around = loop_;
    const auto index = static_cast<std::uint32_t>(code_.loops.size());
    loop_ = static_cast<std::int32_t>(index);
    code_.loops.push_back({around, entry.of, entry.least, entry.most});
    code_.varies = code_.varies || entry.least != entry.most;
    const std::uint32_t start = pc();
    const std::uint64_t rounds = rounds_;
    rounds_ = saturating(rounds, entry.most);
    specify_loop(entry.body);
    ++depth_;
    entries(entry.body);
    --depth_;
    rounds_ = rounds;
    const RegisterId counter = register_of(entry.counter, 0);
    Instruction& add = emit(Operation::kIntAdd, {});
    add.writes(counter);
    add.reads(counter);
    compare(counter);
    emit(Operation::kBranch, {SyntheticStep::Kind::kLoop, index, 0, start}).reads(predicate());
    loop_ = around;
  }

  void compare(RegisterId operand) {
    Instruction& move = emit(Operation::kMove, {});
    move.writes(predicate());
    move.reads(operand);
  }

  void branch(const SyntheticEntry& entry) {
    const auto index = static_cast<std::uint32_t>(code_.ifs.size());
    code_.ifs.push_back({loop_, entry.of, entry.fraction, 0});
    code_.varies = true;
    Instruction& move = emit(Operation::kMove, {});
    move.writes(predicate());
    read_operand(move, entry, 0);
    const std::size_t skip = code_.steps.size();
    emit(Operation::kBranch, {SyntheticStep::Kind::kIf, index, 0, 0}).reads(predicate());
    ++depth_;
    entries(entry.body);
    const std::size_t past = code_.steps.size();
    if (!entry.otherwise.empty()) emit(Operation::kBranch, {SyntheticStep::Kind::kJump});
    code_.steps[skip].target = pc();
    entries(entry.otherwise);
    --depth_;
    if (!entry.otherwise.empty()) code_.steps[past].target = pc();
    code_.ifs[index].meet = pc();
  }

  void phase(SyntheticPhase phase) {
    const bool at_entry = code_.instructions.empty();
    if (with_phases_ && (!at_entry || loop_ >= 0)) specify(phase);
    phase.pc = at_entry ? 0 : pc();
    if (code_.phases.back().pc == phase.pc) code_.phases.pop_back();
    code_.phases.push_back(phase);
    if (with_phases_ && at_entry) code_.needs[0] = needs_of(phase);
  }

  // The back edge of a loop enters its body in the last phase of the body.
  void specify_loop(const std::vector<SyntheticEntry>& body) {
    const SyntheticPhase* last = last_phase(body);
    if (!with_phases_ || last == nullptr || body.front().kind == Kind::kPhase) return;
    const SyntheticPhase now = code_.phases.back();
    if (!have_same_needs(*last, now)) specify(now);
  }

  static PhaseNeeds needs_of(const SyntheticPhase& phase) {
    return {phase.live_registers, static_cast<std::uint32_t>(phase.live_shared)};
  }

  void specify(const SyntheticPhase& phase) {
    const PhaseNeeds needs = needs_of(phase);
    const auto found = std::find_if(code_.needs.begin() + 1, code_.needs.end(), [&](const PhaseNeeds& known) {
      return known.registers_per_thread == needs.registers_per_thread &&
             known.shared_bytes == needs.shared_bytes;
    });
    emit(Operation::kPhase, {}).phase = static_cast<std::uint8_t>(found - code_.needs.begin());
    if (found == code_.needs.end()) code_.needs.push_back(needs);
    code_.most_issues = std::min(code_.most_issues + rounds_, kMostIssues + 1);
  }

  const SyntheticKernel& kernel_;
  const bool with_phases_;
  SyntheticCode& code_;
  std::uint64_t rounds_ = 1;     // the most of all enclosing loops
  std::uint32_t written_ = 0;    // the registers that hold values
  std::uint32_t unwritten_ = 0;  // the reads so far of other registers
  std::uint32_t depth_ = 0;
  std::int32_t loop_ = -1;  // index of the innermost open loop; -1 without one
};

}  // namespace

SyntheticSize size_of(const std::vector<SyntheticEntry>& code) {
  SyntheticSize size;
  for (const SyntheticEntry& entry : code) {
    SyntheticSize part{1, 1};
    switch (entry.kind) {
      case SyntheticEntry::Kind::kCompute:
      case SyntheticEntry::Kind::kMemory:
        part = {entry.count, entry.count};
        break;
      case SyntheticEntry::Kind::kBarrier:
        break;
      case SyntheticEntry::Kind::kLoop:
        part = size_of(entry.body);
        part.instructions += kLoopOverhead;
        part.issues = saturating(part.issues + kLoopOverhead, entry.most);
        break;
      case SyntheticEntry::Kind::kIf: {
        part = size_of(entry.body);
        const SyntheticSize other = size_of(entry.otherwise);
        const std::uint64_t jumps = entry.otherwise.empty() ? 2 : 3;
        part.instructions += other.instructions + jumps;
        part.issues += other.issues + jumps;
        break;
      }
      case SyntheticEntry::Kind::kPhase:
        part = {};
        break;
    }
    size.instructions += part.instructions;
    size.issues = std::min(size.issues + part.issues, kMostIssues + 1);
  }
  return size;
}

SyntheticCode lay_out(const SyntheticKernel& kernel, bool with_phases) {
  SyntheticCode code;
  code.blocks = kernel.blocks;
  code.shape = kernel.shape;
  code.seed = kernel.seed;
  code.phases.push_back({0, kernel.shape.registers_per_thread, kernel.shape.shared_bytes});
  if (with_phases) code.needs.push_back({kernel.shape.registers_per_thread, kernel.shape.shared_bytes});
  code.most_issues = size_of(kernel.code).issues + 1;
  Layout layout(kernel, with_phases, code);
  layout.entries(kernel.code);
  layout.end();
  return code;
}

}  // namespace heddle
