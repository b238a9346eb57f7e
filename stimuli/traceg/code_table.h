#pragma once
// The code of a traced kernel, learnt from its lines: one entry for each text at each PC. Most lines are
// recognised by comparing them with the text that stood after the previous line the last time.

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/traceg/header.h"
#include "stimuli/traceg/text_source.h"

namespace heddle {

// The text of an instruction from its PC to the end of the line or, where addresses follow, to their width.
// Only the mask changes from line to line.
struct CodeText {
  static constexpr std::size_t kMost = TextSource::kSlack - 16;  // bytes; longer instructions are errors

  std::array<char, kMost> text;
  std::uint16_t length = 0;   // up to and with the '\n', or the space after the width
  std::uint16_t mask_at = 0;  // of its 8 digits
  bool has_addresses = false;
  bool is_memory = false;
  bool generic = false;  // one instruction for each space its addresses lie in
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;   // as `text` has it
  std::uint32_t next = 0;   // the entry that followed last
  std::uint32_t other = 0;  // the next entry with the same PC, or kNone
  // Index of the Instruction; of a generic one in global, shared and local memory, kNone while not seen.
  std::array<std::uint32_t, 3> instruction{};
};

class CodeTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMostEntries = std::uint32_t{1} << 18U;
  static constexpr std::uint32_t kMostAtOnePc = 256;

  explicit CodeTable(const TraceHeader& header) : header_(header) {}

  // The entry of the line at `text` (from its PC on) with its mask, where `guess` (an index or kNone) is
  // likely. The reference holds until the next call. Errors are those of `source`'s line.
  CodeText& find(const TextSource& source, const char* text, std::uint32_t guess) {
    if (guess != kNone) {
      CodeText& likely = texts_[guess];
      if (std::memcmp(text, likely.text.data(), likely.length) == 0) return likely;
    }
    return search(source, text, guess);
  }

  // Remembers that `entry` stood after entry `previous` (an index or kNone); gives the index of `entry`.
  std::uint32_t follow(std::uint32_t previous, const CodeText& entry) {
    const auto index = static_cast<std::uint32_t>(&entry - texts_.data());
    if (previous != kNone) texts_[previous].next = index;
    return index;
  }

  // The Instruction of a generic entry in `space`.
  std::uint32_t in_space(CodeText& entry, MemorySpace space);

  const Instruction& instruction(std::uint32_t index) const {
    return instructions_[index / kChunk][index % kChunk];
  }

 private:
  static constexpr std::uint32_t kChunk = 256;

  CodeText& search(const TextSource& source, const char* text, std::uint32_t guess);
  CodeText& learn(const TextSource& source, const char* text);
  std::uint32_t add(const Instruction& instruction);

  const TraceHeader& header_;
  std::vector<CodeText> texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> at_pc_;    // the first entry
  std::vector<std::unique_ptr<Instruction[]>> instructions_;  // pointers to them last
  std::uint32_t count_ = 0;                                   // of instructions_
};

}  // namespace heddle
