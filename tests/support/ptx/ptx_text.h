#pragma once
// PTX text for tests: a kernel around a body, and instructions made from the forms of the instruction table.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/statements/forms.h"
#include "stimuli/ptx/statements/video.h"

namespace heddle::ptx {

constexpr std::uint32_t kBodyLine = 8;  // the line of the kernel at which its body starts

// Returns a kernel `k` around the body. It has registers %b16_0 .. %b16_7 and so on for every type, and
// predicates %pred_0 .. %pred_7. Its parameters are `p` (u64), `n` (u32) and `q` (64 bytes). Its variables g,
// c, s, l and t are in .global, .const, .shared, .local and .texref, and u is in .surfref.
inline std::string kernel(const std::string& body) {
  std::string text = ".version 7.8\n.target sm_75\n.address_size 64\n";
  text +=
      ".global .align 16 .b8 g[64]; .const .align 16 .b8 c[64]; .shared .align 16 .b8 s[64]; "
      ".global .texref t; .global .surfref u; .func f(.param .b32 a) { ret; }\n";
  text +=
      ".visible .entry k(.param .u64 p, .param .u32 n, .param .align 16 .b8 q[64]) {\n.local .align 16 .b8 "
      "l[64];";
  for (const char* type :
       {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "f16x2", "f32", "f64", "pred"})
    text += std::string(" .reg .") + type + " %" + type + "_<8>;";
  return text + "\nLABEL:\n" + body + "\nret;\n}\n";
}

inline Module parse(const std::string& text) {
  return parse_module(text, "t.ptx");
}

inline const Function& function_of(const Module& module, const std::string& name) {
  for (const Function& function : module.functions)
    if (function.name == name) return function;
  throw std::runtime_error("no function " + name);
}

// One spelling of an instruction, with the statement that the reader must return for it.
struct Sample {
  std::string text;
  Statement wanted;
  std::vector<std::string> words;  // the modifiers
};

inline std::string register_for(Type type, std::uint32_t number) {
  std::string name = name_of(type);
  if (bytes_of(type) == 1 && type != Type::kPred) name = "b16";  // arithmetic has no registers of 8 bits
  if (type == Type::kBf16 || type == Type::kBf16x2 || type == Type::kTf32)
    name = bytes_of(type) == 2 ? "b16" : "b32";
  return "%" + name + "_" + std::to_string(number);
}

inline std::string braces(Type type, std::uint32_t count, std::uint32_t& number) {
  std::string text = "{";
  for (std::uint32_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + register_for(type, number++ % 8);
  return text + "}";
}

inline std::string variable_in(Space space) {
  switch (space) {
    case Space::kShared:
      return "s";
    case Space::kConst:
      return "c";
    case Space::kLocal:
      return "l";
    default:
      return "g";
  }
}

// A layer is an index before the coordinates.
inline std::string coordinates(Type type, const Geometry& geometry, std::uint32_t& number) {
  if (!geometry.layered) return braces(type, geometry.elements, number);
  const std::string layer = register_for(Type::kU32, number++ % 8);
  return "{" + layer + ", " + braces(type, geometry.elements - 1U, number).substr(1);
}

// `whole` states whether the statement has its optional operands.
inline std::string operand_for(const OperandSlot& slot, const Statement& fields, bool whole,
                               std::uint32_t& number) {
  const Type type = type_of(slot, fields);
  switch (slot.role) {
    case Role::kElements:
      return fields.width == 1 ? register_for(type, number++ % 8) : braces(type, fields.width, number);
    case Role::kFragment: {
      const FragmentInfo info = info_of(fields, slot.fragment);
      return braces(info.register_type, info.registers, number);
    }
    case Role::kMatrix: {  // the optional operand of wgmma is about a matrix in shared memory
      const FragmentInfo info = info_of(fields, slot.fragment);
      return whole ? register_for(Type::kB64, number++ % 8)
                   : braces(info.register_type, info.registers, number);
    }
    case Role::kMemory:
      return fields.space == Space::kParam ? "[q]" : "[%u64_" + std::to_string(number++ % 8) + "+16]";
    case Role::kSharedMemory:
      return "[%u32_" + std::to_string(number++ % 8) + "]";
    case Role::kPointer:
      return "%u64_1";
    case Role::kVariable:
      return fields.space == Space::kParam ? "%u64_3" : variable_in(fields.space);
    case Role::kHandle:
      if (is_tensor(fields.opcode)) return "[%u64_2";
      return fields.opcode == Opcode::kTex || fields.opcode == Opcode::kTld4 ? "[t" : "[u";
    case Role::kCoordinates: {
      if (is_tensor(fields.opcode)) return braces(Type::kS32, fields.width, number) + "]";
      const Type coordinate = fields.source_type == Type::kNone ? Type::kS32 : fields.source_type;
      return coordinates(coordinate, geometry_of(fields.variant), number) + "]";
    }
    case Role::kLabel:
      return "LABEL";
    case Role::kCall:
      return "f, (%u32_1)";
    default:
      if (slot.number && fields.opcode == Opcode::kWgmmaMma) return "1";
      if (slot.number) return fields.opcode == Opcode::kCopyAsync ? "16" : "7";
      return register_for(type, number++ % 8);
  }
}

inline const Word& word_of(const ModifierSlot& slot, std::size_t turn) {
  return slot.words[turn / 2 % slot.words.size()];
}

// Returns whether a vector of this width exceeds 16 bytes, which is two elements of 64 bits or four of other
// types.
inline bool too_wide(const Form& form, const Word& word, std::size_t turn) {
  for (const ModifierSlot& slot : form.modifiers)
    if (slot.field == Field::kType)
      return word.value * bytes_of(static_cast<Type>(word_of(slot, turn).value)) > 16;
  return false;
}

// Returns whether the instruction with so many registers replaces a part of its last source.
inline bool merges(const Statement& fields, std::uint32_t registers) {
  return video_parts(fields.opcode) == 1 && fields.opcode != Opcode::kVmad &&
         fields.variant == Variant::kNone && registers == 4;
}

// Returns spelling number `turn` of the form. The modifiers vary with the turn. Optional parts are present in
// odd turns only.
inline Sample sample_of(const Form& form, std::size_t turn) {
  Sample sample;
  sample.text = std::string(form.mnemonic);
  for (const ModifierSlot& slot : form.modifiers) {
    if (slot.optional && turn % 2 == 0) continue;
    const bool narrow = slot.field == Field::kWidth && too_wide(form, word_of(slot, turn), turn);
    const Word& word = narrow ? slot.words[0] : word_of(slot, turn);
    set(sample.wanted, slot.field, word.value);
    sample.words.push_back(word.text);
    sample.text += "." + word.text;
  }
  sample.wanted.opcode = form.opcode;
  std::uint32_t number = 0;
  std::string separator = " ";
  for (const OperandSlot& slot : form.operands) {
    if (slot.optional && turn % 2 == 0) continue;
    if (slot.combined && sample.wanted.combination == Combination::kNone) continue;
    sample.text += slot.second ? "|" : separator;
    sample.text += operand_for(slot, sample.wanted, turn % 2 == 1, number);
    separator = ", ";
  }
  if (merges(sample.wanted, number)) sample.text.insert(sample.text.find(','), ".h1");
  sample.text += ";";
  return sample;
}

// Returns the number of turns in which every modifier of every slot occurs.
inline std::size_t turns_of(const Form& form) {
  std::size_t most = 1;
  for (const ModifierSlot& slot : form.modifiers) most = std::max(most, slot.words.size());
  return 2 * most;
}

// Returns whether the field affects only speed, or the order in which other threads see an access, and never
// a result.
inline bool is_result_free(Field field) {
  return field == Field::kCache || field == Field::kEviction || field == Field::kPrefetch ||
         field == Field::kScope || field == Field::kOrdering || field == Field::kLiteral;
}

// An instruction without its operands, and the fields that its modifiers set.
struct Spelling {
  std::string text;
  Statement fields;
};

// Returns all combinations of the modifiers that affect results. Each other modifier occurs in some of the
// combinations.
inline std::vector<Spelling> spellings_of(const Form& form) {
  std::vector<Spelling> all{{std::string(form.mnemonic), {}}};
  all[0].fields.opcode = form.opcode;
  for (const ModifierSlot& slot : form.modifiers) {
    std::vector<Spelling> next;
    const std::size_t choices = slot.words.size() + (slot.optional ? 1 : 0);
    const std::size_t turns = is_result_free(slot.field) && all.size() >= choices ? 1 : choices;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t turn = 0; turn < turns; ++turn) {
        const std::size_t choice = (i + turn) % choices;
        next.push_back(all[i]);
        if (choice == slot.words.size()) continue;
        next.back().text += "." + slot.words[choice].text;
        set(next.back().fields, slot.field, slot.words[choice].value);
      }
    all = std::move(next);
  }
  all.erase(
      std::remove_if(all.begin(), all.end(),
                     [](const Spelling& one) { return one.fields.width * bytes_of(one.fields.type) > 16; }),
      all.end());
  return all;
}

// Returns the spellings of all forms of the mnemonic.
inline std::vector<Spelling> spellings_of(std::string_view mnemonic) {
  std::vector<Spelling> all;
  const FormRange range = forms_of(mnemonic);
  for (std::size_t i = range.first; i < range.end; ++i)
    for (const Spelling& one : spellings_of(forms()[i])) all.push_back(one);
  return all;
}

}  // namespace heddle::ptx
