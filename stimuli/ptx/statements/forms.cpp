#include "stimuli/ptx/statements/forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "models/core/base/check.h"

namespace heddle::ptx {
namespace {

struct FieldName {
  std::string_view name;
  Field field;
};
constexpr FieldName kFields[] = {
    {"type", Field::kType},
    {"source", Field::kSource},
    {"other", Field::kOther},
    {"rounding", Field::kRounding},
    {"comparison", Field::kComparison},
    {"combination", Field::kCombination},
    {"variant", Field::kVariant},
    {"component", Field::kComponent},
    {"bounds", Field::kBounds},
    {"space", Field::kSpace},
    {"ordering", Field::kOrdering},
    {"scope", Field::kScope},
    {"cache", Field::kCache},
    {"eviction", Field::kEviction},
    {"prefetch", Field::kPrefetch},
    {"width", Field::kWidth},
    {"shape", Field::kShape},
    {"layout", Field::kLayout},
    {"other_layout", Field::kOtherLayout},
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool cut_end(std::string_view& text, char end) {
  if (text.empty() || text.back() != end) return false;
  text.remove_suffix(1);
  return true;
}

bool cut_start(std::string_view& text, char start) {
  if (text.empty() || text.front() != start) return false;
  text.remove_prefix(1);
  return true;
}

Field field_of(std::string_view name) {
  for (const FieldName& row : kFields)
    if (row.name == name) return row.field;
  return Field::kLiteral;
}

ModifierSlot modifier_slot(std::string_view text) {
  ModifierSlot slot;
  slot.optional = cut_end(text, '?');
  if (cut_start(text, '@')) text = detail::word_set(text);
  // A word may contain "::".
  const std::size_t colon = text.find(':');
  const bool has_field = colon != std::string_view::npos && text[colon + 1] != ':';
  std::uint32_t value = 0;
  if (has_field)
    slot.field = field_of(text.substr(0, colon));
  else
    slot.field = value_of(Field::kFlag, text, value) ? Field::kFlag : Field::kLiteral;
  for (const std::string_view word : split(has_field ? text.substr(colon + 1) : text, '|')) {
    const bool known = value_of(slot.field, word, value);
    HEDDLE_CHECK(known, "ptx forms", Cycle{0}, "field without the word {}", word);
    slot.words.push_back({std::string(word), value});
  }
  HEDDLE_CHECK(!slot.words.empty(), "ptx forms", Cycle{0}, "a slot without words");
  return slot;
}

void set_type(OperandSlot& slot, std::string_view name) {
  constexpr std::pair<std::string_view, TypeRule> kRules[] = {
      {"T", TypeRule::kType}, {"S", TypeRule::kSource}, {"O", TypeRule::kOther}, {"W", TypeRule::kWide}};
  constexpr std::pair<std::string_view, Role> kRoles[] = {
      {"V", Role::kElements},      {"M", Role::kMove},
      {"mem", Role::kMemory},      {"shared", Role::kSharedMemory},
      {"pointer", Role::kPointer}, {"variable", Role::kVariable},
      {"handle", Role::kHandle},   {"coordinates", Role::kCoordinates},
      {"matrix", Role::kMatrix},   {"label", Role::kLabel},
      {"call", Role::kCall}};
  constexpr std::pair<std::string_view, Fragment> kFragments[] = {{"fragment", Fragment::kNamed},
                                                                  {"A", Fragment::kA},
                                                                  {"B", Fragment::kB},
                                                                  {"C", Fragment::kC},
                                                                  {"D", Fragment::kD}};
  for (const auto& [known, fragment] : kFragments) {
    if (known != name) continue;
    slot.role = Role::kFragment;
    slot.fragment = fragment;
    return;
  }
  for (const auto& [known, role] : kRoles) {
    if (known != name) continue;
    slot.role = role;
    slot.wider = role == Role::kElements;
    if (role == Role::kMatrix) slot.fragment = Fragment::kA;
    return;
  }
  for (const auto& [known, rule] : kRules) {
    if (known != name) continue;
    slot.rule = rule;
    return;
  }
  slot.rule = TypeRule::kFixed;
  slot.fixed = type_of(name);
  HEDDLE_CHECK(slot.fixed != Type::kNone, "ptx forms", Cycle{0}, "an operand without a type");
}

void add_operand_slots(std::vector<OperandSlot>& slots, std::string_view text) {
  const bool destination = cut_start(text, '=');
  bool second = false;
  for (std::string_view part : split(text, '|')) {
    OperandSlot slot;
    slot.destination = destination;
    slot.second = second;
    slot.optional = cut_end(part, '?');
    slot.combined = cut_end(part, '&');
    slot.wider = cut_start(part, '~');
    slot.negatable = cut_start(part, '!');
    slot.number = cut_start(part, '#');
    slot.selects = cut_start(part, '%');
    set_type(slot, part);
    slots.push_back(slot);
    second = true;
  }
}

Form compile(const detail::FormRow& row) {
  Form form;
  form.mnemonic = row.mnemonic;
  form.opcode = row.opcode;
  for (const std::string_view slot : split(row.modifiers, ' ')) form.modifiers.push_back(modifier_slot(slot));
  for (const std::string_view slot : split(row.operands, ' ')) add_operand_slots(form.operands, slot);
  return form;
}

}  // namespace

struct FormTable::Slot {
  std::once_flag once;
  Form form;
};

FormTable::FormTable()
    : size_(static_cast<std::size_t>(detail::form_rows().end() - detail::form_rows().begin())),
      slots_(new Slot[size_]) {
  const auto is_before = [](const detail::FormRow& a, const detail::FormRow& b) {
    return std::string_view(a.mnemonic) < b.mnemonic;
  };
  const detail::FormRows rows = detail::form_rows();
  HEDDLE_CHECK(std::is_sorted(rows.begin(), rows.end(), is_before), "ptx forms", Cycle{0}, "out of order");
}

FormTable::~FormTable() = default;

const Form& FormTable::operator[](std::size_t index) const {
  Slot& slot = slots_[index];
  std::call_once(slot.once, [&] { slot.form = compile(detail::form_rows().begin()[index]); });
  return slot.form;
}

const FormTable& forms() {
  static const FormTable table;
  return table;
}

std::string text_of(const Form& form) {
  std::string text(form.mnemonic);
  for (const ModifierSlot& slot : form.modifiers) {
    std::vector<std::string> words;
    for (const Word& word : slot.words) words.emplace_back(word.text);
    // Of the many shapes of wgmma the first three and the last one show the rest.
    if (words.size() > 16) {
      words.erase(words.begin() + 3, words.end() - 1);
      words.insert(words.end() - 1, "...");
    }
    const std::string all = fmt::format("{}", fmt::join(words, ", "));
    const std::string one = words.size() > 1 ? fmt::format(".({})", all) : fmt::format(".{}", all);
    text += slot.optional ? fmt::format("{{{}}}", one) : one;
  }
  return text;
}

FormRange forms_of(std::string_view mnemonic) {
  struct Less {
    bool operator()(const detail::FormRow& row, std::string_view name) const { return row.mnemonic < name; }
    bool operator()(std::string_view name, const detail::FormRow& row) const { return name < row.mnemonic; }
  };
  const detail::FormRows all = detail::form_rows();
  const auto [first, end] = std::equal_range(all.begin(), all.end(), mnemonic, Less{});
  return {static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(end - all.begin())};
}

const std::vector<std::string>& mnemonics() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const detail::FormRow& row : detail::form_rows())
      if (names.empty() || names.back() != row.mnemonic) names.emplace_back(row.mnemonic);
    return names;
  }();
  return all;
}

Type type_of(const OperandSlot& slot, const Statement& statement) {
  switch (slot.rule) {
    case TypeRule::kType:
      return statement.type;
    case TypeRule::kSource:
      return statement.source_type;
    case TypeRule::kOther:
      return statement.other_type;
    case TypeRule::kWide:
      return twice_as_wide(statement.type);
    case TypeRule::kFixed:
      break;
  }
  return slot.fixed;
}

}  // namespace heddle::ptx
