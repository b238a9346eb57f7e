#include "stimuli/ptx/text/raw_operand.h"

#include <fmt/format.h>

namespace heddle::ptx {
namespace {

// Whether the token is the x of %tid.x or of v.x. A name without '%' has its component right behind it.
bool names_part(const Token& name, const Token& next) {
  if (next.kind != TokenKind::kDotted) return false;
  return name.text[0] == '%' ||
         (next.place.line == name.place.line && next.place.column == name.place.column + name.text.size());
}

}  // namespace

void RawReader::read_list(RawOperands& operands) {
  operands.clear();
  if (cursor_.at(';')) return;
  do {
    read_one(operands, false);
    while (cursor_.accept('|')) read_one(operands, true);
  } while (cursor_.accept(','));
  if (!cursor_.at(';')) cursor_.refuse_unexpected("',' or ';'");
}

void RawReader::read_one(RawOperands& operands, bool joined) {
  if (cursor_.at('{')) {
    operands.all.push_back(read_vector(operands));
  } else if (cursor_.at('[')) {
    RawOperand address = read_address();
    const bool handle = cursor_.accept(',');
    if (handle) address.kind = RawOperand::Kind::kHandle;
    operands.all.push_back(address);
    if (handle) operands.all.push_back(cursor_.at('{') ? read_vector(operands) : read_simple());
    cursor_.expect(']');
  } else {
    operands.all.push_back(read_simple());
  }
  operands.all.back().joined = joined;
}

RawOperand RawReader::read_vector(RawOperands& operands) {
  RawOperand vector;
  vector.kind = RawOperand::Kind::kVector;
  vector.place = cursor_.peek().place;
  vector.first = static_cast<std::uint32_t>(operands.elements.size());
  cursor_.expect('{');
  do {
    if (++vector.count > RawOperands::kMostElements)
      cursor_.refuse(vector.place, "a vector of too many elements");
    operands.elements.push_back(read_simple());
  } while (cursor_.accept(','));
  cursor_.expect('}');
  return vector;
}

RawOperand RawReader::read_address() {
  cursor_.expect('[');
  RawOperand address = read_simple();
  if (address.kind == RawOperand::Kind::kNumber) {
    address.name = Token{};
    address.has_offset = true;
  }
  address.kind = RawOperand::Kind::kAddress;
  return address;
}

void RawReader::read_offset(RawOperand& operand) {
  // "+-4" is "+" followed by the number "-4".
  if (!cursor_.at('+') && !cursor_.at('-')) return;
  operand.constant = cursor_.constants().expression();
  operand.has_offset = true;
  if (operand.constant.kind != Constant::Kind::kInteger)
    cursor_.refuse(operand.constant.place, "an offset is an integer");
}

RawOperand RawReader::read_simple() {
  RawOperand operand;
  operand.place = cursor_.peek().place;
  operand.negated = cursor_.accept('!');
  const Token& next = cursor_.peek();
  if (next.kind == TokenKind::kName && next.text != "WARP_SZ") {
    operand.name = cursor_.take();
    if (names_part(operand.name, cursor_.peek())) operand.component = cursor_.take().text;
    read_offset(operand);
    return operand;
  }
  if (!cursor_.constants().starts()) cursor_.refuse_unexpected("an operand");
  operand.kind = RawOperand::Kind::kNumber;
  operand.constant = cursor_.constants().expression();
  return operand;
}

}  // namespace heddle::ptx
