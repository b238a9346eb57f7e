#include "stimuli/traceg/stored_code.h"

#include <cstring>
#include <vector>

#include "models/core/config/config.h"

namespace heddle {

namespace {

// The code has a StoredInstruction for each Instruction, in the order of their indices. Where `kind` is
// kText, the text follows.
struct StoredInstruction {
  enum Kind : std::uint8_t { kText, kShared, kLocal, kSpecifier };
  enum Flag : std::uint8_t { kHasAddresses = 1, kIsMemory = 2, kGeneric = 4 };

  std::uint8_t kind = kText;
  std::uint8_t flags = 0;    // kText: how the lines of the text are read
  std::uint16_t length = 0;  // kText: bytes of the text
  std::uint32_t text = 0;    // the text's number
};
static_assert(sizeof(StoredInstruction) == 8);

std::uint8_t flags_of(const CodeText& text) {
  return static_cast<std::uint8_t>((text.has_addresses ? StoredInstruction::kHasAddresses : 0) |
                                   (text.is_memory ? StoredInstruction::kIsMemory : 0) |
                                   (text.generic ? StoredInstruction::kGeneric : 0));
}

std::vector<StoredInstruction> instructions_of(const CodeTable& codes) {
  std::vector<StoredInstruction> all(codes.instructions());
  std::uint32_t number = 0;
  for (const CodeText& text : codes.texts()) {
    all[text.instruction[0]] = {StoredInstruction::kText, flags_of(text), text.length, number};
    const auto note = [&](std::uint32_t index, StoredInstruction::Kind kind) {
      if (index != CodeTable::kNone) all[index] = {kind, 0, 0, number};
    };
    note(text.instruction[1], StoredInstruction::kShared);
    note(text.instruction[2], StoredInstruction::kLocal);
    note(text.specifier, StoredInstruction::kSpecifier);
    ++number;
  }
  return all;
}

class CodeRestorer {
 public:
  CodeRestorer(const TextSource& source, const std::string& stored, CodeTable& codes)
      : source_(source), stored_(stored), codes_(codes) {}

  bool restore() {
    while (at_ < stored_.size())
      if (!restore_next()) return false;
    return true;
  }

 private:
  bool restore_next() {
    StoredInstruction next;
    if (stored_.size() - at_ < sizeof next) return false;
    std::memcpy(&next, stored_.data() + at_, sizeof next);
    at_ += sizeof next;
    if (next.kind == StoredInstruction::kText) return restore_text(next);
    if (next.text >= codes_.texts().size()) return false;
    const std::uint32_t index = codes_.instructions();
    CodeText& text = codes_.text(next.text);
    if (next.kind == StoredInstruction::kSpecifier) return codes_.specifier_of(text) == index;
    if (!text.generic) return false;
    const bool is_shared = next.kind == StoredInstruction::kShared;
    return codes_.in_space(text, is_shared ? MemorySpace::kShared : MemorySpace::kLocal) == index;
  }

  bool restore_text(const StoredInstruction& next) {
    if (stored_.size() - at_ < next.length) return false;
    // What follows the text in its line does not matter, but that it ends.
    const std::string line = stored_.substr(at_, next.length) + " \n";
    at_ += next.length;
    const CodeText& text = codes_.learn(source_, line.c_str());
    return text.length == next.length && flags_of(text) == next.flags;
  }

  const TextSource& source_;
  const std::string& stored_;
  CodeTable& codes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string stored_code_of(const CodeTable& codes) {
  std::string stored;
  for (const StoredInstruction& one : instructions_of(codes)) {
    stored.append(reinterpret_cast<const char*>(&one), sizeof one);
    if (one.kind == StoredInstruction::kText) stored.append(codes.texts()[one.text].text.data(), one.length);
  }
  return stored;
}

bool restore_code(const TextSource& source, const std::string& stored, CodeTable& codes) {
  bool is_restored = false;
  try {
    is_restored = CodeRestorer(source, stored, codes).restore();
  } catch (const config::Error&) {
    // This program does not know an instruction any more. The text of the trace has its place for the error.
  }
  if (!is_restored) codes.clear();
  return is_restored;
}

}  // namespace heddle
