#pragma once
// Random multiprogrammed mixes (CUsched, Section IV-A). The applications of a mix are distinct. An
// application is short or long by the launch-weighted mean time of its thread blocks.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct MixCandidate {
  std::string name;
  double block_time_ps = 0;  // from mean_block_time_ps()
};

struct Mix {
  std::vector<std::size_t> members;  // indices of candidates, in order of drawing
  std::size_t long_members = 0;      // number of long members
};

// Returns for each candidate whether it is long. The half with the largest block times, rounded down, is
// long; ties break by position.
std::vector<bool> long_candidates(const std::vector<MixCandidate>& candidates);

// Returns mix number `index` of a seed. Mixes of size 2 are short-short, long-long and short-long in turn;
// mixes of other sizes draw from all candidates. Throws std::invalid_argument unless 1 <= size <= candidates,
// and for size 2 unless each class has two candidates.
Mix draw_mix(const std::vector<MixCandidate>& candidates, std::size_t size, std::uint64_t seed,
             std::uint64_t index);

}  // namespace heddle
