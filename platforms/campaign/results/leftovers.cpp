#include "platforms/campaign/results/leftovers.h"

#include <filesystem>
#include <optional>
#include <set>

#include "platforms/campaign/store/points.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::uint64_t size_of(const std::string& path) {
  std::error_code error;  // a file can disappear meanwhile
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    const std::uintmax_t bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
    return error ? 0 : bytes;
  }
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) bytes += size_of(entry.path());
  return bytes;
}

}  // namespace

void remove_leftovers(const std::string& directory, bool dry_run,
                      const std::function<void(const Leftover&)>& found) {
  read_points(directory);  // it throws if there is no campaign; the lock below would make the directory
  std::optional<CampaignLock> lock;
  if (!dry_run) lock.emplace(directory, CampaignLock::Mode::kAlone);
  std::set<std::string> named;
  for (const PointRecord& record : read_points(directory).points) {
    named.insert(record.runs.begin(), record.runs.end());
    named.insert(record.alone.begin(), record.alone.end());
  }
  const RunStore store(directory);
  for (const std::string& path : store.leftovers(named)) {
    const Leftover leftover{path, size_of(path)};
    if (!dry_run) store.discard(path);
    found(leftover);
  }
}

}  // namespace heddle
