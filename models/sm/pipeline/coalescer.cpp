#include "models/sm/pipeline/coalescer.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr Address kLineMask = ~Address{kLineBytes - 1};
constexpr std::uint32_t kWordBytes = 4;

// Returns the sectors of a line from byte `first` to byte `last`, both included.
std::uint8_t sectors_of(std::uint32_t first, std::uint32_t last) {
  return static_cast<std::uint8_t>((2u << (last / kSectorBytes)) - (1u << (first / kSectorBytes)));
}

LineAccess& access_to(Coalesced& result, Address line) {
  for (std::uint32_t i = 0; i < result.count; ++i)
    if (result.access[i].line == line) return result.access[i];
  result.access[result.count] = LineAccess{line, 0, {}, {}, false, {}};
  return result.access[result.count++];
}

void mark(ByteMask& bytes, std::uint32_t first, std::uint32_t last) {
  const auto from = [](std::uint32_t bit) { return bit < 64 ? ~std::uint64_t{0} << bit : 0; };
  const std::uint32_t end = last + 1;
  bytes[0] |= from(first) & ~from(end);
  if (end > 64) bytes[1] |= from(first < 64 ? 0 : first - 64) & ~from(end - 64);
}

bool covers(const ByteMask& bytes, std::uint8_t sectors) {
  for (std::uint32_t sector = 0; sector < kLineBytes / kSectorBytes; ++sector) {
    if ((sectors & (1u << sector)) == 0) continue;
    const std::uint32_t written =
        static_cast<std::uint32_t>(bytes[sector / 2] >> (sector % 2 * kSectorBytes));
    if (written != ~std::uint32_t{0}) return false;
  }
  return true;
}

void mark_partial(Coalesced& result) {
  for (std::uint32_t i = 0; i < result.count; ++i)
    result.access[i].partial = !covers(result.access[i].written, result.access[i].sectors);
}

LineAccess whole_line(Address line, std::uint8_t lanes_of_sector, bool store) {
  LineAccess access;
  access.line = line;
  access.sectors = (1u << kLineBytes / kSectorBytes) - 1;
  access.lanes.fill(lanes_of_sector);
  if (store) access.written = {~std::uint64_t{0}, ~std::uint64_t{0}};
  return access;
}

// Returns the banks of L1 that the access reads: the lowest bit of each word of 4 bytes stands for one.
ByteMask banks_of(const LineAccess& line) {
  ByteMask banks;
  for (const std::size_t half : {0u, 1u}) {
    const std::uint64_t bytes = line.written[half];
    banks[half] = (bytes | bytes >> 1 | bytes >> 2 | bytes >> 3) & 0x1111111111111111;
  }
  return banks;
}

// Returns whether all lanes access words of one row of the banks. Each bank then has one of the words.
bool is_in_one_row(const IssuedInstruction& issued, std::uint32_t banks) {
  if (issued.code->bytes != kWordBytes || issued.mask != ~std::uint32_t{0} || (banks & (banks - 1)) != 0)
    return false;
  const Address first = issued.addresses[0];
  Address differs = 0;
  for (const Address address : issued.addresses) differs |= address ^ first;
  return ((first | differs) & (kWordBytes - 1)) == 0 && differs < Address{banks} * kWordBytes;
}

// Returns the passes of an access to one word by each lane, or 0 if two lanes access different words of one
// bank, or if a lane's bytes are not one aligned word.
std::uint32_t passes_of_words(const IssuedInstruction& issued, std::uint32_t banks) {
  if (issued.code->bytes != kWordBytes) return 0;
  const bool power_of_two = (banks & (banks - 1)) == 0;
  std::array<Address, kMostBanks> in_bank;
  std::uint64_t used = 0;          // banks
  Address previous = ~Address{0};  // of the lane before, which often accesses the same word
  for (std::uint32_t mask = issued.mask; mask != 0; mask &= mask - 1) {
    const Address address = issued.addresses[static_cast<std::uint32_t>(__builtin_ctz(mask))];
    if (address == previous) continue;
    previous = address;
    if (address % kWordBytes != 0) return 0;
    const Address word = address / kWordBytes;
    const std::size_t bank = power_of_two ? word & (banks - 1) : word % banks;
    const std::uint64_t bit = std::uint64_t{1} << bank;
    if ((used & bit) != 0 && in_bank[bank] != word) return 0;
    used |= bit;
    in_bank[bank] = word;
  }
  return 1;
}

}  // namespace

bool is_run(const Addresses& addresses, std::uint32_t lanes, std::uint32_t size) {
  const bool fits_sectors = size - 1 < kSectorBytes && (size & (size - 1)) == 0;
  if (lanes != ~std::uint32_t{0} || !fits_sectors || (addresses[0] & (size - 1)) != 0) return false;
  Address differs = 0;
  Address expected = addresses[0];
  for (const Address address : addresses) {
    differs |= address ^ expected;
    expected += size;
  }
  return differs == 0;
}

void coalesce_run(Address begin, std::uint32_t size, bool store, Coalesced& result) {
  result.count = 0;
  const std::uint32_t shift = static_cast<std::uint32_t>(__builtin_ctz(size));
  const Address end = begin + kLanes * size;
  while (begin < end) {
    const Address line = begin & kLineMask;
    if (begin == line && end - line >= kLineBytes) {
      result.access[result.count++] =
          whole_line(line, static_cast<std::uint8_t>(kSectorBytes >> shift), store);
      begin = line + kLineBytes;
      continue;
    }
    const Address stop = std::min(end, line + kLineBytes);
    const auto first = static_cast<std::uint32_t>(begin - line);
    const auto last = static_cast<std::uint32_t>(stop - line - 1);
    LineAccess& access = result.access[result.count++] =
        LineAccess{line, sectors_of(first, last), {}, {}, false, {}};
    for (std::uint32_t sector = first / kSectorBytes; sector <= last / kSectorBytes; ++sector) {
      const std::uint32_t from = std::max(first, sector * kSectorBytes);
      const std::uint32_t to = std::min(last + 1, (sector + 1) * kSectorBytes);
      access.lanes[sector] = static_cast<std::uint8_t>((to - from) >> shift);
    }
    if (store) {
      mark(access.written, first, last);
      access.partial = !covers(access.written, access.sectors);
    }
    begin = stop;
  }
}

void coalesce(const Addresses& addresses, std::uint32_t lanes, std::uint32_t size, bool store,
              Coalesced& result) {
  if (is_run(addresses, lanes, size)) return coalesce_run(addresses[0], size, store, result);
  result.count = 0;
  LineAccess* access = nullptr;  // the line of the previous lane, which the next lane most likely shares
  for (std::uint32_t mask = lanes; mask != 0; mask &= mask - 1) {
    Address begin = addresses[static_cast<std::uint32_t>(__builtin_ctz(mask))];
    const Address end = begin + size;
    while (begin < end) {
      const Address line = begin & kLineMask;
      const Address stop = std::min(end, line + kLineBytes);
      if (access == nullptr || access->line != line) access = &access_to(result, line);
      const auto first = static_cast<std::uint32_t>(begin - line);
      const auto last = static_cast<std::uint32_t>(stop - line - 1);
      access->sectors |= sectors_of(first, last);
      ++access->lanes[first / kSectorBytes];
      if (store) mark(access->written, first, last);
      begin = stop;
    }
  }
  if (store) mark_partial(result);
}

void count_depths(const Addresses& addresses, std::uint32_t lanes, Coalesced& result) {
  for (std::uint32_t mask = lanes; mask != 0;) {
    const Address word = addresses[static_cast<std::uint32_t>(__builtin_ctz(mask))];
    std::uint8_t same = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
      if (addresses[lane] != word) continue;
      ++same;
      mask &= ~(1u << lane);
    }
    std::uint8_t& depth = access_to(result, word & kLineMask).depth[word % kLineBytes / kSectorBytes];
    depth = std::max(depth, same);
  }
}

void coalesce_local(const Addresses& offsets, std::uint32_t lanes, std::uint32_t size, bool store,
                    const LocalLayout& layout, std::uint32_t slot, Coalesced& result) {
  result.count = 0;
  const std::uint32_t words = (size + kWordBytes - 1) / kWordBytes;
  for (std::uint32_t n = 0; n < words; ++n) {
    LineAccess* access =
        nullptr;  // of the word of the previous lane, which the next lane most likely accesses
    Address previous = 0;
    for (std::uint32_t mask = lanes; mask != 0; mask &= mask - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(mask));
      const Address word = offsets[lane] / kWordBytes + n;
      if (access == nullptr || word != previous) access = &access_to(result, layout.line(word, slot));
      previous = word;
      const auto within = static_cast<std::uint32_t>(size < kWordBytes ? offsets[lane] % kWordBytes : 0);
      const std::uint32_t first = lane * kWordBytes + within;
      const std::uint32_t last = lane * kWordBytes + std::min(within + size, kWordBytes) - 1;
      access->sectors |= sectors_of(first, last);
      if (n == 0) ++access->lanes[first / kSectorBytes];
      if (store) mark(access->written, first, last);
    }
  }
  if (store) mark_partial(result);
}

std::uint32_t lines_at_once(const Coalesced& lines, std::uint32_t first, std::uint32_t most) {
  const std::uint32_t end = std::min(lines.count, first + most);
  ByteMask busy = banks_of(lines.access[first]);
  std::uint32_t line = first + 1;
  for (; line < end; ++line) {
    const ByteMask banks = banks_of(lines.access[line]);
    const bool is_known = (banks[0] | banks[1]) != 0;
    if (!is_known || (banks[0] & busy[0]) != 0 || (banks[1] & busy[1]) != 0) break;
    for (const std::size_t half : {0u, 1u}) busy[half] |= banks[half];
  }
  return line - first;
}

std::uint32_t lines_past_l1(const Coalesced& lines, std::uint32_t first, std::uint32_t most) {
  const std::uint32_t end = std::min(lines.count, first + most);
  const auto sectors = [&](std::uint32_t line) { return __builtin_popcount(lines.access[line].sectors); };
  int left = kLineBytes / kSectorBytes - sectors(first);
  std::uint32_t line = first + 1;
  for (; line < end && sectors(line) <= left; ++line) left -= sectors(line);
  return line - first;
}

std::uint32_t shared_passes(const IssuedInstruction& issued, std::uint32_t banks, bool atomic) {
  if (!atomic && is_in_one_row(issued, banks)) return 1;
  if (const std::uint32_t passes = atomic ? 0 : passes_of_words(issued, banks); passes != 0) return passes;
  struct Word {
    Address address;
    std::int16_t next;  // index of the next word in the same bank, or -1
  };
  std::array<Word, kLanes * 5> words;
  std::array<std::int16_t, kMostBanks> newest;
  std::array<std::uint8_t, kMostBanks> in_bank{};
  newest.fill(-1);
  std::int16_t count = 0;
  std::uint32_t most = 1;
  for (std::uint32_t mask = issued.mask; mask != 0; mask &= mask - 1) {
    const Address begin = issued.addresses[static_cast<std::uint32_t>(__builtin_ctz(mask))];
    for (Address word = begin / kWordBytes; word * kWordBytes < begin + issued.code->bytes; ++word) {
      const std::size_t bank = word % banks;
      std::int16_t same = atomic ? std::int16_t{-1} : newest[bank];
      while (same >= 0 && words[static_cast<std::size_t>(same)].address != word)
        same = words[static_cast<std::size_t>(same)].next;
      if (same >= 0) continue;
      words[static_cast<std::size_t>(count)] = {word, newest[bank]};
      newest[bank] = count++;
      most = std::max<std::uint32_t>(most, ++in_bank[bank]);
    }
  }
  return most;
}

}  // namespace heddle
