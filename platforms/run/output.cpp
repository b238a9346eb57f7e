#include "platforms/run/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"

namespace heddle {

namespace fs = std::filesystem;

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  if (file) write(file);
  file.close();
  if (!file)
    throw OutputError(fmt::format("cannot write {}: {}", path, std::strerror(errno != 0 ? errno : EIO)));
}

void write_file(const std::string& path, const std::string& text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

void write_inputs(const Experiment& experiment, const std::string& directory) {
  write_file(directory + "/experiment.yaml", resolved_yaml(experiment));
  write_file(directory + "/platform.yaml", experiment.platform_yaml);
  const std::string applications = directory + "/applications";
  std::error_code error;
  fs::create_directories(applications, error);
  if (error) throw OutputError(fmt::format("cannot make {}: {}", applications, error.message()));
  for (const ExperimentApplication& use : experiment.applications) {
    if (!use.yaml.empty())
      write_file(fmt::format("{}/{}.yaml", applications, use.application.program.name), use.yaml);
    for (const auto& [name, file] : use.files) {
      const fs::path copy = fs::path(applications) / name;
      fs::create_directories(copy.parent_path(), error);
      if (!error) fs::copy_file(file, copy, fs::copy_options::overwrite_existing, error);
      if (error) throw OutputError(fmt::format("cannot write {}: {}", copy.string(), error.message()));
    }
  }
}

ResultsDirectory::ResultsDirectory(const std::string& path)
    : path_(fs::path(path).lexically_normal().string()) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  draft_ = fmt::format("{}.partial-{}", path_, ::getpid());
  std::error_code error;
  if (fs::exists(fs::symlink_status(path_, error)))
    throw config::Error({fmt::format("{}: the results directory exists; choose another with --out", path_)});
  for (fs::path above = fs::path(path_).parent_path(); !above.empty() && !fs::exists(above, error);
       above = above.parent_path())
    made_.push_back(above.string());
  fs::create_directories(draft_, error);
  if (!error) return;
  remove();
  throw OutputError(fmt::format("cannot make {}: {}", draft_, error.message()));
}

ResultsDirectory::~ResultsDirectory() {
  if (!finished_) remove();
}

void ResultsDirectory::remove() {
  std::error_code ignored;
  fs::remove_all(draft_, ignored);
  for (const std::string& above : made_) fs::remove(above, ignored);  // removes empty folders only
}

void ResultsDirectory::finish() {
  if (::rename(draft_.c_str(), path_.c_str()) != 0)
    throw OutputError(fmt::format("cannot rename {} to {}: {}", draft_, path_, std::strerror(errno)));
  finished_ = true;
}

}  // namespace heddle
