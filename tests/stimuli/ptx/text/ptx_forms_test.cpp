// A walk through the table of PTX forms: every described instruction is accepted, and others are refused.

#include "stimuli/ptx/statements/forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/core/config/config.h"
#include "stimuli/ptx/statements/group_product.h"
#include "tests/support/problems.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

std::vector<std::string> problems_of(const std::string& text) {
  return test::problems_of([&] { parse(text); });
}

void expect_same_fields(const Statement& read, const Statement& wanted, const std::string& text) {
  EXPECT_EQ(read.opcode, wanted.opcode) << text;
  EXPECT_EQ(read.type, wanted.type) << text;
  EXPECT_EQ(read.source_type, wanted.source_type) << text;
  EXPECT_EQ(read.other_type, wanted.other_type) << text;
  EXPECT_EQ(read.rounding, wanted.rounding) << text;
  EXPECT_EQ(read.comparison, wanted.comparison) << text;
  EXPECT_EQ(read.combination, wanted.combination) << text;
  EXPECT_EQ(read.variant, wanted.variant) << text;
  EXPECT_EQ(read.bounds, wanted.bounds) << text;
  EXPECT_EQ(read.space, wanted.space) << text;
  EXPECT_EQ(read.ordering, wanted.ordering) << text;
  EXPECT_EQ(read.scope, wanted.scope) << text;
  EXPECT_EQ(read.cache, wanted.cache) << text;
  EXPECT_EQ(read.eviction, wanted.eviction) << text;
  EXPECT_EQ(read.prefetch, wanted.prefetch) << text;
  EXPECT_EQ(read.width, wanted.width) << text;
  EXPECT_EQ(read.flags, wanted.flags) << text;
}

TEST(PtxForms, EverySpellingOfEveryFormIsReadAsThatForm) {
  for (std::size_t index = 0; index < forms().size(); ++index) {
    const Form& form = forms()[index];
    for (std::size_t turn = 0; turn < turns_of(form); ++turn) {
      const Sample sample = sample_of(form, turn);
      const std::string text = kernel(sample.text);
      ASSERT_EQ(problems_of(text), std::vector<std::string>{}) << sample.text;
      const Module module = parse(text);
      const Statement& read = function_of(module, "k").code[0];
      EXPECT_EQ(read.form, index) << sample.text;
      expect_same_fields(read, sample.wanted, sample.text);
      const auto labels = std::count_if(form.operands.begin(), form.operands.end(),
                                        [](const OperandSlot& slot) { return slot.role == Role::kLabel; });
      std::size_t wanted = form.operands.size() - static_cast<std::size_t>(labels);
      if (form.opcode == Opcode::kWgmmaMma) wanted = kGroupOperands;
      EXPECT_EQ(read.operands, wanted) << sample.text;
    }
  }
}

TEST(PtxForms, EveryOpcodeHasAForm) {
  for (std::size_t opcode = 0; opcode < kOpcodes; ++opcode)
    EXPECT_TRUE(std::any_of(forms().begin(), forms().end(), [&](const Form& form) {
      return form.opcode == static_cast<Opcode>(opcode);
    })) << opcode;
}

TEST(PtxForms, AnUnknownModifierAnywhereIsRefusedAtItsPlace) {
  for (const Form& form : forms()) {
    const Sample sample = sample_of(form, 1);
    const std::string::size_type operands = sample.text.find_first_of(" ;");
    std::string::size_type at = form.mnemonic.size();
    for (std::size_t i = 0; i <= sample.words.size(); ++i) {
      std::string text = sample.text;
      text.insert(at, ".bogus9");
      const std::vector<std::string> problems = problems_of(kernel(text));
      ASSERT_EQ(problems.size(), 1u) << text;
      EXPECT_EQ(problems[0].rfind(fmt::format("t.ptx:{}:{}: {} has no modifier '.bogus9' here", kBodyLine,
                                              at + 1, form.mnemonic),
                                  0),
                0u)
          << text << ": " << problems[0];
      if (i < sample.words.size()) at += 1 + sample.words[i].size();
    }
    EXPECT_EQ(at, operands);
  }
}

bool form_takes_two_types(std::string_view mnemonic) {
  const FormRange range = forms_of(mnemonic);
  return std::any_of(forms().begin() + range.first, forms().begin() + range.end, [](const Form& form) {
    return std::any_of(form.modifiers.begin(), form.modifiers.end(),
                       [](const ModifierSlot& slot) { return slot.field == Field::kSource; });
  });
}

TEST(PtxForms, AModifierTwiceIsRefused) {
  for (const Form& form : forms()) {
    const Sample sample = sample_of(form, 1);
    std::string::size_type at = form.mnemonic.size();
    for (const std::string& word : sample.words) {
      std::string text = sample.text;
      text.insert(at, "." + word);
      // Repetitions such as cvt.f32.f32 are forms, and so are words that another form of the opcode has
      // twice. A word may occur twice if two types follow each other.
      const bool typed = type_of(word) != Type::kNone && form_takes_two_types(form.mnemonic);
      if (!typed) {
        EXPECT_EQ(problems_of(kernel(text)).size(), 1u) << text;
      }
      at += 1 + word.size();
    }
  }
}

TEST(PtxForms, AnOperandTooManyOrTooFewIsRefused) {
  for (const Form& form : forms()) {
    if (form.opcode == Opcode::kCall) continue;
    const Sample sample = sample_of(form, 1);
    std::string more = sample.text;
    more.insert(more.size() - 1, form.operands.empty() ? " 1" : ", 1");
    EXPECT_EQ(problems_of(kernel(more)).size(), 1u) << more;
    if (form.operands.empty()) continue;
    const std::string few = sample.text.substr(0, sample.text.find(' ')) + ";";
    EXPECT_EQ(problems_of(kernel(few)).size(), 1u) << few;
  }
}

}  // namespace
}  // namespace heddle::ptx
