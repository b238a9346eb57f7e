#include "stimuli/ptx/text/instruction_reader.h"

#include <fmt/format.h>

#include "stimuli/ptx/text/form_match.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostModifiers = 16;
constexpr std::uint32_t kMostAccess = 16;  // bytes of a lane
constexpr std::size_t kMostPassed = 1024;

}  // namespace

void InstructionReader::begin(Function& function) {
  function_ = &function;
  decoder_.begin(function);
}

void InstructionReader::read() {
  Instruction instruction;
  instruction.line = cursor_.peek().place.line;
  decoded_.clear();
  read_guard(instruction);
  const Token mnemonic = cursor_.expect(TokenKind::kName, "an instruction");
  modifiers_.clear();
  while (cursor_.peek().kind == TokenKind::kDotted) {
    modifiers_.push_back(cursor_.take());
    if (modifiers_.size() > kMostModifiers) cursor_.refuse(mnemonic.place, "too many modifiers");
  }
  match_form(cursor_, mnemonic, modifiers_, instruction);
  if (instruction.width * bytes_of(instruction.type) > kMostAccess)
    cursor_.refuse(mnemonic.place, fmt::format("more than {} bytes at once", kMostAccess));
  if (instruction.opcode == Opcode::kCall) {
    read_call(instruction);
  } else {
    raw_.read_list(written_);
    decode_operands(instruction, mnemonic);
  }
  cursor_.expect(';');
  append(instruction);
}

void InstructionReader::read_guard(Instruction& instruction) {
  if (!cursor_.accept('@')) return;
  instruction.guard_negated = cursor_.accept('!');
  instruction.guard = decoder_.predicate(cursor_.expect(TokenKind::kName, "a predicate")).index;
}

void InstructionReader::append(Instruction& instruction) {
  if (++instructions_ > kMostInstructions) {
    cursor_.problems().add({instruction.line, 1},
                           fmt::format("more than {} instructions", kMostInstructions));
    cursor_.problems().end();
    throw Refused{};
  }
  instruction.operand = static_cast<std::uint32_t>(function_->operands.size());
  instruction.operands = static_cast<std::uint16_t>(decoded_.size());
  function_->operands.insert(function_->operands.end(), decoded_.begin(), decoded_.end());
  function_->code.push_back(instruction);
}

// Whether the slot's operand is the one at `next`, or is left out.
bool InstructionReader::stands(const Instruction& instruction, std::size_t slot, std::size_t next) const {
  const std::vector<OperandSlot>& slots = forms()[instruction.form].operands;
  const OperandSlot& wanted = slots[slot];
  const std::vector<RawOperand>& all = written_.all;
  if (wanted.second) return !wanted.optional || (next < all.size() && all[next].joined);
  if (wanted.combined) return instruction.combination != Combination::kNone;
  if (!wanted.optional) return true;
  std::size_t behind = 0;
  for (std::size_t i = slot + 1; i < slots.size(); ++i) behind += !slots[i].optional;
  return next + behind < all.size();
}

Operand InstructionReader::decode_slot(const Instruction& instruction, std::size_t slot, std::size_t& next) {
  const OperandSlot& wanted = forms()[instruction.form].operands[slot];
  if (!stands(instruction, slot, next)) return {};
  if (next == written_.all.size()) cursor_.refuse(cursor_.peek().place, "an operand is missing");
  const RawOperand& raw = written_.all[next++];
  if (raw.joined != wanted.second)
    cursor_.refuse(raw.place, wanted.second ? "expected '|'" : "'|' cannot stand here");
  return decoder_.decode(raw, written_, wanted, instruction);
}

void InstructionReader::decode_operands(Instruction& instruction, const Token& mnemonic) {
  const std::vector<OperandSlot>& slots = forms()[instruction.form].operands;
  std::size_t next = 0;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot].role == Role::kLabel) {
      read_branch(next);
      continue;
    }
    decoded_.push_back(decode_slot(instruction, slot, next));
    if (slots[slot].destination) ++instruction.destinations;
  }
  if (next < written_.all.size())
    cursor_.refuse(written_.all[next].place, fmt::format("{} takes {} operands here", mnemonic.text, next));
}

void InstructionReader::read_branch(std::size_t& next) {
  if (written_.all.empty()) cursor_.refuse(cursor_.peek().place, "a label is missing");
  const RawOperand& raw = written_.all[next++];
  if (raw.kind != RawOperand::Kind::kName || raw.has_offset || raw.negated || !raw.component.empty())
    cursor_.refuse(raw.place, "a label is wanted here");
  scopes_.wait_for({static_cast<std::uint32_t>(function_->code.size()), raw.name.text, raw.place});
}

std::vector<RawOperand> InstructionReader::read_call_list() {
  std::vector<RawOperand> list;
  const Place place = cursor_.peek().place;
  cursor_.expect('(');
  if (cursor_.accept(')')) return list;
  do {
    if (list.size() == kMostPassed) cursor_.refuse(place, "too many parameters");
    list.push_back(raw_.read_simple());
  } while (cursor_.accept(','));
  cursor_.expect(')');
  return list;
}

void InstructionReader::pass(const std::vector<RawOperand>& given, const std::vector<FrameVariable>& wanted,
                             bool results, const Token& callee) {
  const char* what = results ? "returns" : "takes";
  if (given.size() != wanted.size())
    cursor_.refuse(callee.place,
                   fmt::format("{} {} {} values, not {}", shown(callee), what, wanted.size(), given.size()));
  for (std::size_t i = 0; i < given.size(); ++i)
    decoded_.push_back(decoder_.parameter(given[i], wanted[i].bytes, results));
}

void InstructionReader::read_call(Instruction& instruction) {
  std::vector<RawOperand> results;
  std::vector<RawOperand> arguments;
  if (cursor_.at('(')) {
    results = read_call_list();
    cursor_.expect(',');
  }
  const Token callee = cursor_.expect(TokenKind::kName, "a function's name");
  if (cursor_.accept(',')) {
    if (!cursor_.at('(')) cursor_.refuse_unexpected("the parameters in parentheses");
    arguments = read_call_list();
  }
  if (cursor_.at(',')) cursor_.refuse(callee.place, "indirect calls are not implemented");
  const Symbol* symbol = scopes_.find(callee.text);
  if (symbol == nullptr) cursor_.refuse(callee.place, fmt::format("{} is not declared", shown(callee)));
  if (symbol->kind == Symbol::Kind::kBad) throw Refused{};
  if (symbol->kind != Symbol::Kind::kFunction)
    cursor_.refuse(callee.place,
                   fmt::format("{} is no function; indirect calls are not implemented", shown(callee)));
  const Function& function = module_.functions[symbol->index];
  if (function.entry) cursor_.refuse(callee.place, "a call of an entry is not implemented");
  pass(results, function.returns, true, callee);
  pass(arguments, function.parameters, false, callee);
  instruction.destinations = static_cast<std::uint16_t>(results.size());
  instruction.target = symbol->index;
  calls_.push_back({symbol->index, callee.place});
}

}  // namespace heddle::ptx
