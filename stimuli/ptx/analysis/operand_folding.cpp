#include "stimuli/ptx/analysis/operand_folding.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

// c[0][0x160] for compute capability 7.0 to 8.9. Each variable counts as a bank.
constexpr ConstantAddress kFirstParameter = 0x160;
constexpr ConstantAddress kVariables = 3U << 16;
constexpr ConstantAddress kVariableBytes = 1U << 16;

}  // namespace

OperandFolding::OperandFolding(const Function& function, const FlowGraph& graph, Constants constants)
    : function_(function),
      graph_(graph),
      constants_(constants),
      chains_(function, graph),
      narrow_(narrow_registers(function, chains_)) {
  find_offsets();
  find_aliases();
  find_masks();
  find_scaled();
  find_renamed();
}

std::uint8_t OperandFolding::units(std::uint32_t name) const {
  if (name >= chains_.registers()) return mask_[name] ? 1 : 0;
  return chains_.is_wide(name) && !narrow_[name] ? 2 : 1;
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

bool OperandFolding::is_false(const Operand& operand) const {
  const std::uint32_t name = chains_.name_of(operand);
  return operand.kind == OperandKind::kPredicate && name != Graph::kNone && is_false_[name];
}

std::optional<ConstantAddress> OperandFolding::constant_of(std::uint32_t name) const {
  if (!is_parameter_[name]) return std::nullopt;
  const Statement* s = chains_.definition(root(name));
  if (s == nullptr || s->opcode != Opcode::kLd) return std::nullopt;
  const Operand& from = operands(*s)[1];
  if (s->space == Space::kParam) return kFirstParameter + static_cast<ConstantAddress>(from.value);
  std::uint32_t variable = from.index;
  std::uint64_t byte = from.value;
  if (from.kind == OperandKind::kRegister) {
    const Place place = place_of(from);
    const Statement* move = chains_.definition(place.base);
    if (move == nullptr) return std::nullopt;
    variable = operands(*move)[1].index;
    byte = place.offset + operands(*move)[1].value;
  }
  return kVariables + variable * kVariableBytes + static_cast<ConstantAddress>(byte % kVariableBytes);
}

// Sums with a constant are found from the end, because a sum may be a part of another one.
void OperandFolding::find_offsets() {
  offset_.assign(chains_.names(), false);
  for (auto i = static_cast<std::uint32_t>(function_.code.size()); i-- > 0;) {
    const Statement& s = function_.code[i];
    if (s.opcode != Opcode::kAdd || is_float(s.type) || s.guarded() || s.has(kCarryOut)) continue;
    const Operand* operand = operands(s);
    if (operand[0].kind != OperandKind::kRegister || chains_.definition(operand[0].index) == nullptr)
      continue;
    if (operand[1].kind != OperandKind::kImmediate && operand[2].kind != OperandKind::kImmediate) continue;
    offset_[operand[0].index] = is_part_of_addresses(operand[0].index);
  }
}

bool OperandFolding::is_part_of_addresses(std::uint32_t name) const {
  for (const std::uint32_t use : chains_.uses(name)) {
    const Statement& user = function_.code[use];
    const std::uint32_t at = address_of(user);
    const Operand& result = operands(user)[0];
    const bool is_sum =
        user.opcode == Opcode::kAdd && result.kind == OperandKind::kRegister && offset_[result.index];
    bool is_address = at != Graph::kNone && chains_.name_of(operands(user)[at]) == name;
    // The path of textures, which loads of read-only data take, adds no constant.
    is_address = is_address && !user.has(kReadOnly);
    for (std::uint32_t j = user.destinations; is_address && j < user.operands; ++j)
      if (j != at)
        chains_.visit(operands(user)[j],
                      [&](std::uint32_t other) { is_address = is_address && other != name; });
    if (!is_address && !is_sum) return false;
  }
  return chains_.is_read(name);
}

// Two passes find copies of names that stand later in the code.
void OperandFolding::find_aliases() {
  alias_.resize(chains_.names());
  is_parameter_.assign(chains_.names(), false);
  is_false_.assign(chains_.names(), false);
  for (std::uint32_t name = 0; name < chains_.names(); ++name) alias_[name] = name;
  for (int pass = 0; pass < 2; ++pass)
    for (const Statement& s : function_.code) {
      if (s.destinations == 0 || s.guarded()) continue;
      if (s.opcode == Opcode::kLd) {
        fold_load(s);
        continue;
      }
      if (s.opcode == Opcode::kSetp) {
        fold_comparison(s);
        continue;
      }
      const Operand& result = operands(s)[0];
      if (s.destinations == 1 && result.kind == OperandKind::kRegister &&
          chains_.definition(result.index) != nullptr)
        alias_[result.index] = alias_of(s, result.index);
    }
}

// `setp p; selp x, 0, y, p` is a comparison that gives a mask and a logical operation. A comparison of
// equality with 0 needs no mask: the selection reads what is compared.
void OperandFolding::find_masks() {
  mask_.assign(chains_.names(), false);
  const auto is_zero = [](const Operand& o) { return o.kind == OperandKind::kImmediate && o.value == 0; };
  for (std::uint32_t name = chains_.registers(); name < chains_.names(); ++name) {
    const Statement* s = chains_.definition(name);
    if (s == nullptr || s->opcode != Opcode::kSetp || alias_[name] != name || is_float(s->type) ||
        bytes_of(s->type) > 4 || s->combination != Combination::kNone || !chains_.is_read(name))
      continue;
    bool selects = true;
    for (const std::uint32_t use : chains_.uses(name)) {
      const Statement& user = function_.code[use];
      selects = selects && user.opcode == Opcode::kSelp && !user.guarded() && bytes_of(user.type) == 4 &&
                !is_float(user.type) && is_zero(operands(user)[1]) != is_zero(operands(user)[2]);
    }
    if (!selects) continue;
    const Operand* operand = operands(*s) + s->destinations - 1;
    const bool equality = s->comparison == Comparison::kEq || s->comparison == Comparison::kNe;
    if (equality && operand[1].kind == OperandKind::kRegister && is_zero(operand[2]) &&
        alias_[operand[1].index] != kFree && chains_.is_kept_for_all(alias_[operand[1].index], name))
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
  chains_.visit(operands(s)[0], [&](std::uint32_t name) {
    if (chains_.definitions(name).size() != 1) return;
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
  return chains_.is_kept_for_all(from, result) ? from : result;
}

// The predicate of a comparison of two numbers is an operand that has no register.
void OperandFolding::fold_comparison(const Statement& s) {
  const Operand* const result = operands(s);
  const Operand* const operand = result + s.destinations;
  const bool is_equality = s.comparison == Comparison::kEq || s.comparison == Comparison::kNe;
  if (!is_equality || is_float(s.type) || bytes_of(s.type) != 4 || s.combination != Combination::kNone ||
      result[0].kind != OperandKind::kPredicate ||
      (s.destinations == 2 && result[1].kind != OperandKind::kNone))
    return;
  const std::uint32_t name = chains_.name_of(result[0]);
  if (name == Graph::kNone || chains_.definition(name) == nullptr) return;
  const auto first = number_of(operand[0]);
  const auto second = number_of(operand[1]);
  if (!first || !second) return;
  const bool are_equal = static_cast<std::uint32_t>(*first) == static_cast<std::uint32_t>(*second);
  alias_[name] = kFree;
  is_false_[name] = are_equal != (s.comparison == Comparison::kEq);
}

// Returns the number that an operand is, also by way of copies; none: it has no number.
std::optional<std::uint64_t> OperandFolding::number_of(const Operand& operand) const {
  if (operand.kind == OperandKind::kImmediate) return operand.value;
  if (operand.kind != OperandKind::kRegister || alias_[operand.index] != kFree) return std::nullopt;
  const Statement* s = chains_.definition(operand.index);
  if (s == nullptr || s->opcode != Opcode::kMov) return std::nullopt;
  return number_of(operands(*s)[1]);
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
    const Operand* sum = operands(*chains_.definition(name));
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
  const Statement* s = chains_.definition(name);
  if (s == nullptr || is_float(s->type)) return Graph::kNone;
  const Operand* operand = operands(*s);
  const bool wide =
      s->opcode == Opcode::kMul && s->variant == Variant::kWide && operand[2].kind == OperandKind::kImmediate;
  const bool extended = s->opcode == Opcode::kCvt && bytes_of(s->type) == 8 &&
                        bytes_of(s->source_type) == 4 && !is_float(s->source_type);
  if ((wide || extended) && operand[1].kind == OperandKind::kRegister) return operand[1].index;
  if (s->opcode == Opcode::kShl && bytes_of(s->type) == 8 && operand[2].kind == OperandKind::kImmediate &&
      operand[1].kind == OperandKind::kRegister && chains_.definition(operand[1].index) != nullptr) {
    const Statement& inner = *chains_.definition(operand[1].index);
    if (inner.opcode == Opcode::kCvt) return index_of(operand[1].index);
  }
  return Graph::kNone;
}

void OperandFolding::find_scaled() {
  scaled_.assign(chains_.names(), Graph::kNone);
  for (std::uint32_t name = 0; name < chains_.registers(); ++name) {
    if (!chains_.is_wide(name) || alias_[name] != name) continue;
    const std::uint32_t index = index_of(name);
    if (index == Graph::kNone || alias_[index] == kFree) continue;
    bool sums = chains_.is_read(name);
    for (const std::uint32_t use : chains_.uses(name)) {
      const Statement& user = function_.code[use];
      const bool shift = user.opcode == Opcode::kShl && operands(user)[0].kind == OperandKind::kRegister &&
                         index_of(operands(user)[0].index) != Graph::kNone;
      sums = sums && ((user.opcode == Opcode::kAdd && bytes_of(user.type) == 8) || shift) &&
             chains_.is_kept(alias_[index], chains_.definitions(name)[0], use);
    }
    if (sums) scaled_[name] = alias_[index];
  }
}

void OperandFolding::find_renamed() {
  renamed_.resize(chains_.names());
  for (std::uint32_t name = 0; name < chains_.names(); ++name) renamed_[name] = name;
  for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
    const Statement& s = function_.code[i];
    if (s.opcode != Opcode::kMov || s.guarded() || s.destinations != 1) continue;
    const Operand& to = operands(s)[0];
    const Operand& from = operands(s)[1];
    if (to.kind != OperandKind::kRegister || from.kind != OperandKind::kRegister) continue;
    const std::uint32_t name = from.index;
    if (alias_[name] != name || scaled_[name] != Graph::kNone || renamed_[name] != name || name == to.index ||
        alias_[to.index] != to.index || renamed_[to.index] != to.index ||
        chains_.definition(name) == nullptr || units(name) != units(to.index))
      continue;
    const std::uint32_t computed = chains_.definitions(name)[0];
    if (computed >= i || graph_.block_of(computed) != graph_.block_of(i)) continue;
    const auto read =
        std::upper_bound(chains_.uses(to.index).begin(), chains_.uses(to.index).end(), computed);
    if (read == chains_.uses(to.index).end() || *read > i) renamed_[name] = to.index;
  }
}

std::uint64_t OperandFolding::scale_of(std::uint32_t name) const {
  const Statement& s = *chains_.definition(name);
  if (s.opcode == Opcode::kMul) return operands(s)[2].value;
  if (s.opcode == Opcode::kShl) return std::uint64_t{1} << (operands(s)[2].value & 63U);
  return 1;
}

std::uint32_t OperandFolding::root(std::uint32_t name) const {
  for (;;) {
    const Statement* s = chains_.definition(name);
    if (s == nullptr || s->opcode == Opcode::kLd) return name;
    const Operand* operand = operands(*s);
    if (operand[1].kind != OperandKind::kRegister) return name;
    name = operand[1].index;
  }
}

}  // namespace heddle::ptx
