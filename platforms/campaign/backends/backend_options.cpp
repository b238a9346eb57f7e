#include "platforms/campaign/backends/backend_options.h"

#include <algorithm>
#include <thread>

namespace heddle {

std::string directory_of(const Campaign& campaign, const std::string& directory) {
  return directory.empty() ? "results/campaigns/" + campaign.name : directory;
}

std::size_t jobs_of(std::size_t jobs) {
  return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace heddle
