#include "stimuli/synthetic/access_pattern.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr std::uint64_t kRowBytes = 128;  // shared memory: one word of each of 32 banks

// Returns `count` pseudo-random numbers of 32 bits that depend on `key`; the elements after them are
// unspecified. Each draw gives two numbers.
std::array<std::uint32_t, kLanes> draw_numbers(std::uint64_t key, std::uint32_t count) {
  constexpr std::uint64_t kStep = 0xd1b54a32d192ed03ULL;
  std::array<std::uint32_t, kLanes> numbers;
  for (std::uint32_t i = 0; i < count; i += 2, key += kStep) {
    const std::uint64_t drawn = scramble(key);
    numbers[i] = static_cast<std::uint32_t>(drawn >> 32);
    numbers[i + 1] = static_cast<std::uint32_t>(drawn);
  }
  return numbers;
}

}  // namespace

AddressGenerator::AddressGenerator(const AccessPattern& access, std::uint64_t blocks, std::uint32_t threads,
                                   std::uint64_t seed, std::uint64_t number)
    : access_(access),
      blocks_(blocks),
      threads_(threads),
      warps_((threads + kLanes - 1) / kLanes),
      seed_(scramble(seed + number)) {
  const std::uint64_t stride = access.pattern == Pattern::kStream ? access.stride : access.bytes;
  if (access.size >= access.bytes) elements_ = (access.size - access.bytes) / stride + 1;
  if (access.set >= kLineBytes) {
    set_lines_ = access.set / kLineBytes;
    sets_ = std::max<std::uint64_t>(access.size / access.set, 1);
  }
  turns_per_tile_ = std::max<std::uint64_t>(set_lines_ / access.lines, 1);
  tiles_per_block_ = (access.visits * warps_ - 1) / (turns_per_tile_ * access.times) + 1;
  for (std::uint32_t i = 0; i <= access.lines; ++i) stratum_[i] = i * set_lines_ / access.lines;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t n = access.lines;
    group_[lane] = static_cast<std::uint8_t>(lane * n / kLanes);
    const std::uint32_t first = (group_[lane] * kLanes + n - 1) / n;  // first lane of the group
    offset_[lane] = static_cast<std::uint16_t>((lane - first) * access.bytes % kLineBytes);
    if (access.pattern != Pattern::kShared) continue;
    const std::uint32_t bank = lane / access.conflicts;
    const std::uint32_t row = lane % access.conflicts;
    offset_[lane] = static_cast<std::uint16_t>(row * kRowBytes + bank * access.bytes);
  }
}

std::uint64_t AddressGenerator::key(WarpPlace place, std::uint64_t visit) const {
  return draw(seed_, place.block, place.warp, visit);
}

void AddressGenerator::generate(WarpPlace place, std::uint64_t visit,
                                std::array<Address, kLanes>& addresses) const {
  switch (access_.pattern) {
    case Pattern::kStream:
      return stream(place, visit, addresses);
    case Pattern::kRandom:
    case Pattern::kWorkingSet:
    case Pattern::kPerBlock:
      return lines(place, visit, addresses);
    case Pattern::kUniform:
      addresses.fill(access_.base + visit % elements_ * access_.bytes);
      return;
    case Pattern::kScatter: {
      const std::array<std::uint32_t, kLanes> drawn = draw_numbers(key(place, visit), kLanes);
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        addresses[lane] = access_.base + access_.bytes * scale(drawn[lane], access_.addresses);
      return;
    }
    case Pattern::kShared: {
      const std::uint64_t needed = (kLanes / access_.conflicts * access_.bytes + kRowBytes - 1) / kRowBytes;
      const std::uint64_t rows = std::max<std::uint64_t>(access_.conflicts, needed);
      const std::uint64_t places = access_.size / kRowBytes - rows + 1;
      const Address base = access_.base + (visit * warps_ + place.warp) * rows % places * kRowBytes;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] = base + offset_[lane];
      return;
    }
    case Pattern::kLocal:
      addresses.fill(visit * access_.bytes % access_.set);
      return;
  }
}

void AddressGenerator::stream(WarpPlace place, std::uint64_t visit,
                              std::array<Address, kLanes>& addresses) const {
  const std::uint64_t before = std::uint64_t{place.warp} * kLanes;  // threads of earlier warps of the block
  std::uint64_t first = 0;
  switch (access_.per) {
    case Sharing::kWarp: {
      const std::uint64_t mine = std::min<std::uint64_t>(kLanes, threads_ - before);
      first = (place.block * threads_ + before) * access_.visits + visit * mine;
      break;
    }
    case Sharing::kBlock:
      first = (place.block * access_.visits + visit) * threads_ + before;
      break;
    case Sharing::kKernel:
      first = (visit * blocks_ + place.block) * threads_ + before;
      break;
  }
  std::uint64_t element = first % elements_;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = access_.base + element * access_.stride;
    if (++element == elements_) element = 0;
  }
}

std::uint64_t AddressGenerator::which_set(WarpPlace place) const {
  switch (access_.per) {
    case Sharing::kWarp:
      return (place.block * warps_ + place.warp) % sets_;
    case Sharing::kBlock:
      return place.block % sets_;
    case Sharing::kKernel:
      return 0;
  }
  return 0;
}

void AddressGenerator::lines(WarpPlace place, std::uint64_t visit,
                             std::array<Address, kLanes>& addresses) const {
  std::array<Address, kLanes> line;
  const std::uint32_t n = access_.lines;
  if (access_.pattern == Pattern::kRandom) {
    const std::array<std::uint32_t, kLanes> drawn = draw_numbers(key(place, visit), n);
    const Address set = access_.base + which_set(place) * access_.set;
    for (std::uint32_t g = 0; g < n; ++g)
      line[g] = set + (stratum_[g] + scale(drawn[g], stratum_[g + 1] - stratum_[g])) * kLineBytes;
  } else {
    const bool alone = access_.pattern == Pattern::kWorkingSet && access_.per == Sharing::kWarp;
    const std::uint64_t turn = alone ? visit : visit * warps_ + place.warp;
    std::uint64_t set = which_set(place);
    std::uint64_t next = turn * n % set_lines_;
    if (access_.pattern == Pattern::kPerBlock) {
      const std::uint64_t tile = turn / turns_per_tile_ / access_.times;
      set = (place.block * tiles_per_block_ + tile) % sets_;
      next = turn % turns_per_tile_ * n;
    }
    for (std::uint32_t g = 0; g < n; ++g) {
      line[g] = access_.base + (set * set_lines_ + next) * kLineBytes;
      if (++next == set_lines_) next = 0;
    }
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] = line[group_[lane]] + offset_[lane];
}

}  // namespace heddle
