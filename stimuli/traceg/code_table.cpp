#include "stimuli/traceg/code_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/core/kernel/copy_groups.h"
#include "stimuli/traceg/line_scanner.h"

namespace heddle {

namespace {

constexpr std::size_t kMaskDigits = 8;
constexpr std::uint32_t kZeroRegister = 255;  // it reads as zero, and writes to it have no effect
constexpr std::uint64_t kMostBytes = 16;      // the widest access of a lane
constexpr std::size_t kMostDestinations = 4;  // of an instruction of a trace
constexpr std::size_t kMostSources = 8;
constexpr std::size_t kMostName = 120;  // characters of a kernel's name in a message

std::uint32_t parse_mask(LineScanner& line) {
  line.at_end();  // at_end() skips spaces
  const char* start = line.at();
  const std::uint64_t mask = line.hexadecimal("an active mask");
  if (line.at() - start != kMaskDigits) line.bad("an active mask of 8 digits", start);
  return static_cast<std::uint32_t>(mask);
}

std::uint32_t parse_pc(LineScanner& line) {
  const char* start = line.at();
  const std::uint64_t pc = line.hexadecimal("a PC");
  if (pc > 0xffffffffU) line.bad("a PC of at most 32 bits", start);
  return static_cast<std::uint32_t>(pc);
}

// Parses a count and registers, as in "2 R4 R7", and calls use(id) for each register except the zero
// register.
template <class Use>
void parse_registers(const TextSource& source, LineScanner& line, const char* count_of, std::size_t most,
                     Use use) {
  const std::uint64_t count = line.decimal(count_of, most);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view word = line.word("a register");
    std::uint32_t number = 0;
    bool good = word[0] == 'R' && word.size() >= 2 && word.size() <= 5;
    for (std::size_t c = 1; good && c < word.size(); ++c) {
      good = word[c] >= '0' && word[c] <= '9';
      number = number * 10 + static_cast<std::uint32_t>(word[c] - '0');
    }
    if (!good) line.bad("a register", word.data());
    if (number >= kRegisterNames)
      source.fail(fmt::format("register R{}; the last is R{}", number, kRegisterNames - 1));
    if (number != kZeroRegister) use(static_cast<RegisterId>(number));
  }
}

// A wait leaves the `newest` newest closed groups of copies under way, and the open one.
std::uint8_t groups_left(std::int64_t newest) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(newest, 0, CopyGroups::kGroups - 1) + 1);
}

}  // namespace

CodeText& CodeTable::search(const TextSource& source, const char* text, std::uint32_t guess) {
  LineScanner line(source, text);
  const std::uint32_t pc = parse_pc(line);
  const std::uint32_t mask = parse_mask(line);
  const char* rest = line.at();
  const auto before_rest = static_cast<std::size_t>(rest - text);
  const auto matches = [&](const CodeText& entry) {
    return entry.pc == pc && entry.mask_at + kMaskDigits == before_rest &&
           std::memcmp(rest, entry.text.data() + before_rest, entry.length - before_rest) == 0;
  };
  std::uint32_t found = guess;
  if (guess == kNone || !matches(texts_[guess])) {
    const auto first = at_pc_.find(pc);
    found = first == at_pc_.end() ? kNone : first->second;
    while (found != kNone && !matches(texts_[found])) found = texts_[found].other;
  }
  if (found == kNone) return learn(source, text);
  CodeText& entry = texts_[found];
  std::memcpy(entry.text.data(), text, before_rest);
  entry.mask = mask;
  return entry;
}

SassOpcode CodeTable::opcode_of(const TextSource& source, std::string_view name) const {
  const auto opcode = find_opcode(header_.generation, name.substr(0, name.find('.')));
  if (!opcode) source.fail(fmt::format("{} has no opcode {}", name_of(header_.generation), quote(name)));
  if (opcode->unmodelled != nullptr)
    source.fail(fmt::format("kernel {} has the opcode {} of {}, of which there is no model",
                            quote(header_.kernel_name, kMostName), quote(name), opcode->unmodelled));
  return *opcode;
}

CodeText& CodeTable::learn(const TextSource& source, const char* text) {
  if (texts_.size() == kMostEntries)
    source.fail(fmt::format("more than {} different instructions in one kernel", kMostEntries));
  LineScanner line(source, text);
  CodeText entry;
  Instruction code;
  entry.pc = code.pc = parse_pc(line);
  entry.mask = parse_mask(line);
  entry.mask_at = static_cast<std::uint16_t>(line.at() - text - static_cast<std::ptrdiff_t>(kMaskDigits));
  parse_registers(source, line, "the number of destinations", kMostDestinations,
                  [&](RegisterId id) { code.writes(id); });
  const std::string_view name = line.word("an opcode");
  const SassOpcode opcode = opcode_of(source, name);
  parse_registers(source, line, "the number of sources", kMostSources,
                  [&](RegisterId id) { code.reads(id); });
  const std::uint64_t width = line.decimal("the width of the memory access", 255);
  code.operation = opcode.operation;
  code.space = opcode.space;
  entry.has_addresses = width != 0;
  entry.is_memory = is_memory(opcode.operation);
  entry.generic = opcode.generic;
  entry.copies = code.asynchronous = opcode.copies;
  if (entry.is_memory) {
    const std::uint8_t stated = opcode.matrices ? kMatrixRowBytes : bytes_of_modifiers(name);
    if (stated == 0 && width > kMostBytes)
      source.fail(fmt::format("an access of {} bytes a lane; the most is {}", width, kMostBytes));
    code.bytes = stated != 0 ? stated : static_cast<std::uint8_t>(width != 0 ? width : 4);
    code.bypass_l1 = bypasses_l1(name);
    if (opcode.matrices) entry.lanes >>= kLanes - rows_of_matrices(name);
  }
  std::int64_t immediate = 0;
  if (!entry.has_addresses && header_.has_immediate()) immediate = line.signed_decimal("an immediate");
  if (code.operation == Operation::kCopyWait) code.copy_groups = groups_left(immediate);
  const char* end = entry.has_addresses ? line.at() : line.end();
  if (entry.has_addresses && *end != ' ') line.bad("addresses", end);
  const auto length = static_cast<std::size_t>(end - text);
  if (length > CodeText::kMost)
    source.fail(fmt::format("an instruction of more than {} characters", CodeText::kMost));
  entry.length = static_cast<std::uint16_t>(length);
  std::memcpy(entry.text.data(), text, length);

  std::uint32_t others = 0;
  const auto [first, fresh] = at_pc_.emplace(entry.pc, kNone);
  for (std::uint32_t i = first->second; i != kNone; i = texts_[i].other) ++others;
  if (others == kMostAtOnePc)
    source.fail(fmt::format("more than {} different instructions at PC {:04x}", kMostAtOnePc, entry.pc));
  entry.other = first->second;
  entry.next = first->second = static_cast<std::uint32_t>(texts_.size());
  entry.instruction = {add(code), kNone, kNone};
  entry.phase = phases_.phase_of(entry.pc);
  entry.specifier = kNone;
  texts_.push_back(entry);
  return texts_.back();
}

std::uint32_t CodeTable::in_space(CodeText& entry, MemorySpace space) {
  if (space == MemorySpace::kGlobal) return entry.instruction[0];
  std::uint32_t& index = entry.instruction[space == MemorySpace::kShared ? 1 : 2];
  if (index == kNone) {
    Instruction code = instruction(entry.instruction[0]);
    code.space = space;
    if (entry.copies) {  // the side that is written
      code.operation = Operation::kStore;
      code.asynchronous = false;
    }
    index = add(code);
  }
  return index;
}

std::uint32_t CodeTable::specifier_of(CodeText& entry) {
  if (entry.specifier == kNone) {
    // A trace has no PC for a phase specifier. The specifier has the PC of the instruction that it precedes.
    Instruction code;
    code.pc = entry.pc;
    code.operation = Operation::kPhase;
    code.phase = entry.phase;
    entry.specifier = add(code);
  }
  return entry.specifier;
}

void CodeTable::clear() {
  texts_.clear();
  at_pc_.clear();
  instructions_.clear();
  count_ = 0;
}

std::uint32_t CodeTable::add(const Instruction& instruction) {
  if (count_ % kChunk == 0) instructions_.push_back(std::make_unique<Instruction[]>(kChunk));
  instructions_.back()[count_ % kChunk] = instruction;
  return count_++;
}

}  // namespace heddle
