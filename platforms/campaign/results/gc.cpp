// What a campaign's directory has no use for any more.

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include "platforms/campaign/store/points.h"
#include "platforms/campaign/results/results.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::uint64_t size_of(const std::string& path) {
  std::error_code error;  // of what goes meanwhile
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    const std::uintmax_t bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
    return error ? 0 : bytes;
  }
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) bytes += size_of(entry.path());
  return bytes;
}

std::string kib(std::uint64_t bytes) {
  return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
}

}  // namespace

int batch_gc(const GcOptions& options) {
  read_points(options.directory);  // throws where there is none: the lock would make the directory
  std::optional<CampaignLock> lock;
  if (!options.dry_run) lock.emplace(options.directory, CampaignLock::Mode::kAlone);
  std::set<std::string> named;
  for (const PointRecord& record : read_points(options.directory).points) {
    named.insert(record.runs.begin(), record.runs.end());
    named.insert(record.alone.begin(), record.alone.end());
  }
  const RunStore store(options.directory);
  std::uint64_t total = 0;
  const std::vector<std::string> paths = store.leftovers(named);
  for (const std::string& path : paths) {
    const std::uint64_t bytes = size_of(path);
    total += bytes;
    if (!options.dry_run) store.discard(path);
    std::cout << fmt::format("{}: {}\n", path, kib(bytes));
  }
  std::cout << fmt::format("{} of {} {}\n", paths.size(), kib(total),
                           options.dry_run ? "would be removed" : "removed");
  return 0;
}

}  // namespace heddle
