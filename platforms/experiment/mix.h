#pragma once
// Random multiprogrammed mixes (CUsched, Section IV-A). The applications of a mix are distinct. An
// application is short or long by the launch-weighted mean time of its thread blocks. "We ensure that each
// experiment includes a uniform distribution of combinations for each category (short-short, long-long and
// short-long)": the mixes of every size are of the three categories in turn.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct MixCandidate {
  std::string name;
  double block_time_ps = 0;  // from mean_block_time_ps()
};

// How many members of a mix are long.
enum class MixCategory : std::uint8_t {
  kInTurn,  // kShort, kLong and kMixed by the number of the mix, in turn
  kShort,   // as few as the candidates allow
  kLong,    // as many as the candidates allow
  kMixed,   // half, rounded down, or as near to it as the candidates allow
  kAny,     // as many as chance gives
};

struct Mix {
  std::vector<std::size_t> members;  // indices of candidates, in order of drawing
  std::size_t long_members = 0;      // number of long members
};

// Returns for each candidate whether it is long. The half with the largest block times, rounded down, is
// long; ties break by position.
std::vector<bool> long_candidates(const std::vector<MixCandidate>& candidates);

// Returns mix number `index` of a seed. Throws std::invalid_argument unless 1 <= size <= candidates.
Mix draw_mix(const std::vector<MixCandidate>& candidates, std::size_t size, std::uint64_t seed,
             std::uint64_t index, MixCategory category = MixCategory::kInTurn);

}  // namespace heddle
