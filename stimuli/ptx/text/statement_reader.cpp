#include "stimuli/ptx/text/statement_reader.h"

#include <fmt/format.h>

#include "stimuli/ptx/statements/group_product.h"
#include "stimuli/ptx/statements/video.h"
#include "stimuli/ptx/text/form_match.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostModifiers = 16;
constexpr std::uint32_t kMostLaneBytes = 16;  // bytes per lane
constexpr std::size_t kMostPassed = 1024;

}  // namespace

void StatementReader::begin(Function& function, std::uint32_t index) {
  function_ = &function;
  index_ = index;
  names_.begin(function);
  decoder_.begin(function);
  results_.clear();
}

void StatementReader::load_parameters() {
  for (const FrameVariable& result : function_->returns)
    if (result.in_register) results_.push_back({result, names_.register_named(result)});
  for (std::size_t i = 0; i < function_->parameters.size(); ++i) {
    const FrameVariable& parameter = function_->parameters[i];
    if (!parameter.in_register) continue;
    Statement load = parameter_access("ld", parameter, names_.register_named(parameter));
    load.line = function_->line;
    append(load);
  }
}

// Makes a load or a store of a parameter, whose bits do not depend on the type.
Statement StatementReader::parameter_access(const char* mnemonic, const FrameVariable& parameter,
                                            Operand value) {
  const auto token = [](TokenKind kind, std::string_view text) {
    Token made;
    made.kind = kind;
    made.text = text;
    return made;
  };
  const char* const type = parameter.bytes == 2 ? "b16" : parameter.bytes == 4 ? "b32" : "b64";
  Statement statement;
  match_form(cursor_, token(TokenKind::kName, mnemonic),
             {token(TokenKind::kDotted, "param"), token(TokenKind::kDotted, type)}, statement);
  Operand place;
  place.kind = OperandKind::kParameter;
  place.value = parameter.offset;
  const bool loads = statement.opcode == Opcode::kLd;
  statement.destinations = loads ? 1 : 0;
  decoded_.clear();
  decoded_.push_back(loads ? value : place);
  decoded_.push_back(loads ? place : value);
  return statement;
}

void StatementReader::append_return(Statement& statement) {
  for (const Result& result : results_) {
    Statement store = parameter_access("st", result.place, result.value);
    store.line = statement.line;
    store.guard = statement.guard;
    store.guard_negated = statement.guard_negated;
    append(store);
  }
  decoded_.clear();
  append(statement);
}

void StatementReader::read() {
  Statement statement;
  statement.line = cursor_.peek().place.line;
  decoded_.clear();
  read_guard(statement);
  const Token mnemonic = cursor_.expect(TokenKind::kName, "an instruction");
  modifiers_.clear();
  while (cursor_.peek().kind == TokenKind::kDotted) {
    modifiers_.push_back(cursor_.take());
    if (modifiers_.size() > kMostModifiers) cursor_.refuse(mnemonic.place, "too many modifiers");
  }
  match_form(cursor_, mnemonic, modifiers_, statement);
  if (module_.demotes_doubles && (statement.type == Type::kF64 || statement.source_type == Type::kF64 ||
                                  statement.other_type == Type::kF64))
    cursor_.refuse(mnemonic.place,
                   "double precision is not supported in a module whose .target has map_f64_to_f32");
  if (statement.width * bytes_of(statement.type) > kMostLaneBytes)
    cursor_.refuse(mnemonic.place, fmt::format("more than {} bytes at once", kMostLaneBytes));
  if (statement.opcode == Opcode::kCall) {
    read_call(statement);
  } else {
    raw_.read_list(written_);
    decode_operands(statement, mnemonic);
  }
  cursor_.expect(';');
  if (statement.opcode == Opcode::kCopyAsync) check_copy(statement, mnemonic);
  if (video_parts(statement.opcode) == 1) check_merge(statement, mnemonic);
  if (statement.opcode == Opcode::kWgmmaMma) {
    const std::string wrong = complete_group_operands(*function_, decoded_);
    if (!wrong.empty()) cursor_.refuse(mnemonic.place, wrong);
  }
  if (statement.opcode == Opcode::kWmmaLoad || statement.opcode == Opcode::kWmmaStore)
    append_parts(statement, mnemonic);
  else if (statement.opcode == Opcode::kRet)
    append_return(statement);
  else
    append(statement);
}

void StatementReader::read_guard(Statement& statement) {
  if (!cursor_.accept('@')) return;
  statement.guard_negated = cursor_.accept('!');
  statement.guard = names_.predicate(cursor_.expect(TokenKind::kName, "a predicate")).index;
}

void StatementReader::append(Statement& statement) {
  if (++statements_ > kMostStatements) {
    cursor_.problems().add({statement.line, 1}, fmt::format("more than {} instructions", kMostStatements));
    cursor_.problems().end();
    throw Refused{};
  }
  statement.operand = static_cast<std::uint32_t>(function_->operands.size());
  statement.operands = static_cast<std::uint16_t>(decoded_.size());
  function_->operands.insert(function_->operands.end(), decoded_.begin(), decoded_.end());
  function_->code.push_back(statement);
}

void StatementReader::check_copy(const Statement& statement, const Token& mnemonic) {
  const std::uint64_t bytes = decoded_[2].value;
  const bool whole_line = statement.cache == CacheOperator::kCg;
  if (bytes != kMostLaneBytes && (whole_line || (bytes != 4 && bytes != 8)))
    cursor_.refuse(mnemonic.place,
                   fmt::format("cp.async.{} of {} bytes; it copies {}", whole_line ? "cg" : "ca", bytes,
                               whole_line ? "16" : "4, 8 or 16"));
}

// A scalar video instruction either takes no third source, combines its result with it, or replaces a part of
// it.
void StatementReader::check_merge(const Statement& statement, const Token& mnemonic) {
  const Operand& result = decoded_[0];
  if (statement.variant != Variant::kNone || statement.opcode == Opcode::kVmad ||
      result.kind != OperandKind::kRegister)
    return;
  const bool merges = decoded_[3].kind != OperandKind::kNone;
  if (merges != (result.value != 0))
    cursor_.refuse(mnemonic.place, merges ? "a third source needs a selected part of the destination"
                                          : "a selected part of the destination needs a third source");
}

// Appends a statement for each access of a fragment. Each names the registers of its access only.
void StatementReader::append_parts(Statement& statement, const Token& mnemonic) {
  const bool loads = statement.opcode == Opcode::kWmmaLoad;
  const std::size_t fragment = loads ? 0 : 1;
  const FragmentInfo info = info_of(statement, Fragment::kNamed);
  const Operand whole = decoded_[fragment];
  const std::uint32_t parts = access_of(statement, info, 0).parts;
  if (loads && parts > 1)
    for (std::size_t source = 1; source < decoded_.size(); ++source)
      for (std::uint32_t i = 0; i < whole.count; ++i)
        if (decoded_[source].kind == OperandKind::kRegister &&
            decoded_[source].index == function_->operands[whole.index + i].index)
          cursor_.refuse(mnemonic.place,
                         "a load into the register of its address or stride is not supported");
  for (std::uint32_t part = 0; part < parts; ++part) {
    const FragmentAccess access = access_of(statement, info, part);
    statement.part = static_cast<std::uint8_t>(part);
    if (whole.kind == OperandKind::kVector) {
      decoded_[fragment].index = whole.index + access.first_register;
      decoded_[fragment].count = static_cast<std::uint8_t>(access.registers);
    }
    append(statement);
  }
}

// Whether the operand at `next` belongs to the slot. The slot is absent otherwise.
bool StatementReader::is_present(const Statement& statement, std::size_t slot, std::size_t next) const {
  const std::vector<OperandSlot>& slots = forms()[statement.form].operands;
  const OperandSlot& wanted = slots[slot];
  const std::vector<RawOperand>& all = written_.all;
  if (wanted.second) return !wanted.optional || (next < all.size() && all[next].joined);
  if (wanted.combined) return statement.combination != Combination::kNone;
  if (!wanted.optional) return true;
  std::size_t behind = 0;
  for (std::size_t i = slot + 1; i < slots.size(); ++i) behind += !slots[i].optional;
  return next + behind < all.size();
}

// An access without a space to a variable by its name is one to the space of the variable, if the instruction
// has it.
void StatementReader::set_space(Statement& statement, const RawOperand& raw) const {
  const Space named = names_.named_space(raw);
  if (statement.space != Space::kGeneric || named == Space::kGeneric) return;
  for (const ModifierSlot& modifier : forms()[statement.form].modifiers)
    for (const Word& word : modifier.words)
      if (modifier.field == Field::kSpace && word.value == static_cast<std::uint32_t>(named))
        statement.space = named;
}

Operand StatementReader::decode_slot(Statement& statement, std::size_t slot, std::size_t& next) {
  const OperandSlot& wanted = forms()[statement.form].operands[slot];
  if (!is_present(statement, slot, next)) return {};
  if (next == written_.all.size()) cursor_.refuse(cursor_.peek().place, "an operand is missing");
  RawOperand& raw = written_.all[next++];
  if (raw.joined != wanted.second)
    cursor_.refuse(raw.place, wanted.second ? "expected '|'" : "'|' is not allowed here");
  names_.expand(raw, written_);
  if (wanted.role == Role::kMemory) set_space(statement, raw);
  return decoder_.decode(raw, written_, wanted, statement);
}

void StatementReader::decode_operands(Statement& statement, const Token& mnemonic) {
  const std::vector<OperandSlot>& slots = forms()[statement.form].operands;
  std::size_t next = 0;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot].role == Role::kLabel) {
      read_branch(next);
      continue;
    }
    decoded_.push_back(decode_slot(statement, slot, next));
    if (slots[slot].destination) ++statement.destinations;
  }
  if (next < written_.all.size())
    cursor_.refuse(written_.all[next].place, fmt::format("{} takes {} operands here", mnemonic.text, next));
}

void StatementReader::read_branch(std::size_t& next) {
  if (written_.all.empty()) cursor_.refuse(cursor_.peek().place, "a label is missing");
  const RawOperand& raw = written_.all[next++];
  if (raw.kind != RawOperand::Kind::kName || raw.has_offset || raw.negated || !raw.component.empty())
    cursor_.refuse(raw.place, "a label is wanted here");
  scopes_.wait_for({static_cast<std::uint32_t>(function_->code.size()), raw.name.text, raw.place});
}

std::vector<RawOperand> StatementReader::read_call_list() {
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

void StatementReader::pass(const std::vector<RawOperand>& given, const std::vector<FrameVariable>& wanted,
                           bool results, const Token& callee) {
  const char* what = results ? "returns" : "takes";
  if (given.size() != wanted.size())
    cursor_.refuse(callee.place,
                   fmt::format("{} {} {} values, not {}", shown(callee), what, wanted.size(), given.size()));
  for (std::size_t i = 0; i < given.size(); ++i)
    decoded_.push_back(decoder_.parameter(given[i], wanted[i].bytes, results));
}

void StatementReader::read_call(Statement& statement) {
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
  if (cursor_.accept(',')) return read_indirect_call(statement, callee, results, arguments);
  const Symbol* symbol = scopes_.find(callee.text);
  if (symbol == nullptr) cursor_.refuse(callee.place, fmt::format("{} is not declared", shown(callee)));
  if (symbol->kind == Symbol::Kind::kBad) throw Refused{};
  if (symbol->kind != Symbol::Kind::kFunction)
    cursor_.refuse(callee.place,
                   fmt::format("{} is no function; an indirect call names its prototype", shown(callee)));
  const Function& function = module_.functions[symbol->index];
  if (function.entry) cursor_.refuse(callee.place, "a call of an entry is not supported");
  pass(results, function.returns, true, callee);
  pass(arguments, function.parameters, false, callee);
  statement.destinations = static_cast<std::uint16_t>(results.size());
  statement.target = symbol->index;
  calls_.push_back({symbol->index, index_, callee.place});
}

// Reads the prototype behind the parameters. The register with the address follows the parameters.
void StatementReader::read_indirect_call(Statement& statement, const Token& callee,
                                         const std::vector<RawOperand>& results,
                                         const std::vector<RawOperand>& arguments) {
  const Token name = cursor_.expect(TokenKind::kName, "the name of a prototype");
  const Symbol* symbol = scopes_.find(name.text);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::kPrototype)
    cursor_.refuse(name.place, fmt::format("{} is no .callprototype and no .calltargets", shown(name)));
  const CallPrototype& prototype = module_.prototypes[symbol->index];
  pass(results, prototype.returns, true, callee);
  pass(arguments, prototype.parameters, false, callee);
  decoded_.push_back(decoder_.callee(callee));
  statement.destinations = static_cast<std::uint16_t>(results.size());
  statement.flags = statement.flags | kIndirect;
  statement.target = symbol->index;
}

}  // namespace heddle::ptx
