#pragma once
// The table of implemented PTX instructions. A form lists the modifiers of one spelling of an opcode, in
// their order, and its operands. The reader accepts statements that match a form and refuses all others.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/ptx/statements/matrix.h"
#include "stimuli/ptx/statements/statement.h"

namespace heddle::ptx {

enum class Field : std::uint8_t {
  kLiteral,  // a required word without a value, as sync of bar.sync
  kFlag,
  kType,
  kSource,
  kOther,
  kRounding,
  kComparison,
  kCombination,
  kVariant,
  kComponent,
  kBounds,
  kSpace,
  kOrdering,
  kScope,
  kCache,
  kEviction,
  kPrefetch,
  kWidth,
  kShape,
  kLayout,
  kOtherLayout,
};

struct Word {
  std::string text;         // "ftz", "L2::128B"
  std::uint32_t value = 0;  // value of the field
};

// A modifier is one of the words; an optional one may be absent.
struct ModifierSlot {
  Field field = Field::kLiteral;
  bool optional = false;
  std::vector<Word> words;
};

enum class Role : std::uint8_t {
  kValue,         // a register; sources may be immediates or special registers
  kElements,      // a vector of the elements that .v2 or .v4 states; one value without them
  kMove,          // mov: a value, the address of a variable, or a vector that packs or unpacks one value
  kMemory,        // [address]
  kSharedMemory,  // [address] in shared memory, whatever the statement's space
  kPointer,       // a register that holds an address
  kVariable,      // a register, or the address of a variable
  kHandle,        // a texture, a surface or a tensor map: the first part of "[handle, coordinates]"
  kCoordinates,   // the second part
  kFragment,      // a vector of the registers of a matrix's fragment
  kMatrix,        // the same, or a register of 64 bits with the descriptor of a matrix in shared memory
  kLabel,         // the label becomes Statement::target and no operand
  kCall,          // (returns), function, (parameters)
};

// The type of an operand follows from the statement's types, or it is fixed.
enum class TypeRule : std::uint8_t { kType, kSource, kOther, kWide, kFixed };

struct OperandSlot {
  Role role = Role::kValue;
  TypeRule rule = TypeRule::kType;
  Type fixed = Type::kNone;
  Fragment fragment = Fragment::kNamed;
  bool destination = false;
  bool second = false;     // follows a '|'
  bool optional = false;   // present if there are enough operands
  bool combined = false;   // present exactly when the statement has a combination
  bool wider = false;      // the register may be wider than the type
  bool negatable = false;  // !p
  bool number = false;     // no register
  bool selects = false;    // a video instruction may select a part of the register
};

struct Form {
  std::string_view mnemonic;
  Opcode opcode = Opcode::kRet;
  std::vector<ModifierSlot> modifiers;
  std::vector<OperandSlot> operands;
};

// All forms, sorted by mnemonic. A form is made of its row when it is first asked for: a program uses few of
// them.
class FormTable {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Form;
    using difference_type = std::ptrdiff_t;
    using pointer = const Form*;
    using reference = const Form&;

    Iterator(const FormTable* table, std::size_t index) : table_(table), index_(index) {}
    const Form& operator*() const { return (*table_)[index_]; }
    const Form* operator->() const { return &(*table_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator+(std::size_t count) const { return {table_, index_ + count}; }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const FormTable* table_;
    std::size_t index_;
  };

  FormTable();
  ~FormTable();
  std::size_t size() const { return size_; }
  const Form& operator[](std::size_t index) const;  // several threads may ask
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  struct Slot;
  std::size_t size_;
  std::unique_ptr<Slot[]> slots_;
};
const FormTable& forms();

// Returns a form as text: "add{.ftz}.(f32, f64)" has an optional modifier and one of two.
std::string text_of(const Form& form);

// The range of forms() of one mnemonic. It is empty for an unknown mnemonic.
struct FormRange {
  std::size_t first = 0;
  std::size_t end = 0;
};
FormRange forms_of(std::string_view mnemonic);
const std::vector<std::string>& mnemonics();

// Returns the type of the operand in the slot.
Type type_of(const OperandSlot& slot, const Statement& statement);

// Sets the value of the word in the field. Returns false if the field has no such word.
bool value_of(Field field, std::string_view word, std::uint32_t& value);
void set(Statement& statement, Field field, std::uint32_t value);

namespace detail {
// A row of the table as text; form_rows.cpp defines the notation.
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
FormRows form_rows();  // all rows, sorted by mnemonic
FormRows asynchronous_rows();
// Returns the words that "@name" stands for in the modifiers of a row.
std::string_view word_set(std::string_view name);
}  // namespace detail

}  // namespace heddle::ptx
