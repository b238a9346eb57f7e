#include "platforms/experiment/mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "models/core/base/random.h"

namespace heddle {

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
             std::uint64_t index) {
  if (size == 0 || size > candidates.size())
    throw std::invalid_argument(fmt::format("a mix of {} from {} applications", size, candidates.size()));
  const std::vector<bool> is_long = long_candidates(candidates);
  Random random = Random(seed).fork(fmt::format("mix {} {}", size, index));
  std::vector<std::size_t> pool(candidates.size());
  std::iota(pool.begin(), pool.end(), std::size_t{0});
  random.shuffle(pool);

  std::vector<bool> classes;  // of the members, if the size prescribes them; true: long
  if (size == 2) classes = {index % 3 == 1, index % 3 != 0};
  Mix mix;
  for (std::size_t i = 0; i < size; ++i) {
    const auto next = std::find_if(pool.begin(), pool.end(), [&](std::size_t candidate) {
      return classes.empty() || is_long[candidate] == classes[i];
    });
    if (next == pool.end()) throw std::invalid_argument("too few applications of one class for a mix of two");
    mix.members.push_back(*next);
    mix.long_members += is_long[*next] ? 1 : 0;
    pool.erase(next);
  }
  return mix;
}

}  // namespace heddle
