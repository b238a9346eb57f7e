#include "stimuli/traceg/block_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heddle {

namespace {

constexpr std::uint64_t kMostTracked = std::uint64_t{1} << 26U;  // blocks; 8 MiB of flags
constexpr Address kMostAddress = (Address{1} << 57U) - 1;        // virtual addresses have at most 57 bits
constexpr Address kWindow = Address{16} << 20U;  // bytes of the shared or local window in the generic space

bool within(const LaneAddresses& lanes, Address base) {
  return base != 0 && lanes.within(base, kWindow);
}

}  // namespace

BlockReader::BlockReader(TextSource& source, const TraceHeader& header, const TraceLimits& limits,
                         CodeTable& codes, SequencePool& pool, SpoolFile& spool)
    : source_(source), header_(header), limits_(limits), codes_(codes), pool_(pool), spool_(spool) {
  if (header.blocks <= kMostTracked) seen_.resize(header.blocks);
}

std::string_view BlockReader::expect(const char* start, const char* described) {
  std::string_view text;
  if (!source_.find(text)) source_.fail(fmt::format("expected {}, found the end of the file", described));
  if (!cut(text, start)) source_.fail(fmt::format("expected {}, found {}", described, quote(text)));
  return text;
}

void BlockReader::read(TraceBlockData& block, std::uint64_t resident) {
  block.warps.resize(header_.warps());
  block.spool_begin = spool_.end();
  spooling_ = false;
  pooled_ = 0;
  resident_ = resident;
  LineScanner(source_, expect("#BEGIN_TB", "'#BEGIN_TB'").data()).end();
  source_.take();
  read_place();
  read_cluster();
  for (;;) {
    std::string_view text;
    if (!source_.find(text)) source_.fail("the file ends within a thread block");
    if (cut(text, "#END_TB")) {
      LineScanner(source_, text.data()).end();
      break;
    }
    if (!cut(text, "warp = "))
      source_.fail(fmt::format("expected 'warp = ...' or '#END_TB', found {}", quote(text)));
    read_warp(block, text);
  }
  for (std::size_t i = 0; i < block.warps.size(); ++i)
    if (!block.warps[i].given) source_.fail(fmt::format("the thread block has no warp {}", i));
  source_.take();
  block.addresses = addresses_;
  addresses_.clear();
  block.spool_end = spool_.end();
}

void BlockReader::read_end() {
  std::string_view text;
  if (source_.find(text))
    source_.fail(fmt::format("more than the {} thread blocks of the grid: {}", header_.blocks, quote(text)));
}

void BlockReader::read_place() {
  LineScanner line(source_, expect("thread block = ", "'thread block = x,y,z'").data());
  const char* at = line.word("x,y,z").data();
  const char* start = at;
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && *at++ != ',') line.bad("x,y,z", start);
    if (*at < '0' || *at > '9') line.bad("x,y,z", start);
    place_[i] = 0;
    for (; *at >= '0' && *at <= '9'; ++at) {
      place_[i] = place_[i] * 10 + static_cast<std::uint64_t>(*at - '0');
      if (place_[i] >= header_.grid[i]) line.bad("a place in the grid", start);
    }
  }
  if (*at != ' ' && *at != '\n') line.bad("x,y,z", start);
  line.end();
  if (!seen_.empty()) {
    const std::uint64_t index = place_[0] + header_.grid[0] * (place_[1] + header_.grid[1] * place_[2]);
    if (seen_[index]) source_.fail("a thread block that stood before");
    seen_[index] = true;
  }
  source_.take();
}

// Tracers of version 6 state the cluster of a block. A block without one is the only one of a cluster.
void BlockReader::read_cluster() {
  for (std::string_view text; source_.find(text) && cut(text, "cluster "); source_.take())
    if (!cut(text, "id = ") && text != "cta = 0,0,0" && text != "rank = 0")
      source_.fail(fmt::format("kernel {} has thread block clusters, of which there is no model",
                               quote(header_.kernel_name, kMostName)));
}

void BlockReader::read_warp(TraceBlockData& block, std::string_view number) {
  LineScanner line(source_, number.data());
  const std::uint64_t warp = line.decimal("the number of a warp", std::numeric_limits<std::uint32_t>::max());
  line.end();
  if (warp >= block.warps.size())
    source_.fail(fmt::format("warp {}; the block has {}", warp, block.warps.size()));
  if (block.warps[warp].given) source_.fail(fmt::format("warp {} is given twice", warp));
  source_.take();
  LineScanner insts(source_, expect("insts = ", "'insts = ...'").data());
  const std::uint64_t count =
      insts.decimal("the number of instructions", std::numeric_limits<std::uint64_t>::max());
  insts.end();
  if (count == 0) source_.fail(fmt::format("warp {} has no instructions", warp));
  source_.take();
  read_instructions(block, static_cast<std::uint32_t>(warp), count);
}

void BlockReader::read_instructions(TraceBlockData& block, std::uint32_t number, std::uint64_t count) {
  TraceWarp& warp = block.warps[number];
  warp.given = true;
  warp.address_at = addresses_.size();
  warp_ = number;
  phase_ = 0;
  bool exits = false;
  for (std::uint64_t done = 0; done < count;) {
    if (!spooling_) {
      const std::uint64_t own = entries_.size() * sizeof(TraceEntry) + addresses_.size();
      spooling_ = pooled_ + own >= limits_.block_bytes || resident_ + pooled_ + own >= limits_.resident_bytes;
      if (spooling_ && !entries_.empty()) {
        warp.sequence = pool_.keep(number, entries_);
        entries_.clear();
      }
    }
    std::vector<std::byte>& bytes = spooling_ ? spooled_ : addresses_;
    const std::uint64_t end = std::min<std::uint64_t>(count, done + SpoolFile::kChunkEntries);
    for (const std::size_t full = bytes.size() + SpoolFile::kChunkBytes; done < end && bytes.size() < full;
         ++done) {
      const char* line = source_.line();
      if (line == nullptr || !LineScanner::is_hex_digit(*line))
        source_.fail(fmt::format("warp {} has {} of its {} instructions", number, done, count));
      read_instruction(bytes, line);
    }
    exits = codes_.instruction(entries_.back().code()).operation == Operation::kExit;
    if (spooling_) spool_batch(warp);
  }
  if (!exits) source_.fail(fmt::format("warp {} does not end in EXIT", number));
  if (spooling_) return;
  const std::uint64_t before = pool_.bytes();
  warp.sequence = pool_.keep(number, entries_);
  pooled_ += pool_.bytes() - std::min(before, pool_.bytes());
  entries_.clear();
}

void BlockReader::spool_batch(TraceWarp& warp) {
  warp.chunks.push_back(spool_.write(entries_, spooled_));
  entries_.clear();
  spooled_.clear();
}

void BlockReader::read_instruction(std::vector<std::byte>& bytes, const char* line) {
  if (header_.has_ids() || header_.line_numbers) line = skip_prefix(line);
  CodeText& code = codes_.find(source_, line, guess_);
  previous_ = codes_.follow(previous_, code);
  guess_ = code.next;
  if (code.phase != phase_) {
    phase_ = code.phase;
    entries_.emplace_back(codes_.specifier_of(code), AddressForm::kNone, code.mask);
  }
  const char* after = line + code.length;
  if (code.has_addresses) {
    after = read_addresses(code, after, bytes);
  } else {
    if (after[-1] != '\n') after = LineScanner(source_, after).next_line();
    if (!code.is_plain) return add_other(code, after);
    entries_.emplace_back(code.instruction[0], AddressForm::kNone, code.mask);
  }
  source_.step(after);
}

// Adds an entry without addresses, of a control instruction or of an access of no lane. The next line is at
// `after`.
void BlockReader::add_other(const CodeText& code, const char* after) {
  entries_.emplace_back(code.instruction[0], AddressForm::kNone, code.is_memory ? 0 : code.mask);
  source_.step(after);
  if (code.is_control && !is_next(code.pc)) entries_.back().set(TraceEntry::kTaken);
}

// Returns whether the current line is the instruction that follows the one at `pc` in the code, or is no
// instruction, behind the last one of a warp.
bool BlockReader::is_next(std::uint32_t pc) {
  const char* line = source_.line();
  if (line == nullptr || !LineScanner::is_hex_digit(*line)) return true;
  if (header_.has_ids() || header_.line_numbers) line = skip_prefix(line);
  return follows(header_.generation, pc,
                 static_cast<std::uint32_t>(LineScanner(source_, line).hexadecimal("a PC")));
}

const char* BlockReader::skip_prefix(const char* text) {
  LineScanner line(source_, text);
  if (header_.has_ids()) {
    for (const std::uint64_t expected : {place_[0], place_[1], place_[2], std::uint64_t{warp_}})
      if (line.decimal("block and warp", std::numeric_limits<std::uint32_t>::max()) != expected)
        source_.fail("an instruction of another block or warp");
  }
  if (header_.line_numbers) line.decimal("a line number", std::numeric_limits<std::uint32_t>::max());
  line.at_end();  // at_end() skips spaces
  return line.at();
}

const char* BlockReader::read_addresses(CodeText& code, const char* text, std::vector<std::byte>& bytes) {
  LineScanner line(source_, text);
  read_lanes(line, code.mask);
  if (header_.has_immediate()) line.signed_decimal("an immediate");
  const char* after = header_.has_values() ? read_values(line) : line.end();
  std::uint32_t instruction = code.instruction[0];
  const std::uint32_t mask = code.mask & code.lanes;
  if (mask != code.mask) lanes_.keep_first(static_cast<std::uint32_t>(__builtin_popcount(mask)));
  if (!code.is_memory) {
    lanes_.form = AddressForm::kNone;
  } else if (mask != 0) {
    instruction = place_in_space(code);
    append(bytes, lanes_);
  }
  entries_.emplace_back(instruction, lanes_.form, mask);
  return after;
}

void BlockReader::read_lanes(LineScanner& line, std::uint32_t mask) {
  const std::uint64_t mode = line.decimal("an address mode", std::numeric_limits<std::uint64_t>::max());
  lanes_.count = static_cast<std::uint32_t>(__builtin_popcount(mask));
  lanes_.form = mask == 0 ? AddressForm::kNone : AddressForm::kList;
  const auto check = [&](Address address) {
    if (address > kMostAddress && mask != 0) source_.fail("an address of more than 57 bits");
    return address;
  };
  if (mode == 0) {
    for (std::size_t i = 0; i < lanes_.count;) {
      i += line.hexadecimals(start_, lanes_.list.data() + i, lanes_.count - i);
      if (i < lanes_.count) lanes_.list[i++] = line.hexadecimal("the address of a lane", start_);
    }
    Address bits = 0;
    for (std::uint32_t i = 0; i < lanes_.count; ++i) bits |= lanes_.list[i];
    check(bits);
  } else if (mode == 1) {
    lanes_.base = check(line.hexadecimal("a base address"));
    const std::int64_t stride = line.signed_decimal("a stride");
    if (mask == 0) return;
    lanes_.form = AddressForm::kStride;
    lanes_.stride = static_cast<std::int32_t>(stride);
    const std::uint32_t run = mask >> static_cast<unsigned>(__builtin_ctz(mask));
    if ((run & (run + 1)) != 0) source_.fail("a stride over lanes that are not neighbours");
    if (lanes_.stride != stride) source_.fail("a stride of more than 32 bits");
    lanes_.last = check(lanes_.base + static_cast<Address>(stride * (lanes_.count - 1)));
  } else if (mode == 2) {
    Address address = lanes_.base = check(line.hexadecimal("a base address"));
    if (mask == 0) return;
    lanes_.form = AddressForm::kDeltas;
    lanes_.list[0] = address;
    for (std::uint32_t i = 0; i + 1 < lanes_.count; ++i) {
      lanes_.deltas[i] = line.signed_decimal("the delta of a lane");
      if (lanes_.deltas[i] != static_cast<std::int32_t>(lanes_.deltas[i])) lanes_.form = AddressForm::kList;
      lanes_.list[i + 1] = address = check(address + static_cast<Address>(lanes_.deltas[i]));
    }
  } else {
    source_.fail(fmt::format("address mode {}; known: 0, 1 and 2", mode));
  }
}

std::uint32_t BlockReader::place_in_space(CodeText& code) {
  const MemorySpace stated = codes_.instruction(code.instruction[0]).space;
  MemorySpace space = stated;
  if (code.generic && within(lanes_, header_.shared_base)) space = MemorySpace::kShared;
  if (code.generic && within(lanes_, header_.local_base)) space = MemorySpace::kLocal;
  // The tracer writes a line for each side of a copy from global to shared memory. In the line of the shared
  // side an address is the distance from the start of shared memory, so that it lies within its window.
  if (code.copies && lanes_.within(0, kWindow)) space = MemorySpace::kShared;
  const Address base = space == MemorySpace::kShared  ? header_.shared_base
                       : space == MemorySpace::kLocal ? header_.local_base
                                                      : 0;
  if (within(lanes_, base)) lanes_.move_down(base);
  return code.generic ? codes_.in_space(code, space) : code.instruction[0];
}

}  // namespace heddle
