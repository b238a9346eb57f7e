#include "stimuli/traceg/code_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/core/base/log.h"
#include "models/core/kernel/copy_groups.h"
#include "stimuli/traceg/line_scanner.h"

namespace heddle {

namespace {

constexpr std::size_t kMaskDigits = 8;
constexpr std::uint64_t kMostBytes = 16;      // the widest access of a lane
constexpr std::size_t kMostDestinations = 4;  // of an instruction; tracers with values name twice as many
constexpr std::size_t kMostSources = 8;
// On all GPUs since Volta at least so many cycles pass between the issue of an instruction with a fixed
// latency and the issue of an instruction that reads its result (Huerta et al., MICRO 2025; Arafa et al.,
// 2019).
constexpr std::uint32_t kLeastLatency = 4;

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

// A RegisterKind describes the registers whose names start with one prefix, such as R4 or UP2.
struct RegisterKind {
  std::string_view prefix;
  std::uint32_t first;  // the RegisterId of number 0
  std::uint32_t names;
  std::uint32_t zero;  // the number of the one that reads as zero, or as true
  bool has_banks;      // its registers are in the register file
};
constexpr RegisterKind kRegister{"R", 0, kRegisterNames, 255, true};
// Kinds that tracers with values name. No thread has the registers R256 to R975, whose identifiers they take.
constexpr RegisterKind kMoreKinds[] = {{"UR", 256, 256, 255, false},
                                       {"UP", kFirstPredicateName + 8, 8, 7, false},
                                       {"P", kFirstPredicateName, 8, 7, false}};
constexpr std::uint32_t kUniformZero = 63;  // the number of the uniform zero register up to Hopper

// The RegisterReader reads a list of registers from a line of a trace: their number and their names, as in
// "2 R4 R7".
class RegisterReader {
 public:
  RegisterReader(const TextSource& source, const TraceHeader& header, LineScanner& line)
      : source_(source), header_(header), line_(line) {}

  // Reads one list and calls use(id, has_banks) for each register that it names. Registers that always read
  // as zero are left out.
  template <class Use>
  void read(const char* count_of, std::size_t most, Use use) {
    const std::uint64_t count = line_.decimal(count_of, header_.has_values() ? 2 * most : most);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string_view word = line_.word("a register");
      const RegisterKind& kind = kind_of(word);
      const std::uint32_t number = number_of(word, kind);
      if (number != kind.zero && !is_uniform_zero(kind, number))
        use(static_cast<RegisterId>(kind.first + number), kind.has_banks);
    }
  }

 private:
  const RegisterKind& kind_of(std::string_view word) const {
    if (header_.has_values())
      for (const RegisterKind& kind : kMoreKinds)
        if (word.substr(0, kind.prefix.size()) == kind.prefix) return kind;
    return kRegister;
  }

  std::uint32_t number_of(std::string_view word, const RegisterKind& kind) const {
    const std::size_t digits = word.size() - std::min(word.size(), kind.prefix.size());
    bool good = word.substr(0, kind.prefix.size()) == kind.prefix && digits >= 1 && digits <= 4;
    std::uint32_t number = 0;
    for (std::size_t c = kind.prefix.size(); good && c < word.size(); ++c) {
      good = word[c] >= '0' && word[c] <= '9';
      number = number * 10 + static_cast<std::uint32_t>(word[c] - '0');
    }
    if (!good) line_.bad("a register", word.data());
    if (number >= kind.names)
      source_.fail(
          fmt::format("register {}{}; the last is {}{}", kind.prefix, number, kind.prefix, kind.names - 1));
    return number;
  }

  bool is_uniform_zero(const RegisterKind& kind, std::uint32_t number) const {
    return kind.prefix == "UR" && number == kUniformZero && header_.generation <= SassGeneration::kHopper;
  }

  const TextSource& source_;
  const TraceHeader& header_;
  LineScanner& line_;
};

// A wait leaves the `newest` newest closed groups of copies under way, and the open one.
std::uint8_t groups_left(std::int64_t newest) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(newest, 0, CopyGroups::kGroups - 1) + 1);
}

}  // namespace

const char* read_values(LineScanner& line) {
  if (!line.at_end() && *line.at() >= '0' && *line.at() <= '9')
    line.decimal("an immediate", ~std::uint64_t{0});
  if (line.at_end()) return line.end();
  const std::string_view word = line.word("'Val' or 'NoVal'");
  if (word == "NoVal") return line.end();
  if (word != "Val") line.bad("'Val' or 'NoVal'", word.data());
  return line.next_line();
}

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
  RegisterReader registers(source, header_, line);
  registers.read("the number of destinations", kMostDestinations, [&](RegisterId id, bool has_banks) {
    has_banks ? code.writes(id) : code.writes_predicate(id);
  });
  const std::string_view name = line.word("an opcode");
  const SassOpcode opcode = opcode_of(source, name);
  registers.read("the number of sources", kMostSources, [&](RegisterId id, bool has_banks) {
    has_banks ? code.reads(id) : code.reads_predicate(id);
  });
  const std::uint64_t width = line.decimal("the width of the memory access", 255);
  code.operation = opcode.operation;
  code.space = opcode.space;
  if (code.operation == Operation::kTraceTensor) code.tensor_products = products_of_matrices(name);
  entry.has_addresses = width != 0;
  entry.is_memory = is_memory(opcode.operation);
  entry.generic = opcode.generic;
  entry.is_control = opcode.is_control;
  entry.is_plain = !entry.is_memory && !entry.is_control;
  entry.copies = code.asynchronous = opcode.copies;
  if (entry.is_memory) {
    const std::uint8_t stated = opcode.matrices ? kMatrixRowBytes : bytes_of_modifiers(name);
    if (stated == 0 && width > kMostBytes)
      source.fail(fmt::format("an access of {} bytes a lane; the most is {}", width, kMostBytes));
    code.bytes = stated != 0 ? stated : static_cast<std::uint8_t>(width != 0 ? width : 4);
    code.bypass_l1 = bypasses_l1(name);
    if (opcode.matrices) entry.lanes >>= kLanes - rows_of_matrices(name);
  }
  // Traces without machine code do not say which of the registers of a store has its address.
  code.uniform_address = code.operation == Operation::kLoad && code.register_reads == 0;
  const char* const end = read_end(line, entry, code);
  if (machine_code_ != nullptr) {
    add_control(source, code);
    check_stalls(code);
  }
  const auto length = static_cast<std::size_t>(end - text);
  if (length > CodeText::kMost)
    source.fail(fmt::format("an instruction of more than {} characters", CodeText::kMost));
  entry.length = static_cast<std::uint16_t>(length);
  std::memcpy(entry.text.data(), text, length);
  return insert(source, entry, code);
}

void CodeTable::add_control(const TextSource& source, Instruction& code) const {
  const std::size_t index = code.pc / MachineCode::kBytes;
  if (code.pc % MachineCode::kBytes != 0 || index >= machine_code_->instructions.size())
    source.fail(fmt::format("PC {:04x} is not in the machine code of the kernel in {}", code.pc,
                            machine_code_->file));
  const SassInstruction& machine = machine_code_->instructions[index];
  const std::vector<RegisterId>& written = code.destinations();
  if (!written.empty() && written[0] < kRegister.zero && written[0] != machine.destination())
    source.fail(
        fmt::format("the instruction at PC {:04x} writes R{}, but in {} it writes R{}; the machine code "
                    "must be that of the traced program",
                    code.pc, written[0], machine_code_->file, machine.destination()));
  code.control = machine.control(code);
  if (is_memory(code.operation)) code.uniform_address = machine.has_uniform_address();
  if (const std::optional<ConstantAddress> operand = machine.constant()) code.reads_constant(*operand);
}

// The check covers the instructions that were read before this one, back to the last control instruction.
void CodeTable::check_stalls(const Instruction& code) {
  std::uint32_t cycles = 0;
  for (std::uint32_t pc = code.pc; pc >= MachineCode::kBytes && early_read_.empty();) {
    pc -= MachineCode::kBytes;
    const auto found = at_pc_.find(pc);
    if (found == at_pc_.end()) return;
    const CodeText& earlier = texts_[found->second];
    const Instruction& writer = instruction(earlier.instruction[0]);
    cycles += std::max<std::uint32_t>(writer.control.stall, 1);
    if (earlier.is_control || cycles >= kLeastLatency) return;
    if (!earlier.is_plain || writer.control.write_counter != ControlBits::kNoCounter) continue;
    for (const RegisterId id : code.sources()) {
      const std::vector<RegisterId>& written = writer.destinations();
      if (id >= kRegister.zero || std::find(written.begin(), written.end(), id) == written.end()) continue;
      early_read_ = fmt::format(
          "{}: the instruction at PC {:04x} reads R{} {} cycles after PC {:04x} issues, which writes it, but "
          "no "
          "unit takes fewer than {}; the program reads the value of before",
          machine_code_->file, code.pc, id, cycles, pc, kLeastLatency);
      HEDDLE_LOG(Severity::kWarning, "replay", "{}", early_read_);
    }
  }
}

// Reads what follows the width of an access. Returns the end of the entry's text.
const char* CodeTable::read_end(LineScanner& line, const CodeText& entry, Instruction& code) const {
  const char* end = line.at();
  if (entry.has_addresses) {
    if (*end != ' ') line.bad("addresses", end);
    return end;
  }
  const std::int64_t immediate = header_.has_immediate() ? line.signed_decimal("an immediate") : 0;
  if (code.operation == Operation::kCopyWait) code.copy_groups = groups_left(immediate);
  if (!header_.has_values()) return line.end();
  end = line.at() + 1;  // the immediate and what separates it from values
  read_values(line);
  return end;
}

CodeText& CodeTable::insert(const TextSource& source, CodeText& entry, const Instruction& code) {
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
