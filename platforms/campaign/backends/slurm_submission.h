#pragma once
// DIR/submissions/N: the runs that were given to Slurm at one time, chunk by chunk, a chunk for each task,
// with the campaign as it was then.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"
#include "platforms/campaign/store/run_plan.h"

namespace heddle {

using Chunk = std::vector<const PlannedRun*>;

struct ChunkRun {
  std::string id;
  std::size_t point = 0;  // place in Campaign::points
};

// Under the first number that is free; its absolute path. Throws OutputError.
std::string make_submission(const std::string& directory, const Campaign& campaign,
                            const std::vector<Chunk>& chunks);

// Throws config::Error where there is none, or it is damaged.
std::vector<ChunkRun> read_chunk(const std::string& submission, std::uint64_t chunk);

}  // namespace heddle
