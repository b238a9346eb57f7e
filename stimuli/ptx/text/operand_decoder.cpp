#include "stimuli/ptx/text/operand_decoder.h"

#include <fmt/format.h>

#include <charconv>

#include "stimuli/ptx/statements/video.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kEnvironmentRegisters = 32;
constexpr std::uint32_t kPointerBytes[] = {4, 8};

bool is_integer(Type type) {
  const TypeClass type_class = class_of(type);
  return type_class == TypeClass::kBits || type_class == TypeClass::kUnsigned ||
         type_class == TypeClass::kSigned;
}

bool is_pointer(Type type) {
  return is_integer(type) && (bytes_of(type) == kPointerBytes[0] || bytes_of(type) == kPointerBytes[1]);
}

bool find_special(std::string_view name, std::string_view component, Operand& operand) {
  constexpr std::string_view kEnvironment = "%envreg";
  if (component.empty() && name.substr(0, kEnvironment.size()) == kEnvironment) {
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + kEnvironment.size(), end, operand.value);
    operand.index = static_cast<std::uint32_t>(Special::kEnvironment);
    return error == std::errc{} && stop == end && operand.value < kEnvironmentRegisters;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(Special::kEnvironment); ++i) {
    std::string_view known = name_of(static_cast<Special>(i));
    if (known.substr(0, name.size()) != name) continue;
    known.remove_prefix(name.size());
    if (component.empty() ? !known.empty() : known.empty() || known[0] != '.' || known.substr(1) != component)
      continue;
    operand.index = static_cast<std::uint32_t>(i);
    return true;
  }
  return false;
}

}  // namespace

void OperandDecoder::check_type(const RawOperand& raw, Type declared, const Wanted& wanted) {
  const TypeClass has = class_of(declared);
  const TypeClass wants = class_of(wanted.type);
  const bool either_bits = has == TypeClass::kBits || wants == TypeClass::kBits;
  const bool integers = is_integer(declared) && is_integer(wanted.type);
  const bool same = has == wants && (has != TypeClass::kFloat || declared == wanted.type);
  const bool classes =
      integers || same || (either_bits && has != TypeClass::kPredicate && wants != TypeClass::kPredicate);
  // PTX ISA, "Operand Size Exceeding Instruction-Type Size": the value is in the low bits of the register.
  const bool holds =
      is_integer(wanted.type) || (wanted.bits && has == TypeClass::kBits && is_float(wanted.type));
  const bool wide_enough =
      wanted.wider && holds && is_integer(declared) && bytes_of(declared) >= bytes_of(wanted.type);
  if (classes && (bytes_of(declared) == bytes_of(wanted.type) || wide_enough)) return;
  cursor_.refuse(raw.place, fmt::format("{} is .{}, where .{} is wanted", shown(raw.name), name_of(declared),
                                        name_of(wanted.type)));
}

bool OperandDecoder::special(const RawOperand& raw, const Wanted& wanted, Operand& operand) {
  if (raw.name.text[0] != '%' || !find_special(raw.name.text, raw.component, operand)) return false;
  operand.kind = OperandKind::kSpecial;
  operand.type = wanted.type;
  const std::uint32_t bytes = bytes_of(type_of(static_cast<Special>(operand.index)));
  const std::uint32_t wants = bytes_of(wanted.type);
  const bool fits = wants == bytes || (wants == 2 && bytes == 4) || (wanted.wider && wants <= bytes);
  if (wanted.destination || raw.has_offset || raw.negated || !is_integer(wanted.type) || !fits)
    cursor_.refuse(raw.place, fmt::format("{} is not allowed where .{} is {}", shown(raw.name),
                                          name_of(wanted.type), wanted.destination ? "written" : "read"));
  return true;
}

Operand OperandDecoder::named(const RawOperand& raw, const Wanted& wanted) {
  Operand operand;
  if (wanted.destination && raw.name.text == "_" && !raw.has_offset && !raw.negated) {
    operand.kind = OperandKind::kSink;
    return operand;
  }
  if (special(raw, wanted, operand)) return operand;
  const Symbol* const known = names_.known(raw.name.text);
  const bool of_vector = known != nullptr && known->width > 1;
  const bool selects = video_parts(wanted.video) > 0 && !raw.component.empty() && !of_vector;
  const bool bad = known != nullptr && known->kind == Symbol::Kind::kBad;
  if (!raw.component.empty() && !selects && !of_vector && !bad)
    cursor_.refuse(raw.place,
                   fmt::format("'{}.{}' is no special register and no element of a vector register",
                               raw.name.text, raw.component));
  Symbol& symbol = names_.element_of(names_.find(raw.name), raw);
  if (symbol.kind != Symbol::Kind::kRegister)
    cursor_.refuse(raw.place, fmt::format("{} is no register", shown(raw.name)));
  if (raw.has_offset)
    cursor_.refuse(raw.constant.place, "a register with an offset is allowed only in brackets");
  if (raw.negated && !wanted.negatable) cursor_.refuse(raw.place, "'!' is not allowed here");
  check_type(raw, symbol.type, wanted);
  operand = names_.register_of(symbol, raw.name, selects ? std::string_view{} : raw.component);
  operand.negated = raw.negated;
  if (!selects) return operand;
  const auto selector = parse_selector(raw.component, wanted.video, wanted.destination);
  if (!selector)
    cursor_.refuse(raw.place,
                   fmt::format("'.{}' selects no part of {} here", raw.component, shown(raw.name)));
  operand.value = packed(*selector);
  return operand;
}

Operand OperandDecoder::value(const RawOperand& raw, const Wanted& wanted) {
  if (raw.kind == RawOperand::Kind::kName) return named(raw, wanted);
  if (raw.kind != RawOperand::Kind::kNumber)
    cursor_.refuse(raw.place, fmt::format("a value of .{} is wanted here", name_of(wanted.type)));
  if (wanted.destination) cursor_.refuse(raw.place, "a number cannot be written");
  Operand operand;
  operand.kind = OperandKind::kImmediate;
  operand.type = wanted.type;
  operand.value = bits_as(wanted.type, raw.constant, cursor_.problems());
  if (raw.negated && !wanted.negatable) cursor_.refuse(raw.place, "'!' is not allowed here");
  operand.negated = raw.negated;
  return operand;
}

Operand OperandDecoder::vector(const RawOperand& raw, const RawOperands& all, const Wanted& element) {
  return vector(raw, all, element, element);
}

Operand OperandDecoder::vector(const RawOperand& raw, const RawOperands& all, const Wanted& element,
                               const Wanted& first) {
  Operand decoded[RawOperands::kMostElements];
  for (std::uint32_t i = 0; i < raw.count; ++i)
    decoded[i] = value(all.elements[raw.first + i], i == 0 ? first : element);
  Operand operand;
  operand.kind = OperandKind::kVector;
  operand.type = element.type;
  operand.count = static_cast<std::uint8_t>(raw.count);
  operand.index = static_cast<std::uint32_t>(function_->operands.size());
  function_->operands.insert(function_->operands.end(), decoded, decoded + raw.count);
  return operand;
}

Operand OperandDecoder::elements(const RawOperand& raw, const RawOperands& all, const Wanted& wanted,
                                 std::uint32_t width) {
  const bool braces = raw.kind == RawOperand::Kind::kVector;
  if (width == 1) return value(braces && raw.count == 1 ? all.elements[raw.first] : raw, wanted);
  if (!braces || raw.count != width)
    cursor_.refuse(raw.place, fmt::format("{} elements in braces are wanted here", width));
  return vector(raw, all, wanted);
}

Operand OperandDecoder::fragment(const RawOperand& raw, const RawOperands& all, const OperandSlot& slot,
                                 const Statement& statement) {
  const FragmentInfo info = info_of(statement, slot.fragment);
  return elements(raw, all, {info.register_type, slot.destination, false, false}, info.registers);
}

Operand OperandDecoder::address_of_function(const RawOperand& raw, const Symbol& symbol,
                                            const Wanted& wanted) {
  Function& function = module_.functions[symbol.index];
  if (function.entry && !raw.has_offset)
    cursor_.refuse(raw.place, fmt::format("the address of {} is not supported: it is that of a kernel, which "
                                          "kernels launch (dynamic parallelism)",
                                          shown(raw.name)));
  if (raw.has_offset)
    cursor_.refuse(raw.place, fmt::format("the address of {} is not supported", shown(raw.name)));
  if (!is_integer(wanted.type) || bytes_of(wanted.type) < module_.address_bytes)
    cursor_.refuse(raw.place, fmt::format("an address does not fit in .{}", name_of(wanted.type)));
  function.addressed = true;
  Operand operand;
  operand.kind = OperandKind::kImmediate;
  operand.type = wanted.type;
  operand.value = function_address(symbol.index);
  return operand;
}

Operand OperandDecoder::callee(const Token& name) {
  Symbol& symbol = names_.find(name);
  if (symbol.kind != Symbol::Kind::kRegister || symbol.width > 1 || !is_integer(symbol.type) ||
      bytes_of(symbol.type) != 8)
    cursor_.refuse(name.place,
                   fmt::format("{} is neither a function nor a register of 64 bits", shown(name)));
  return names_.register_of(symbol, name);
}

Operand OperandDecoder::move(const RawOperand& raw, const RawOperands& all, const Wanted& wanted) {
  if (raw.kind == RawOperand::Kind::kVector) {
    const std::uint32_t part = raw.count == 2 || raw.count == 4 ? bytes_of(wanted.type) / raw.count : 0;
    if (class_of(wanted.type) != TypeClass::kBits || (part != 2 && part != 4))
      cursor_.refuse(raw.place,
                     fmt::format("{} elements do not make up a .{}", raw.count, name_of(wanted.type)));
    return vector(raw, all, {part == 2 ? Type::kB16 : Type::kB32, wanted.destination, false, false});
  }
  if (raw.kind != RawOperand::Kind::kName || wanted.destination) return value(raw, wanted);
  Operand operand;
  if (raw.name.text[0] == '%' && special(raw, wanted, operand)) return operand;
  if (!raw.component.empty()) return value(raw, wanted);
  const Symbol& symbol = names_.find(raw.name);
  if (symbol.kind == Symbol::Kind::kRegister) return value(raw, wanted);
  if (symbol.kind == Symbol::Kind::kFunction) return address_of_function(raw, symbol, wanted);
  // Shared, local, constant and parameter memory fit in 32 bits.
  const bool narrow = symbol.kind != Symbol::Kind::kVariable || names_.space_of(symbol) != Space::kGlobal;
  if (!is_integer(wanted.type) || bytes_of(wanted.type) < (narrow ? 4 : module_.address_bytes))
    cursor_.refuse(raw.place, fmt::format("an address does not fit in .{}", name_of(wanted.type)));
  return names_.symbol_address(raw, symbol);
}

Operand OperandDecoder::memory(const RawOperand& raw, const Statement& statement, Space space) {
  if (raw.kind != RawOperand::Kind::kAddress || raw.negated)
    cursor_.refuse(raw.place, "an address in brackets is wanted here");
  Operand operand;
  if (raw.name.text.empty()) {
    operand.kind = OperandKind::kImmediate;
    operand.type = Type::kU64;
    operand.value = bits_as(Type::kU64, raw.constant, cursor_.problems());
    return operand;
  }
  Symbol& found = names_.find(raw.name);
  Symbol& symbol = names_.element_of(found, raw);
  if (symbol.kind == Symbol::Kind::kRegister) {
    if (!is_pointer(symbol.type) || (!raw.component.empty() && found.width == 1))
      cursor_.refuse(raw.place,
                     fmt::format("{} is .{}, which is no address", shown(raw.name), name_of(symbol.type)));
    operand = names_.register_of(symbol, raw.name, raw.component);
    operand.value = raw.has_offset ? raw.constant.value : 0;
    return operand;
  }
  operand = names_.symbol_address(raw, symbol);
  names_.check_space(raw, symbol, space);
  const std::uint64_t bytes = std::uint64_t{bytes_of(statement.type)} * statement.width;
  const std::uint64_t offset = raw.has_offset ? raw.constant.value : 0;
  if (symbol.kind != Symbol::Kind::kVariable && (offset > symbol.bytes || symbol.bytes - offset < bytes))
    cursor_.refuse(raw.place, fmt::format("{} bytes at {} are not within the {} of {}", bytes,
                                          static_cast<std::int64_t>(offset), symbol.bytes, shown(raw.name)));
  return operand;
}

Operand OperandDecoder::handle(const RawOperand& raw, const Statement& statement) {
  if (raw.kind != RawOperand::Kind::kHandle || raw.has_offset || raw.negated || raw.name.text.empty())
    cursor_.refuse(raw.place, "[handle, coordinates] is wanted here");
  Symbol& symbol = names_.find(raw.name);
  if (symbol.kind == Symbol::Kind::kRegister && symbol.width == 1 && is_integer(symbol.type) &&
      bytes_of(symbol.type) == 8)
    return names_.register_of(symbol, raw.name);
  if (is_tensor(statement.opcode))
    cursor_.refuse(raw.place, fmt::format("{} is no register of 64 bits", shown(raw.name)));
  const bool samples = statement.opcode == Opcode::kTex || statement.opcode == Opcode::kTld4;
  const Type wanted = samples ? Type::kTexref : Type::kSurfref;
  if (symbol.kind != Symbol::Kind::kVariable || symbol.type != wanted)
    cursor_.refuse(raw.place, fmt::format("{} is neither a .{} nor a register of 64 bits", shown(raw.name),
                                          name_of(wanted)));
  return names_.symbol_address(raw, symbol);
}

Operand OperandDecoder::coordinates(const RawOperand& raw, const RawOperands& all,
                                    const Statement& statement) {
  const Geometry geometry = geometry_of(statement.variant);
  const std::uint32_t wants = is_tensor(statement.opcode) ? statement.width : geometry.elements;
  Wanted element;
  element.type = statement.source_type == Type::kNone ? Type::kS32 : statement.source_type;
  if (raw.kind == RawOperand::Kind::kVector && raw.count == wants) {
    if (!geometry.layered) return vector(raw, all, element);
    Wanted layer;
    layer.type = Type::kU32;
    return vector(raw, all, element, layer);
  }
  if (raw.kind == RawOperand::Kind::kVector || wants != 1)
    cursor_.refuse(raw.place, fmt::format("{} coordinates are wanted here", wants));
  RawOperands single;
  single.elements.push_back(raw);
  RawOperand one = raw;
  one.kind = RawOperand::Kind::kVector;
  one.first = 0;
  one.count = 1;
  return vector(one, single, element);
}

Operand OperandDecoder::decode(const RawOperand& raw, const RawOperands& all, const OperandSlot& slot,
                               const Statement& statement) {
  Wanted wanted{type_of(slot, statement), slot.destination, slot.wider, slot.negatable};
  if (slot.selects) wanted.video = statement.opcode;
  if (slot.number && raw.kind != RawOperand::Kind::kNumber)
    cursor_.refuse(raw.place, "a number is wanted here");
  switch (slot.role) {
    case Role::kElements:
      wanted.bits = true;
      return elements(raw, all, wanted, statement.width);
    case Role::kFragment:
      return fragment(raw, all, slot, statement);
    case Role::kMatrix:
      if (raw.kind == RawOperand::Kind::kVector) return fragment(raw, all, slot, statement);
      return value(raw, {Type::kB64, false, false, false});
    case Role::kMove:
      return move(raw, all, wanted);
    case Role::kMemory:
      return memory(raw, statement, statement.space);
    case Role::kSharedMemory:
      return memory(raw, statement, Space::kShared);
    case Role::kPointer: {
      if (raw.kind != RawOperand::Kind::kName) cursor_.refuse(raw.place, "a register is wanted here");
      const Symbol& symbol = names_.find(raw.name);
      const bool wide = bytes_of(symbol.type) == kPointerBytes[1];
      return value(raw, {wide ? Type::kB64 : Type::kB32, false, false, false});
    }
    case Role::kVariable: {
      if (raw.kind != RawOperand::Kind::kName)
        cursor_.refuse(raw.place, "a register or a variable is wanted here");
      const Symbol& symbol = names_.find(raw.name);
      if (symbol.kind == Symbol::Kind::kRegister) return value(raw, wanted);
      const Operand operand = names_.symbol_address(raw, symbol);
      names_.check_space(raw, symbol, statement.space);
      if (operand.kind == OperandKind::kParameter &&
          (!function_->entry || operand.value >= function_->parameter_bytes))
        cursor_.refuse(raw.place, "the generic address of a call's parameter is not supported");
      return operand;
    }
    case Role::kHandle:
      return handle(raw, statement);
    case Role::kCoordinates:
      return coordinates(raw, all, statement);
    default:
      return value(raw, wanted);
  }
}

Operand OperandDecoder::parameter(const RawOperand& raw, std::uint32_t bytes, bool destination) {
  if (raw.kind == RawOperand::Kind::kNumber && !destination)
    return value(raw, {bytes == 8 ? Type::kB64 : Type::kB32, false, false, false});
  if (raw.kind != RawOperand::Kind::kName || raw.has_offset || raw.negated)
    cursor_.refuse(raw.place, "a .param variable or a register is wanted here");
  Symbol& symbol = names_.element_of(names_.find(raw.name), raw);
  const bool is_register = symbol.kind == Symbol::Kind::kRegister && symbol.type != Type::kPred;
  if (!is_register && symbol.kind != Symbol::Kind::kParameter)
    cursor_.refuse(raw.place, fmt::format("{} is neither a .param variable nor a register", shown(raw.name)));
  const std::uint32_t has = is_register ? bytes_of(symbol.type) : symbol.bytes;
  if (has != bytes)
    cursor_.refuse(raw.place,
                   fmt::format("{} has {} bytes, where {} are passed", shown(raw.name), has, bytes));
  return is_register ? names_.register_of(symbol, raw.name, raw.component)
                     : names_.symbol_address(raw, symbol);
}

}  // namespace heddle::ptx
