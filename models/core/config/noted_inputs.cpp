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
    names_[{info.st_dev, info.st_ino}] = file;
  }
  std::string at(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return {};
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = names_.find({info.st_dev, info.st_ino});
    if (found == names_.end() || !stands_for(found->second, info)) return {};
    return found->second;
  }

 private:
  // A new file may have the number of an input that has been removed.
  static bool stands_for(const std::string& name, const struct stat& file) {
    struct stat info {};
    return ::stat(name.c_str(), &info) == 0 && info.st_dev == file.st_dev && info.st_ino == file.st_ino;
  }

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
