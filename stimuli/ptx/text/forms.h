#pragma once
// The table of PTX instructions that are implemented: for each spelling of an opcode which modifiers it
// takes, in which order, and which operands. The parser accepts what matches a form here and refuses all
// else.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/ptx/text/statement.h"

namespace heddle::ptx {

enum class Field : std::uint8_t {
  kLiteral,  // a word that must stand there and says nothing more: bar.sync's sync
  kFlag,
  kType,
  kSource,
  kOther,
  kRounding,
  kComparison,
  kCombination,
  kVariant,
  kBounds,
  kSpace,
  kOrdering,
  kScope,
  kCache,
  kEviction,
  kPrefetch,
  kWidth,
};

struct Word {
  std::string text;         // "ftz", "L2::128B"
  std::uint16_t value = 0;  // of the field
};

// One of the words stands here, or none where the slot is optional.
struct ModifierSlot {
  Field field = Field::kLiteral;
  bool optional = false;
  std::vector<Word> words;
};

enum class Role : std::uint8_t {
  kValue,     // a register; sources also a number or a special register
  kElements,  // as many values as .v2 or .v4 say, in braces; without it one value
  kMove,     // of mov: a value, a variable's address, or values in braces that make up one or are parts of it
  kMemory,   // [address]
  kPointer,  // an address as a value: a register
  kVariable,     // a register, or a variable's address
  kHandle,       // of a texture or surface: the start of "[handle, coordinates]"
  kCoordinates,  // its end
  kLabel,        // no operand: Statement::target
  kCall,         // (returns), function, (parameters)
};

// What an operand's type follows.
enum class TypeRule : std::uint8_t { kType, kSource, kOther, kWide, kFixed };

struct OperandSlot {
  Role role = Role::kValue;
  TypeRule rule = TypeRule::kType;
  Type fixed = Type::kNone;
  bool destination = false;
  bool second = false;     // behind a '|'
  bool optional = false;   // filled when there are operands enough
  bool combined = false;   // stands exactly where a combination does
  bool wider = false;      // the register may be wider than the type
  bool negatable = false;  // !p
};

struct Form {
  std::string_view mnemonic;
  Opcode opcode = Opcode::kRet;
  std::vector<ModifierSlot> modifiers;
  std::vector<OperandSlot> operands;
};

const std::vector<Form>& forms();  // in the order of the mnemonics; those of one mnemonic follow each other

// Range of forms() with this mnemonic; empty where it is unknown.
struct FormRange {
  std::size_t first = 0;
  std::size_t end = 0;
};
FormRange forms_of(std::string_view mnemonic);
const std::vector<std::string>& mnemonics();

// The type of an operand, by its slot.
Type type_of(const OperandSlot& slot, const Statement& statement);

// The number that stands for the word in its field; false where the field has no such word.
bool value_of(Field field, std::string_view word, std::uint16_t& value);
void set(Statement& statement, Field field, std::uint16_t value);

namespace detail {
// A row of the table as it is written, form_rows.cpp says how.
struct FormRow {
  const char* mnemonic;
  Opcode opcode;
  const char* modifiers;
  const char* operands;
};
struct FormRows {
  const FormRow* first;
  const FormRow* last;
  const FormRow* begin() const { return first; }
  const FormRow* end() const { return last; }
};
FormRows form_rows();
// What "@name" stands for in a row's modifiers.
std::string_view word_set(std::string_view name);
}  // namespace detail

}  // namespace heddle::ptx
