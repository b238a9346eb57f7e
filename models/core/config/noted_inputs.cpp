#include "models/core/config/noted_inputs.h"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <utility>

namespace heddle::config {

namespace {

// The names of the files that were read, by device and number of the file.
class NotedInputs {
 public:
  void note(const std::string& file) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    names_.emplace(std::pair(info.st_dev, info.st_ino), file);
  }
  std::string at(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return {};
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = names_.find({info.st_dev, info.st_ino});
    return found == names_.end() ? std::string() : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<dev_t, ino_t>, std::string> names_;
};

NotedInputs& noted_inputs() {
  static NotedInputs inputs;
  return inputs;
}

}  // namespace

void note_input(const std::string& file) {
  noted_inputs().note(file);
}

std::string input_at(const std::string& path) {
  return noted_inputs().at(path);
}

}  // namespace heddle::config
