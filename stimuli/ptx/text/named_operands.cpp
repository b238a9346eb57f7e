#include "stimuli/ptx/text/named_operands.h"

#include <fmt/format.h>

namespace heddle::ptx {
namespace {

constexpr std::array<std::string_view, 4> kElements{"x", "y", "z", "w"};

// Returns 0 to 3 for x, y, z, w and for r, g, b, a, and 4 for any other word.
std::size_t element_number(std::string_view component) {
  constexpr std::array<std::string_view, 4> kColours{"r", "g", "b", "a"};
  std::size_t number = 0;
  while (number < kElements.size() && kElements[number] != component && kColours[number] != component)
    ++number;
  return number;
}

}  // namespace

Symbol& NamedOperands::find(const Token& name) {
  Symbol* symbol = scopes_.find(name.text);
  if (symbol == nullptr) {
    scopes_.declare_bad(name.text);
    cursor_.refuse(name.place, fmt::format("{} is not declared", shown(name)));
  }
  if (symbol->kind == Symbol::Kind::kBad) throw Refused{};
  return *symbol;
}

Symbol& NamedOperands::element_of(Symbol& symbol, const RawOperand& raw) {
  if (symbol.kind != Symbol::Kind::kRegister || symbol.width == 1) return symbol;
  if (raw.component.empty())
    cursor_.refuse(raw.place, fmt::format("{} is a vector of {} registers; {}.x is the first of them",
                                          shown(raw.name), symbol.width, raw.name.text));
  const std::size_t element = element_number(raw.component);
  if (element >= symbol.width)
    cursor_.refuse(raw.place, fmt::format("'{}.{}' is no element of a vector of {} registers", raw.name.text,
                                          raw.component, symbol.width));
  if (symbol.index == Symbol::kUnnumbered) {
    symbol.index = static_cast<std::uint32_t>(vectors_.size());
    Symbol single = symbol;
    single.width = 1;
    single.index = Symbol::kUnnumbered;
    vectors_.emplace_back().fill(single);
  }
  return vectors_[symbol.index][element];
}

Operand NamedOperands::register_of(Symbol& symbol, const Token& name, std::string_view component) {
  const bool predicate = symbol.type == Type::kPred;
  std::vector<Register>& file = predicate ? function_->predicates : function_->registers;
  if (symbol.index == Symbol::kUnnumbered) {
    symbol.index = static_cast<std::uint32_t>(file.size());
    std::string text(name.text);
    if (!component.empty()) text.append(".").append(component);
    file.push_back({std::move(text), symbol.type});
  }
  Operand operand;
  operand.kind = predicate ? OperandKind::kPredicate : OperandKind::kRegister;
  operand.type = symbol.type;
  operand.index = symbol.index;
  return operand;
}

Operand NamedOperands::predicate(const Token& name) {
  Symbol& symbol = find(name);
  if (symbol.kind != Symbol::Kind::kRegister || symbol.type != Type::kPred)
    cursor_.refuse(name.place, fmt::format("{} is no predicate", shown(name)));
  return register_of(symbol, name);
}

Space NamedOperands::space_of(const Symbol& symbol) const {
  if (symbol.kind == Symbol::Kind::kLocal) return Space::kLocal;
  if (symbol.kind == Symbol::Kind::kParameter) return Space::kParam;
  return module_.variables[symbol.index].space;
}

Operand NamedOperands::symbol_address(const RawOperand& raw, const Symbol& symbol) {
  Operand operand;
  operand.value = raw.has_offset ? raw.constant.value : 0;
  switch (symbol.kind) {
    case Symbol::Kind::kVariable: {
      const Variable& variable = module_.variables[symbol.index];
      if (variable.external && variable.space != Space::kShared)
        cursor_.refuse(raw.place, fmt::format("{} is not defined in this module", shown(raw.name)));
      operand.kind = OperandKind::kVariable;
      operand.index = symbol.index;
      return operand;
    }
    case Symbol::Kind::kLocal:
      operand.kind = OperandKind::kLocal;
      operand.value += symbol.offset;
      return operand;
    case Symbol::Kind::kParameter:
      operand.kind = OperandKind::kParameter;
      operand.value += symbol.offset;
      return operand;
    default:
      cursor_.refuse(raw.place, fmt::format("the address of {} is not supported", shown(raw.name)));
  }
}

void NamedOperands::check_space(const RawOperand& raw, const Symbol& symbol, Space wanted) {
  const Space has = space_of(symbol);
  // The generic address of a global variable is its address.
  if (has == wanted || (wanted == Space::kGeneric && has == Space::kGlobal)) return;
  cursor_.refuse(raw.place, fmt::format("{} is in .{}, and the instruction's space is {}", shown(raw.name),
                                        name_of(has), name_of(wanted)));
}

Operand NamedOperands::register_named(const FrameVariable& parameter) {
  Token name;
  name.text = parameter.name;
  return register_of(*scopes_.find(parameter.name), name);
}

void NamedOperands::expand(RawOperand& raw, RawOperands& all) {
  if (raw.kind != RawOperand::Kind::kName || !raw.component.empty() || raw.has_offset) return;
  const Symbol* const symbol = scopes_.find(raw.name.text);
  if (symbol == nullptr || symbol->width == 1) return;
  RawOperand element = raw;
  raw.kind = RawOperand::Kind::kVector;
  raw.first = static_cast<std::uint32_t>(all.elements.size());
  raw.count = symbol->width;
  for (std::uint32_t i = 0; i < raw.count; ++i) {
    element.component = kElements[i];
    all.elements.push_back(element);
  }
}

Space NamedOperands::named_space(const RawOperand& raw) const {
  if (raw.kind != RawOperand::Kind::kAddress || raw.name.text.empty()) return Space::kGeneric;
  const Symbol* const symbol = scopes_.find(raw.name.text);
  const bool is_variable =
      symbol != nullptr && (symbol->kind == Symbol::Kind::kVariable || symbol->kind == Symbol::Kind::kLocal ||
                            symbol->kind == Symbol::Kind::kParameter);
  return is_variable ? space_of(*symbol) : Space::kGeneric;
}

}  // namespace heddle::ptx
