#pragma once
// This file has the code of a traced kernel, which is collected from the lines of its trace: one entry for
// each text at each PC. Most lines are found with one comparison, because a line mostly repeats the text that
// followed the previous line the last time.

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/traceg/header.h"
#include "stimuli/traceg/line_scanner.h"
#include "stimuli/traceg/machine_code.h"
#include "stimuli/traceg/text_source.h"
#include "stimuli/traceg/trace_phases.h"

namespace heddle {

// A CodeText has the text of an instruction, from its PC to the end of the line or, if addresses follow, to
// the width of the access. Two lines of one instruction differ only in the active mask.
struct CodeText {
  static constexpr std::size_t kMost = TextSource::kSlack - 16;  // bytes; a longer instruction is an error

  std::array<char, kMost> text;
  std::uint16_t length = 0;   // bytes, up to and with the '\n', the width, or what values of registers follow
  std::uint16_t mask_at = 0;  // offset of the 8 digits of the mask
  bool has_addresses = false;
  bool is_memory = false;
  bool is_control = false;  // see SassOpcode
  bool is_plain = false;    // neither of these
  bool generic = false;     // it has an Instruction for each memory space
  bool copies = false;      // from global to shared memory; the addresses are those of one side
  std::uint8_t phase = 0;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;                   // the mask in `text`
  std::uint32_t lanes = ~std::uint32_t{0};  // those whose addresses the instruction accesses
  std::uint32_t next = 0;                   // the entry that followed this one the last time
  std::uint32_t other = 0;                  // the next entry with the same PC, or kNone
  // The index of the Instruction. A generic one has indices for global, shared and local memory; an index is
  // kNone until an access to that space was read.
  std::array<std::uint32_t, 3> instruction{};
  std::uint32_t specifier = 0;  // the index of the specifier of its phase, or kNone until one was issued
};

// Checks the end of a line of a tracer with values after its first immediate: a second immediate, and "NoVal"
// or "Val" and the values. Returns the start of the next line.
const char* read_values(LineScanner& line);

class CodeTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMostEntries = std::uint32_t{1} << 18U;
  static constexpr std::uint32_t kMostAtOnePc = 256;

  // The arguments must outlive the table. Instructions get their control bits from `machine_code`. If it is
  // null, they have no control bits.
  CodeTable(const TraceHeader& header, const TracePhases& phases, const SassKernel* machine_code = nullptr)
      : header_(header), phases_(phases), machine_code_(machine_code) {}

  // Returns the entry of the line at `text`, which starts with the PC, and sets the entry's mask. `guess` is
  // the index of the likely entry, or kNone. The reference is valid until the next call. Errors name the
  // present line of `source`.
  CodeText& find(const TextSource& source, const char* text, std::uint32_t guess) {
    if (guess != kNone) {
      CodeText& likely = texts_[guess];
      if (std::memcmp(text, likely.text.data(), likely.length) == 0) return likely;
    }
    return search(source, text, guess);
  }

  // Notes that `entry` follows the entry `previous`, an index or kNone. Returns the index of `entry`.
  std::uint32_t follow(std::uint32_t previous, const CodeText& entry) {
    const auto index = static_cast<std::uint32_t>(&entry - texts_.data());
    if (previous != kNone) texts_[previous].next = index;
    return index;
  }

  // Returns the index of the Instruction of a generic entry in `space`: global, shared or local memory.
  std::uint32_t in_space(CodeText& entry, MemorySpace space);

  // Returns the index of the phase specifier that a warp executes before this entry of the code.
  std::uint32_t specifier_of(CodeText& entry);

  const Instruction& instruction(std::uint32_t index) const {
    return instructions_[index / kChunk][index % kChunk];
  }
  std::uint32_t instructions() const { return count_; }  // the number of them

  // Returns a message about the first instruction whose control bits let it issue before an earlier
  // instruction has written a register that it reads. The message is empty if there is no such instruction.
  const std::string& early_read() const { return early_read_; }

  // Adds an entry for the line at `text`, which the table does not have, as find() does.
  CodeText& learn(const TextSource& source, const char* text);
  CodeText& text(std::uint32_t index) { return texts_[index]; }  // by the order in which they were added
  const std::vector<CodeText>& texts() const { return texts_; }
  void clear();

 private:
  static constexpr std::uint32_t kChunk = 256;

  CodeText& search(const TextSource& source, const char* text, std::uint32_t guess);
  SassOpcode opcode_of(const TextSource& source, std::string_view name) const;
  const char* read_end(LineScanner& line, const CodeText& entry, Instruction& code) const;
  void add_control(const TextSource& source, Instruction& code) const;
  void check_stalls(const Instruction& code);
  CodeText& insert(const TextSource& source, CodeText& entry, const Instruction& code);
  std::uint32_t add(const Instruction& instruction);

  const TraceHeader& header_;
  const TracePhases& phases_;
  const SassKernel* const machine_code_;
  std::string early_read_;
  std::vector<CodeText> texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> at_pc_;    // by PC: the latest entry
  std::vector<std::unique_ptr<Instruction[]>> instructions_;  // in chunks: pointers to them last
  std::uint32_t count_ = 0;                                   // of instructions_
};

}  // namespace heddle
