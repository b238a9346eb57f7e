#include "platforms/experiment/mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "models/core/base/random.h"

namespace heddle {

namespace {

// The number of long members that the category asks for, or the nearest that the candidates allow.
std::size_t long_members(MixCategory category, std::uint64_t index, std::size_t size,
                         const std::vector<bool>& is_long) {
  constexpr std::array kInTurn{MixCategory::kShort, MixCategory::kLong, MixCategory::kMixed};
  if (category == MixCategory::kInTurn) category = kInTurn.at(index % kInTurn.size());
  const auto longs = static_cast<std::size_t>(std::count(is_long.begin(), is_long.end(), true));
  const std::size_t shorts = is_long.size() - longs;
  const std::size_t wanted = category == MixCategory::kShort  ? 0
                             : category == MixCategory::kLong ? size
                                                              : size / 2;
  return std::clamp(wanted, size - std::min(size, shorts), std::min(size, longs));
}

}  // namespace

std::vector<bool> long_candidates(const std::vector<MixCandidate>& candidates) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].block_time_ps > candidates[b].block_time_ps;
  });
  std::vector<bool> is_long(candidates.size(), false);
  for (std::size_t i = 0; i < candidates.size() / 2; ++i) is_long[order[i]] = true;
  return is_long;
}

Mix draw_mix(const std::vector<MixCandidate>& candidates, std::size_t size, std::uint64_t seed,
             std::uint64_t index, MixCategory category) {
  if (size == 0 || size > candidates.size())
    throw std::invalid_argument(fmt::format("a mix of {} from {} applications", size, candidates.size()));
  const std::vector<bool> is_long = long_candidates(candidates);
  Random random = Random(seed).fork(fmt::format("mix {} {}", size, index));
  std::vector<std::size_t> pool(candidates.size());
  std::iota(pool.begin(), pool.end(), std::size_t{0});
  random.shuffle(pool);

  const bool by_class = category != MixCategory::kAny;
  const std::size_t longs = by_class ? long_members(category, index, size, is_long) : size;
  Mix mix;
  for (const std::size_t candidate : pool) {
    if (mix.members.size() == size) break;
    const std::size_t short_members = mix.members.size() - mix.long_members;
    const bool has_room = is_long[candidate] ? mix.long_members < longs : short_members < size - longs;
    if (by_class && !has_room) continue;
    mix.members.push_back(candidate);
    mix.long_members += is_long[candidate] ? 1 : 0;
  }
  return mix;
}

}  // namespace heddle
