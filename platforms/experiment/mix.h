#pragma once
// Random multiprogrammed mixes (CUsched, Section IV-A): distinct applications, short or long by the
// launch-weighted mean time of their thread blocks.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct MixCandidate {
  std::string name;
  double block_time_ps = 0;  // mean_block_time_ps()
};

struct Mix {
  std::vector<std::size_t> members;  // indices of candidates, in order of drawing
  std::size_t long_members = 0;      // how many of them are long
};

// Which candidates are long: the half with the largest block time, rounded down; ties by position.
std::vector<bool> long_candidates(const std::vector<MixCandidate>& candidates);

// Mix number `index` of that seed. Size 2 takes short-short, long-long and short-long in turn; other sizes
// draw from all. 1 <= size <= candidates; for size 2 two of each class. Otherwise std::invalid_argument.
Mix draw_mix(const std::vector<MixCandidate>& candidates, std::size_t size, std::uint64_t seed,
             std::uint64_t index);

}  // namespace heddle
