#include "stimuli/ptx/text/variable_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostDimensions = 8;
constexpr std::uint64_t kMostAlignment = 1U << 16U;
constexpr std::uint64_t kOpen = 0;

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> known = [] {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < kTypes; ++i) names.emplace_back(name_of(static_cast<Type>(i)));
    return names;
  }();
  return known;
}

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

std::uint32_t VariableReader::read_alignment() {
  const Place place = cursor_.peek().place;
  const std::uint64_t value = cursor_.literal("an alignment", kMostAlignment);
  if (value == 0 || (value & (value - 1)) != 0) cursor_.refuse(place, "an alignment is a power of two");
  return static_cast<std::uint32_t>(value);
}

// The host accesses a managed variable, too, which changes nothing on the device.
void VariableReader::read_attribute() {
  cursor_.expect('(');
  const Token name = cursor_.expect(TokenKind::kDotted, "an attribute");
  if (name.text != "managed") cursor_.refuse_unknown(name, "attribute of a variable", {"managed"});
  cursor_.expect(')');
}

VariableReader::Shape VariableReader::read_type(bool pointers) {
  Shape shape;
  if (!pointers && cursor_.accept_dotted("attribute")) read_attribute();
  if (cursor_.accept_dotted("align")) shape.alignment = read_alignment();
  const Token type = cursor_.expect(TokenKind::kDotted, "a type");
  shape.type = type_of(type.text);
  if (shape.type == Type::kNone || shape.type == Type::kPred)
    cursor_.refuse_unknown(type, "type of a variable", type_names());
  if (pointers && cursor_.accept_dotted("ptr")) {
    for (const char* space : {"global", "shared", "const", "local"})
      if (cursor_.accept_dotted(space)) break;
    if (cursor_.accept_dotted("align")) read_alignment();  // the alignment of the pointed-to object
  }
  shape.alignment = std::max(shape.alignment, bytes_of(shape.type));
  return shape;
}

void VariableReader::read_dimensions(Shape& shape, const Token& name) {
  shape.bytes = bytes_of(shape.type);
  while (cursor_.accept('[')) {
    shape.array = true;
    if (shape.dimensions.size() == kMostDimensions) cursor_.refuse(name.place, "too many dimensions");
    const bool open = shape.dimensions.empty() && cursor_.at(']');
    const std::uint64_t size = open ? kOpen : cursor_.integer("a size", kMostBytes);
    if (!open && (size == 0 || shape.bytes > kMostBytes / size))
      cursor_.refuse(name.place,
                     fmt::format("'{}' has a size of 0, or of more than {}", name.text, kMostBytes));
    shape.bytes *= size;
    if (open) shape.bytes = bytes_of(shape.type);  // the bytes that the other dimensions give
    shape.dimensions.push_back(size);
    cursor_.expect(']');
  }
}

Variable VariableReader::make(const Shape& shape, const Token& name) const {
  Variable variable;
  variable.name = std::string(name.text);
  variable.type = shape.type;
  variable.alignment = shape.alignment;
  variable.bytes = shape.dimensions.empty() || shape.dimensions[0] != kOpen ? shape.bytes : 0;
  variable.line = name.place.line;
  return variable;
}

void VariableReader::add(Variable variable, const Token& name) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kVariable;
  symbol.type = variable.type;
  symbol.index = static_cast<std::uint32_t>(module_.variables.size());
  if (!scopes_.declare(name.text, symbol)) {
    Symbol* known = scopes_.find(name.text);
    const bool again = known->kind == Symbol::Kind::kVariable && variable.in_module;
    Variable* before = again ? &module_.variables[known->index] : nullptr;
    if (before == nullptr || before->space != variable.space || !(before->external || variable.external))
      cursor_.refuse(name.place, fmt::format("'{}' is declared twice", name.text));
    if (before->external && !variable.external) *before = std::move(variable);
    return;
  }
  module_.variables.push_back(std::move(variable));
}

void VariableReader::read(Space space, bool in_module, bool external) {
  const Shape before = read_type(false);
  do {
    const Token name = cursor_.expect(TokenKind::kName, "a name");
    Shape shape = before;
    read_dimensions(shape, name);
    Variable variable = make(shape, name);
    variable.space = space;
    variable.in_module = in_module;
    variable.external = external;
    if (cursor_.accept('=')) {
      if (space == Space::kShared || external)
        cursor_.refuse(name.place,
                       "only .global and .const variables that are not .extern have initialisers");
      read_initial(variable, shape);
    }
    if (variable.bytes == 0 && !external)
      cursor_.refuse(name.place, fmt::format("'{}' has no size", name.text));
    add(std::move(variable), name);
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

void VariableReader::place_in_frame(const Shape& shape, const Token& name, Symbol::Kind kind,
                                    std::vector<FrameVariable>& frame, std::uint32_t& end) {
  FrameVariable variable;
  variable.name = std::string(name.text);
  variable.type = shape.type;
  variable.array = shape.array;
  variable.alignment = shape.alignment;
  if (shape.array && shape.dimensions[0] == kOpen)
    cursor_.refuse(name.place, fmt::format("'{}' has no size", name.text));
  const std::uint64_t offset = aligned(end, shape.alignment);
  if (shape.bytes > kMostFrameBytes || offset + shape.bytes > kMostFrameBytes)
    cursor_.refuse(name.place, fmt::format("'{}' ends past {} bytes", name.text, kMostFrameBytes));
  variable.offset = static_cast<std::uint32_t>(offset);
  variable.bytes = static_cast<std::uint32_t>(shape.bytes);
  Symbol symbol;
  symbol.kind = kind;
  symbol.type = shape.type;
  symbol.offset = variable.offset;
  symbol.bytes = variable.bytes;
  if (!scopes_.declare(name.text, symbol))
    cursor_.refuse(name.place, fmt::format("'{}' is declared twice", name.text));
  end = variable.offset + variable.bytes;
  frame.push_back(std::move(variable));
}

void VariableReader::read_frame(Symbol::Kind kind, std::vector<FrameVariable>& frame, std::uint32_t& end) {
  const Shape before = read_type(false);
  do {
    const Token name = cursor_.expect(TokenKind::kName, "a name");
    Shape shape = before;
    read_dimensions(shape, name);
    place_in_frame(shape, name, kind, frame, end);
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

void VariableReader::read_parameter(std::vector<FrameVariable>& frame, std::uint32_t& end, bool named) {
  Shape shape = read_type(true);
  const Token name = cursor_.expect(TokenKind::kName, "a name");
  read_dimensions(shape, name);
  place_parameter(shape, name, Symbol::Kind::kParameter, frame, end, named);
}

void VariableReader::read_register_parameter(std::vector<FrameVariable>& frame, std::uint32_t& end,
                                             bool named) {
  const Token type = cursor_.expect(TokenKind::kDotted, "a type");
  Shape shape;
  shape.type = type_of(type.text);
  const bool holds = bytes_of(shape.type) >= 2 && class_of(shape.type) != TypeClass::kHandle &&
                     shape.type != Type::kBf16 && shape.type != Type::kBf16x2 && shape.type != Type::kTf32;
  if (!holds)
    cursor_.refuse(type.place, fmt::format("a parameter in a register of {} is not supported", shown(type)));
  shape.bytes = shape.alignment = bytes_of(shape.type);
  const Token name = cursor_.expect(TokenKind::kName, "a name");
  place_parameter(shape, name, Symbol::Kind::kRegister, frame, end, named);
  frame.back().in_register = true;
}

// A parameter without a name is declared in a scope of its own.
void VariableReader::place_parameter(const Shape& shape, const Token& name, Symbol::Kind kind,
                                     std::vector<FrameVariable>& frame, std::uint32_t& end, bool named) {
  if (!named) scopes_.push(0);
  try {
    place_in_frame(shape, name, kind, frame, end);
  } catch (const Refused&) {
    if (!named) scopes_.pop();
    throw;
  }
  if (!named) scopes_.pop();
}

void VariableReader::read_initial(Variable& variable, Shape& shape) {
  const Place place = cursor_.peek().place;
  const std::uint32_t element = bytes_of(shape.type);
  const std::uint64_t most = kMostBytes / element;
  if (cursor_.peek().kind == TokenKind::kString) {
    const Token text = cursor_.take();
    if (element != 1) cursor_.refuse(place, "a string initialises an array of bytes");
    if (text.text.find('\\') != std::string_view::npos)
      cursor_.refuse(place, "escapes in a string are not supported");
    for (std::size_t i = 0; i < text.text.size(); ++i)
      store(variable, i, static_cast<unsigned char>(text.text[i]), 1, place);
    store(variable, text.text.size(), 0, 1, place);
  } else if (cursor_.at('{')) {
    if (!shape.array) cursor_.refuse(place, "one value was expected");
    const bool open = shape.dimensions[0] == kOpen;
    read_list(variable, shape, 0, 0, open ? most : shape.bytes / element);
  } else {
    if (shape.array) cursor_.refuse_unexpected("'{'");
    read_element(variable, 0);
  }
  const std::uint64_t row = shape.bytes;
  if (variable.bytes == 0) variable.bytes = aligned(variable.initial.size(), row);
  if (variable.initial.size() > variable.bytes)
    cursor_.refuse(place, fmt::format("more values than '{}' has room for", variable.name));
}

// Reads `count` elements from offset `base` on, in the braces of dimension `level`.
void VariableReader::read_list(Variable& variable, const Shape& shape, std::size_t level, std::uint64_t base,
                               std::uint64_t count) {
  cursor_.expect('{');
  std::uint64_t inner = 1;
  for (std::size_t i = level + 1; i < shape.dimensions.size(); ++i) inner *= shape.dimensions[i];
  std::uint64_t at = 0;
  while (!cursor_.accept('}')) {
    const Place place = cursor_.peek().place;
    if (at >= count) cursor_.refuse(place, fmt::format("more values than '{}' has room for", variable.name));
    if (cursor_.at('{')) {
      if (level + 1 >= shape.dimensions.size() || at % inner != 0)
        cursor_.refuse(place, "braces that no dimension has");
      read_list(variable, shape, level + 1, base + at, inner);
      at += inner;
    } else {
      read_element(variable, base + at);
      ++at;
    }
    if (!cursor_.at('}')) cursor_.expect(',');
  }
}

void VariableReader::read_element(Variable& variable, std::uint64_t element) {
  const std::uint32_t bytes = bytes_of(variable.type);
  const std::uint64_t offset = element * bytes;
  const Token& next = cursor_.peek();
  if (next.kind == TokenKind::kName && next.text != "WARP_SZ") return read_address(variable, offset);
  if (!cursor_.constants().starts()) cursor_.refuse_unexpected("a number or a variable's name");
  const Constant constant = cursor_.constants().expression();
  store(variable, offset, bits_as(variable.type, constant, cursor_.problems()), bytes, constant.place);
}

void VariableReader::read_address(Variable& variable, std::uint64_t offset) {
  Token name = cursor_.take();
  Relocation relocation;
  relocation.generic = name.text == "generic" && cursor_.accept('(');
  if (relocation.generic) name = cursor_.expect(TokenKind::kName, "a variable's name");
  const Symbol* symbol = scopes_.find(name.text);
  if (symbol == nullptr) cursor_.refuse(name.place, fmt::format("'{}' is not declared", name.text));
  if (symbol->kind == Symbol::Kind::kBad) throw Refused{};
  if (symbol->kind == Symbol::Kind::kFunction) {
    if (is_float(variable.type) || bytes_of(variable.type) != module_.address_bytes)
      cursor_.refuse(name.place, fmt::format("an address does not fit in .{}", name_of(variable.type)));
    if (relocation.generic) cursor_.expect(')');
    module_.functions[symbol->index].addressed = true;
    return store(variable, offset, function_address(symbol->index), bytes_of(variable.type), name.place);
  }
  if (symbol->kind != Symbol::Kind::kVariable)
    cursor_.refuse(name.place, fmt::format("the address of '{}' is not supported", name.text));
  const Variable& target = module_.variables[symbol->index];
  if (target.space == Space::kShared)
    cursor_.refuse(name.place, fmt::format("the address of '{}' is not known before a launch", name.text));
  relocation.variable = symbol->index;
  relocation.bytes = bytes_of(variable.type);
  relocation.offset = offset;
  if (is_float(variable.type) || relocation.bytes != module_.address_bytes)
    cursor_.refuse(name.place, fmt::format("an address does not fit in .{}", name_of(variable.type)));
  const bool inside = relocation.generic && (cursor_.at('+') || cursor_.at('-'));
  if (inside) relocation.addend = cursor_.constants().expression().value;
  if (relocation.generic) cursor_.expect(')');
  if (cursor_.at('+') || cursor_.at('-')) relocation.addend += cursor_.constants().expression().value;
  store(variable, offset, 0, relocation.bytes, name.place);
  variable.relocations.push_back(relocation);
}

void VariableReader::store(Variable& variable, std::uint64_t offset, std::uint64_t value, std::uint32_t bytes,
                           Place place) {
  const std::uint64_t end = offset + bytes;
  if (end > variable.initial.size()) {
    const std::uint64_t more = end - variable.initial.size();
    if (more > kMostInitialBytes - initial_bytes_)
      cursor_.refuse(place, fmt::format("initial values of more than {} bytes", kMostInitialBytes));
    initial_bytes_ += more;
    variable.initial.resize(end);
  }
  for (std::uint32_t i = 0; i < bytes; ++i)
    variable.initial[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace heddle::ptx
