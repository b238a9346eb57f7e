// What a block's lanes tell each other, and the windows of generic addresses.

#include <cstring>

#include "stimuli/ptx/execute/address_windows.h"
#include "stimuli/ptx/execute/block_stream.h"
#include "stimuli/ptx/execute/cross_lane.h"

namespace heddle::ptx {

namespace {

// Lanes that name the same members in the last source make one group; without it all make one.
template <typename Function>
void each_group(std::uint32_t active, const std::uint32_t* members, Function function) {
  while (active != 0) {
    std::uint32_t group = active;
    if (members != nullptr) {
      const std::uint32_t named = members[__builtin_ctz(active)];
      group = 0;
      for (std::uint32_t left = active; left != 0; left &= left - 1)
        if (members[__builtin_ctz(left)] == named) group |= left & -left;
    }
    function(group);
    active &= ~group;
  }
}

void set_words(std::uint32_t* row, std::uint32_t lanes, std::uint32_t value) {
  for (; lanes != 0; lanes &= lanes - 1) row[__builtin_ctz(lanes)] = value;
}

void set_predicate(std::uint32_t& predicate, std::uint32_t lanes, bool value) {
  predicate = value ? predicate | lanes : predicate & ~lanes;
}

}  // namespace

void PtxBlockStream::active_mask(const Now& now) {
  set_words(now.warp.words_at(now.step.destination[0]), now.active, now.active);
}

void PtxBlockStream::vote(const Now& now) {
  std::uint32_t predicate = *now.warp.words_at(now.step.source[0]);
  if (now.step.negated) predicate = ~predicate;
  const Variant variant = now.step.statement->variant;
  std::uint32_t* const to = now.warp.words_at(now.step.destination[0]);
  const std::uint32_t* const members = now.step.sources > 1 ? now.warp.words_at(now.step.source[1]) : nullptr;
  each_group(now.active, members, [&](std::uint32_t group) {
    const std::uint32_t result = ptx::vote(variant, group, predicate);
    if (variant == Variant::kBallot)
      set_words(to, group, result);
    else
      set_predicate(*to, group, result != 0);
  });
}

void PtxBlockStream::shuffle(const Now& now) {
  ShuffleRows rows;
  rows.to = now.warp.words_at(now.step.destination[0]);
  if (now.step.destination[1].base != RowBase::kNull)
    rows.in_range = now.warp.words_at(now.step.destination[1]);
  rows.from = now.warp.words_at(now.step.source[0]);
  rows.b = now.warp.words_at(now.step.source[1]);
  rows.c = now.warp.words_at(now.step.source[2]);
  ptx::shuffle(now.step.statement->variant, now.active, rows);
}

void PtxBlockStream::match(const Now& now) {
  const bool wide = bits_of(now.step.statement->type) == 64;
  const void* const values = now.warp.at(now.step.source[0]);
  std::uint32_t* const to = now.warp.words_at(now.step.destination[0]);
  const Row& same = now.step.destination[1];
  each_group(now.active, now.warp.words_at(now.step.source[1]), [&](std::uint32_t group) {
    if (now.step.statement->variant == Variant::kAny) return match_any(group, values, wide, to);
    const bool all = all_match(group, values, wide);
    set_words(to, group, all ? group : 0);
    if (same.base != RowBase::kNull) set_predicate(*now.warp.words_at(same), group, all);
  });
}

void PtxBlockStream::add_window(const Now& now) {
  const Statement& statement = *now.step.statement;
  const std::uint64_t window = window_of(statement.space);
  const auto* const from = reinterpret_cast<const std::uint64_t*>(now.warp.at(now.step.source[0]));  // NOLINT
  auto* const to = reinterpret_cast<std::uint64_t*>(now.warp.at(now.step.destination[0]));           // NOLINT
  const std::uint64_t added = statement.has(kTo) ? std::uint64_t{0} - window : window;
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    to[lane] = from[lane] + added;
  }
}

void PtxBlockStream::is_in_window(const Now& now) {
  const Space wanted = now.step.statement->space;
  const Image& image = image_of(*state_.launch.code);
  const auto in_constants = [&](std::uint64_t address) {
    for (std::size_t i = 0; i < image.offsets.size(); ++i)
      if (image.module->variables[i].space == Space::kConst && address >= image.address + image.offsets[i] &&
          address - image.address - image.offsets[i] < image.module->variables[i].bytes)
        return true;
    return false;
  };
  const Row& from = now.step.source[0];
  std::uint32_t& to = *now.warp.words_at(now.step.destination[0]);
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    std::uint64_t address = 0;
    const std::size_t bytes = from.wide ? 8 : 4;
    std::memcpy(&address, now.warp.at(from) + static_cast<std::size_t>(lane) * bytes, bytes);
    const Space found = space_of_generic(address);
    const bool constant = found == Space::kGlobal && in_constants(address);
    const bool inside = wanted == Space::kConst ? constant : found == wanted && !constant;
    to = (to & ~(1U << lane)) | static_cast<std::uint32_t>(inside) << lane;
  }
}

}  // namespace heddle::ptx
