#pragma once
// The directory DIR/submissions/N of one submission to Slurm: its runs in chunks, one for each task, and the
// campaign at that time.

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

// Writes a submission under the first free number and returns its absolute path. Throws OutputError.
std::string make_submission(const std::string& directory, const Campaign& campaign,
                            const std::vector<Chunk>& chunks);

// Throws config::Error if there is no such chunk or it is damaged.
std::vector<ChunkRun> read_chunk(const std::string& submission, std::uint64_t chunk);

}  // namespace heddle
