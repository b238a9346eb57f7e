#include "stimuli/ptx/analysis/operand_folding.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

constexpr int kMostNarrowing = 16;  // passes; what is left counts as wide then

}  // namespace

std::uint32_t address_of(const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kAtom:
    case Opcode::kLd:
    case Opcode::kLdmatrix:
    case Opcode::kWmmaLoad:
      return 1;
    case Opcode::kRed:
    case Opcode::kSt:
    case Opcode::kWmmaStore:
      return 0;
    default:
      return Graph::kNone;
  }
}

OperandFolding::OperandFolding(const Function& function, const FlowGraph& graph, Constants constants)
    : function_(function),
      graph_(graph),
      constants_(constants),
      registers_(static_cast<std::uint32_t>(function.registers.size())),
      names_(static_cast<std::uint32_t>(registers_ + function.predicates.size())) {
  find_definitions();
  find_narrow();
  find_offsets();
  find_aliases();
  find_masks();
  find_scaled();
  find_renamed();
}

std::uint32_t OperandFolding::name_of(const Operand& operand) const {
  if (operand.kind == OperandKind::kRegister) return operand.index;
  if (operand.kind == OperandKind::kPredicate) return registers_ + operand.index;
  return Graph::kNone;
}

bool OperandFolding::is_wide(std::uint32_t name) const {
  return name < registers_ && bytes_of(function_.registers[name].type) > 4;
}

std::uint8_t OperandFolding::units(std::uint32_t name) const {
  if (name >= registers_) return mask_[name] ? 1 : 0;
  return is_wide(name) && !narrow_[name] ? 2 : 1;
}

void OperandFolding::find_definitions() {
  definitions_.resize(names_);
  uses_.resize(names_);
  for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
    const Statement& s = function_.code[i];
    for (std::uint32_t j = 0; j < s.operands; ++j) {
      const bool written = j < s.destinations;
      visit(operands(s)[j], [&](std::uint32_t name) {
        if (written && s.opcode != Opcode::kSt)
          definitions_[name].push_back(i);
        else
          uses_[name].push_back(i);
      });
    }
    if (s.guarded()) uses_[registers_ + s.guard].push_back(i);
  }
}

// A register of 64 bits is narrow if all that read it need its low 32 bits only.
void OperandFolding::find_narrow() {
  narrow_.assign(names_, false);
  for (std::uint32_t name = 0; name < registers_; ++name)
    narrow_[name] = is_wide(name) && !is_float(function_.registers[name].type);
  bool changed = true;
  for (int pass = 0; changed && pass < kMostNarrowing; ++pass) {
    changed = false;
    for (std::uint32_t i = static_cast<std::uint32_t>(function_.code.size()); i-- > 0;) {
      const Statement& s = function_.code[i];
      for (std::uint32_t j = s.destinations; j < s.operands; ++j)
        visit(operands(s)[j], [&](std::uint32_t name) {
          if (!narrow_[name] || needs_low_half(s, j)) return;
          narrow_[name] = false;
          changed = true;
        });
    }
  }
  for (std::uint32_t name = 0; name < registers_; ++name)
    if (uses_[name].empty()) narrow_[name] = false;
}
bool OperandFolding::needs_low_half(const Statement& s, std::uint32_t operand) const {
  if (operand == address_of(s))
    return s.space == Space::kShared || s.space == Space::kLocal || s.space == Space::kConst;
  switch (s.opcode) {
    case Opcode::kCvt:
      return bytes_of(s.type) <= 4 && !is_float(s.type) && !is_float(s.source_type);
    case Opcode::kMul:
    case Opcode::kMad:
      if (s.variant != Variant::kLo) return false;
      break;
    case Opcode::kShl:
      if (operand != 1) return false;
      break;
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kNeg:
    case Opcode::kMov:
    case Opcode::kSelp:
    case Opcode::kCvta:
      break;
    default:
      return false;
  }
  const Operand& result = operands(s)[0];
  return result.kind == OperandKind::kRegister && narrow_[result.index];
}

const Statement* OperandFolding::definition(std::uint32_t name) const {
  if (definitions_[name].size() != 1) return nullptr;
  const Statement& s = function_.code[definitions_[name][0]];
  return s.guarded() ? nullptr : &s;
}
// Returns whether the name keeps its value between two statements.
bool OperandFolding::is_kept(std::uint32_t name, std::uint32_t from, std::uint32_t to) const {
  if (definitions_[name].size() <= 1) return true;
  if (graph_.block_of(from) != graph_.block_of(to) || to < from) return false;
  const auto next = std::upper_bound(definitions_[name].begin(), definitions_[name].end(), from);
  return next == definitions_[name].end() || *next >= to;
}
bool OperandFolding::is_kept_for_all(std::uint32_t name, std::uint32_t result) const {
  for (const std::uint32_t use : uses_[result])
    if (!is_kept(name, definitions_[result][0], use)) return false;
  return true;
}

bool OperandFolding::is_constant(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::kImmediate:
    case OperandKind::kVariable:
    case OperandKind::kLocal:
    case OperandKind::kParameter:
      return true;
    case OperandKind::kSpecial: {
      const auto special = static_cast<Special>(operand.index);
      if (constants_ == Constants::kLoaded) return false;
      return (special >= Special::kNtidX && special <= Special::kNtidZ) ||
             (special >= Special::kNctaidX && special <= Special::kNctaidZ);
    }
    case OperandKind::kRegister:
      return alias_[operand.index] == kFree;
    default:
      return false;
  }
}

// Sums with a constant are found from the end, because a sum may be a part of another one.
void OperandFolding::find_offsets() {
  offset_.assign(names_, false);
  for (auto i = static_cast<std::uint32_t>(function_.code.size()); i-- > 0;) {
    const Statement& s = function_.code[i];
    if (s.opcode != Opcode::kAdd || is_float(s.type) || s.guarded() || s.has(kCarryOut)) continue;
    const Operand* operand = operands(s);
    if (operand[0].kind != OperandKind::kRegister || definition(operand[0].index) == nullptr) continue;
    if (operand[1].kind != OperandKind::kImmediate && operand[2].kind != OperandKind::kImmediate) continue;
    offset_[operand[0].index] = is_part_of_addresses(operand[0].index);
  }
}

bool OperandFolding::is_part_of_addresses(std::uint32_t name) const {
  for (const std::uint32_t use : uses_[name]) {
    const Statement& user = function_.code[use];
    const std::uint32_t at = address_of(user);
    const Operand& result = operands(user)[0];
    const bool is_sum =
        user.opcode == Opcode::kAdd && result.kind == OperandKind::kRegister && offset_[result.index];
    bool is_address = at != Graph::kNone && name_of(operands(user)[at]) == name;
    // The path of textures, which loads of read-only data take, adds no constant.
    is_address = is_address && !user.has(kReadOnly);
    for (std::uint32_t j = user.destinations; is_address && j < user.operands; ++j)
      if (j != at)
        visit(operands(user)[j], [&](std::uint32_t other) { is_address = is_address && other != name; });
    if (!is_address && !is_sum) return false;
  }
  return is_read(name);
}

// Two passes find copies of names that stand later in the code.
void OperandFolding::find_aliases() {
  alias_.resize(names_);
  is_parameter_.assign(names_, false);
  for (std::uint32_t name = 0; name < names_; ++name) alias_[name] = name;
  for (int pass = 0; pass < 2; ++pass)
    for (const Statement& s : function_.code) {
      if (s.destinations == 0 || s.guarded()) continue;
      if (s.opcode == Opcode::kLd) {
        fold_load(s);
        continue;
      }
      const Operand& result = operands(s)[0];
      if (s.destinations == 1 && result.kind == OperandKind::kRegister && definition(result.index) != nullptr)
        alias_[result.index] = alias_of(s, result.index);
    }
}

// `setp p; selp x, 0, y, p` is a comparison that gives a mask and a logical operation. A comparison of
// equality with 0 needs no mask: the selection reads what is compared.
void OperandFolding::find_masks() {
  mask_.assign(names_, false);
  const auto is_zero = [](const Operand& o) { return o.kind == OperandKind::kImmediate && o.value == 0; };
  for (std::uint32_t name = registers_; name < names_; ++name) {
    const Statement* s = definition(name);
    if (s == nullptr || s->opcode != Opcode::kSetp || is_float(s->type) || bytes_of(s->type) > 4 ||
        s->combination != Combination::kNone || !is_read(name))
      continue;
    bool selects = true;
    for (const std::uint32_t use : uses_[name]) {
      const Statement& user = function_.code[use];
      selects = selects && user.opcode == Opcode::kSelp && !user.guarded() && bytes_of(user.type) == 4 &&
                !is_float(user.type) && is_zero(operands(user)[1]) != is_zero(operands(user)[2]);
    }
    if (!selects) continue;
    const Operand* operand = operands(*s) + s->destinations - 1;
    const bool equality = s->comparison == Comparison::kEq || s->comparison == Comparison::kNe;
    if (equality && operand[1].kind == OperandKind::kRegister && is_zero(operand[2]) &&
        alias_[operand[1].index] != kFree && is_kept_for_all(alias_[operand[1].index], name))
      alias_[name] = alias_[operand[1].index];
    else
      mask_[name] = true;
  }
}

// The parameters of an entry and constant memory at a constant address are operands of operations.
void OperandFolding::fold_load(const Statement& s) {
  if (constants_ == Constants::kLoaded) return;
  const Operand& from = operands(s)[1];
  const bool is_constant_memory = s.space == Space::kConst && is_constant(from) &&
                                  (from.kind != OperandKind::kRegister || !is_parameter_[from.index]);
  if (!is_constant_memory &&
      (!function_.entry || s.space != Space::kParam || from.kind != OperandKind::kParameter ||
       from.value >= function_.parameter_bytes))
    return;
  visit(operands(s)[0], [&](std::uint32_t name) {
    if (definitions_[name].size() != 1) return;
    alias_[name] = kFree;
    is_parameter_[name] = true;
  });
}

std::uint32_t OperandFolding::copied(std::uint32_t result, const Operand& source) {
  if (is_constant(source)) {
    if (source.kind == OperandKind::kRegister && is_parameter_[source.index]) is_parameter_[result] = true;
    return kFree;
  }
  if (source.kind != OperandKind::kRegister) return result;
  const std::uint32_t from = alias_[source.index];
  return is_kept_for_all(from, result) ? from : result;
}
std::uint32_t OperandFolding::alias_of(const Statement& s, std::uint32_t result) {
  const Operand* operand = operands(s);
  switch (s.opcode) {
    case Opcode::kMov:
    case Opcode::kCvta:
      if (operand[1].kind == OperandKind::kVector) return result;
      return copied(result, operand[1]);
    case Opcode::kCvt: {
      const bool integers = !is_float(s.type) && !is_float(s.source_type);
      if (!integers || s.has(kSat) || operand[1].kind != OperandKind::kRegister) return result;
      const bool longer = bytes_of(s.type) > bytes_of(s.source_type);
      // The upper half of a number without sign is 0, which takes no register.
      if (bytes_of(s.type) >= 4 && bytes_of(s.source_type) >= 4 &&
          (!longer || narrow_[result] || !is_signed(s.source_type)))
        return copied(result, operand[1]);
      return result;
    }
    case Opcode::kAdd:
      if (!offset_[result]) return result;
      return operand[1].kind == OperandKind::kImmediate ? copied(result, operand[2])
                                                        : copied(result, operand[1]);
    default:
      return result;
  }
}

OperandFolding::Place OperandFolding::place_of(const Operand& address) const {
  Place place{Graph::kNone, address.value};
  if (address.kind != OperandKind::kRegister) return place;
  place.base = alias_[address.index] == kFree ? root(address.index) : renamed_[alias_[address.index]];
  for (std::uint32_t name = address.index; offset_[name] && alias_[name] != name;) {
    const Operand* sum = operands(*definition(name));
    const bool second = sum[2].kind == OperandKind::kImmediate;
    place.offset += second ? sum[2].value : sum[1].value;
    const Operand& next = second ? sum[1] : sum[2];
    if (next.kind != OperandKind::kRegister) break;
    name = next.index;
  }
  return place;
}

// Returns the register that is multiplied or extended to an index of 64 bits; Graph::kNone: it is no such
// index.
std::uint32_t OperandFolding::index_of(std::uint32_t name) const {
  const Statement* s = definition(name);
  if (s == nullptr || is_float(s->type)) return Graph::kNone;
  const Operand* operand = operands(*s);
  const bool wide =
      s->opcode == Opcode::kMul && s->variant == Variant::kWide && operand[2].kind == OperandKind::kImmediate;
  const bool extended = s->opcode == Opcode::kCvt && bytes_of(s->type) == 8 &&
                        bytes_of(s->source_type) == 4 && !is_float(s->source_type);
  if ((wide || extended) && operand[1].kind == OperandKind::kRegister) return operand[1].index;
  if (s->opcode == Opcode::kShl && bytes_of(s->type) == 8 && operand[2].kind == OperandKind::kImmediate &&
      operand[1].kind == OperandKind::kRegister && definition(operand[1].index) != nullptr) {
    const Statement& inner = *definition(operand[1].index);
    if (inner.opcode == Opcode::kCvt) return index_of(operand[1].index);
  }
  return Graph::kNone;
}
void OperandFolding::find_scaled() {
  scaled_.assign(names_, Graph::kNone);
  for (std::uint32_t name = 0; name < registers_; ++name) {
    if (!is_wide(name) || alias_[name] != name) continue;
    const std::uint32_t index = index_of(name);
    if (index == Graph::kNone || alias_[index] == kFree) continue;
    bool sums = !uses_[name].empty();
    for (const std::uint32_t use : uses_[name]) {
      const Statement& user = function_.code[use];
      const bool shift = user.opcode == Opcode::kShl && operands(user)[0].kind == OperandKind::kRegister &&
                         index_of(operands(user)[0].index) != Graph::kNone;
      sums = sums && ((user.opcode == Opcode::kAdd && bytes_of(user.type) == 8) || shift) &&
             is_kept(alias_[index], definitions_[name][0], use);
    }
    if (sums) scaled_[name] = alias_[index];
  }
}

void OperandFolding::find_renamed() {
  renamed_.resize(names_);
  for (std::uint32_t name = 0; name < names_; ++name) renamed_[name] = name;
  for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
    const Statement& s = function_.code[i];
    if (s.opcode != Opcode::kMov || s.guarded() || s.destinations != 1) continue;
    const Operand& to = operands(s)[0];
    const Operand& from = operands(s)[1];
    if (to.kind != OperandKind::kRegister || from.kind != OperandKind::kRegister) continue;
    const std::uint32_t name = from.index;
    if (alias_[name] != name || scaled_[name] != Graph::kNone || renamed_[name] != name || name == to.index ||
        alias_[to.index] != to.index || renamed_[to.index] != to.index || definition(name) == nullptr ||
        units(name) != units(to.index))
      continue;
    const std::uint32_t computed = definitions_[name][0];
    if (computed >= i || graph_.block_of(computed) != graph_.block_of(i)) continue;
    const auto read = std::upper_bound(uses_[to.index].begin(), uses_[to.index].end(), computed);
    if (read == uses_[to.index].end() || *read > i) renamed_[name] = to.index;
  }
}

std::uint64_t OperandFolding::scale_of(std::uint32_t name) const {
  const Statement& s = *definition(name);
  if (s.opcode == Opcode::kMul) return operands(s)[2].value;
  if (s.opcode == Opcode::kShl) return std::uint64_t{1} << (operands(s)[2].value & 63U);
  return 1;
}

std::uint32_t OperandFolding::root(std::uint32_t name) const {
  for (;;) {
    const Statement* s = definition(name);
    if (s == nullptr || s->opcode == Opcode::kLd) return name;
    const Operand* operand = operands(*s);
    if (operand[1].kind != OperandKind::kRegister) return name;
    name = operand[1].index;
  }
}

}  // namespace heddle::ptx
