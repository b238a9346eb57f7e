#include "stimuli/ptx/text/form_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/config_names.h"
#include "models/core/config/config_units.h"

namespace heddle::ptx {
namespace {

const Word* find_word(const ModifierSlot& slot, std::string_view text) {
  for (const Word& word : slot.words)
    if (word.text == text) return &word;
  return nullptr;
}

class Matcher {
 public:
  Matcher(const Form& form, const std::vector<Token>& modifiers) : form_(form), modifiers_(modifiers) {}

  // Matches the modifiers from `at` on with the slots from `slot` on. `chosen_` holds the matched words.
  bool match(std::size_t slot, std::size_t at) {
    furthest_ = std::max(furthest_, at);
    if (slot == form_.modifiers.size()) return at == modifiers_.size();
    const ModifierSlot& wanted = form_.modifiers[slot];
    if (at < modifiers_.size()) {
      if (const Word* word = find_word(wanted, modifiers_[at].text)) {
        chosen_.push_back({wanted.field, word->value});
        if (match(slot + 1, at + 1)) return true;
        chosen_.pop_back();
      }
    }
    return wanted.optional && match(slot + 1, at);
  }

  void apply(Statement& statement) const {
    for (const Choice& choice : chosen_) set(statement, choice.field, choice.value);
  }
  std::size_t furthest() const { return furthest_; }

  // Adds the words that the form accepts at `at`.
  void expected(std::size_t slot, std::size_t from, std::size_t at, std::vector<std::string>& words) const {
    if (slot == form_.modifiers.size()) return;
    const ModifierSlot& wanted = form_.modifiers[slot];
    if (from == at)
      for (const Word& word : wanted.words) words.push_back("." + word.text);
    else if (find_word(wanted, modifiers_[from].text) != nullptr)
      expected(slot + 1, from + 1, at, words);
    if (wanted.optional) expected(slot + 1, from, at, words);
  }

 private:
  struct Choice {
    Field field;
    std::uint32_t value;
  };

  const Form& form_;
  const std::vector<Token>& modifiers_;
  std::vector<Choice> chosen_;
  std::size_t furthest_ = 0;
};

std::vector<std::string> words_of(FormRange range) {
  std::vector<std::string> words;
  for (std::size_t i = range.first; i < range.end; ++i)
    for (const ModifierSlot& slot : forms()[i].modifiers)
      for (const Word& word : slot.words) words.push_back(word.text);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// Returns whether there are any.
bool report_unknown(Cursor& cursor, const Token& mnemonic, const std::vector<Token>& modifiers,
                    FormRange range) {
  const std::vector<std::string> known = words_of(range);
  bool any = false;
  for (const Token& modifier : modifiers) {
    if (std::binary_search(known.begin(), known.end(), modifier.text)) continue;
    any = true;
    cursor.problems().add(modifier.place,
                          fmt::format("{} has no modifier {} here{}", mnemonic.text, shown(modifier),
                                      config::suggestion(modifier.text, known)));
  }
  return any;
}

[[noreturn]] void refuse_misplaced(Cursor& cursor, const Token& mnemonic, const std::vector<Token>& modifiers,
                                   FormRange range) {
  std::size_t furthest = 0;
  std::vector<std::string> expected;
  for (std::size_t i = range.first; i < range.end; ++i) {
    Matcher matcher(forms()[i], modifiers);
    matcher.match(0, 0);
    if (matcher.furthest() > furthest) expected.clear();
    furthest = std::max(furthest, matcher.furthest());
    if (matcher.furthest() == furthest) matcher.expected(0, 0, furthest, expected);
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  std::string before(mnemonic.text);
  for (std::size_t i = 0; i < furthest; ++i) before += "." + std::string(modifiers[i].text);
  const std::string wanted =
      expected.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(expected, ", "));
  if (furthest == modifiers.size())
    cursor.refuse(mnemonic.place, fmt::format("{} is incomplete: expected {}", before, wanted));
  cursor.refuse(modifiers[furthest].place,
                fmt::format("{} cannot follow {}: expected {}", shown(modifiers[furthest]), before, wanted));
}

}  // namespace

void match_form(Cursor& cursor, const Token& mnemonic, const std::vector<Token>& modifiers,
                Statement& statement) {
  const FormRange range = forms_of(mnemonic.text);
  if (range.first == range.end) cursor.refuse_unknown(mnemonic, "opcode", mnemonics());
  for (std::size_t i = range.first; i < range.end; ++i) {
    Matcher matcher(forms()[i], modifiers);
    if (!matcher.match(0, 0)) continue;
    statement.opcode = forms()[i].opcode;
    statement.form = static_cast<std::uint16_t>(i);
    matcher.apply(statement);
    return;
  }
  if (report_unknown(cursor, mnemonic, modifiers, range)) throw Refused{};
  refuse_misplaced(cursor, mnemonic, modifiers, range);
}

}  // namespace heddle::ptx
