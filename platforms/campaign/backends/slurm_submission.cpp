#include "platforms/campaign/backends/slurm_submission.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string chunk_file(const std::string& submission, std::uint64_t chunk) {
  return fmt::format("{}/chunks/{}.json", submission, chunk);
}

}  // namespace

std::string make_submission(const std::string& directory, const Campaign& campaign,
                            const std::vector<Chunk>& chunks) {
  int number = 1;
  while (fs::exists(fmt::format("{}/submissions/{}", directory, number))) ++number;
  std::string path = fs::absolute(fmt::format("{}/submissions/{}", directory, number)).lexically_normal();
  std::error_code error;
  fs::create_directories(path + "/chunks", error);
  if (error) throw OutputError(fmt::format("cannot make {}: {}", path, error.message()));
  write_result(path + "/campaign.yaml", Existing::kOwned, "", campaign.yaml);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Json json = Json::array();
    for (const PlannedRun* run : chunks[i]) json.push_back({{"id", run->id}, {"point", run->point}});
    write_result(chunk_file(path, i), Existing::kOwned, "", json.dump() + "\n");
  }
  return path;
}

std::vector<ChunkRun> read_chunk(const std::string& submission, std::uint64_t chunk) {
  const std::string path = chunk_file(submission, chunk);
  config::check_file(path);
  std::ifstream file(path);
  if (!file) throw config::Error({path + ": there is no such chunk"});
  try {
    std::vector<ChunkRun> runs;
    for (const Json& run : Json::parse(file)) runs.push_back({run.at("id"), run.at("point")});
    return runs;
  } catch (const Json::exception&) {
    throw config::Error({path + ": is damaged"});
  }
}

}  // namespace heddle
