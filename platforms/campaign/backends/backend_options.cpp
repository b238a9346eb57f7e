#include "platforms/campaign/backends/backend_options.h"

#include <algorithm>
#include <thread>

#include "models/core/config/result_file.h"

namespace heddle {

std::string directory_of(const Campaign& campaign, const std::string& directory) {
  std::string path = directory.empty() ? "results/campaigns/" + campaign.name : directory;
  check_result_folder(path, "--dir");
  return path;
}

std::size_t jobs_of(std::size_t jobs) {
  return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace heddle
