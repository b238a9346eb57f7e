#include "models/core/config/result_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "models/core/config/config.h"
#include "models/core/config/noted_inputs.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

// The paths of the results that this process has begun.
class OpenResults {
 public:
  bool add(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return paths_.insert(path).second;
  }
  void remove(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    paths_.erase(path);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
};

OpenResults& open_results() {
  static OpenResults results;
  return results;
}

// The one path of a file however its folder is named. The file itself may be a link, which is not followed.
std::string identity_of(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path folder = fs::weakly_canonical(absolute.parent_path(), error);
  return (error ? absolute : folder / absolute.filename()).string();
}

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return S_ISFIFO(mode) ? "a FIFO" : "no plain file";
}

}  // namespace

ResultFile::ResultFile(std::string path, Existing existing, std::string option)
    : path_(std::move(path)),
      draft_(existing == Existing::kRefused ? path_ + ".partial"
                                            : fmt::format("{}.partial-{}", path_, ::getpid())),
      option_(std::move(option)),
      existing_(existing) {
  check_path();
  if (!open_results().add(identity_of(path_))) refuse("this command writes another result there");
  try {
    make_draft();
  } catch (...) {
    open_results().remove(identity_of(path_));
    throw;
  }
}

ResultFile::~ResultFile() {
  if (!finished_) ::unlink(draft_.c_str());
  open_results().remove(identity_of(path_));
}

void ResultFile::refuse(const std::string& why) const {
  throw config::Error({fmt::format("{}{}{}: {}", option_, option_.empty() ? "" : " ", path_, why)});
}

void ResultFile::check_path() const {
  if (existing_ != Existing::kOwned)
    if (const std::string input = config::input_at(path_); !input.empty()) refuse("is the input " + input);
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0) return;
  if (!S_ISREG(info.st_mode))
    refuse(fmt::format("is {}; a result is written to a plain file", kind_of(info.st_mode)));
  if (existing_ == Existing::kRefused)
    throw config::Error({fmt::format("{}: the file exists; choose another with {}", path_, option_)});
  if (::access(path_.c_str(), W_OK) != 0) refuse("the file is write-protected");
}

// Every process makes the draft of a path that it does not replace before the path. So if the path does not
// exist after this process has made the draft, no other process makes it.
void ResultFile::make_draft() const {
  const bool claims = existing_ == Existing::kRefused;
  const auto make = [this] { return ::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); };
  int file = make();
  if (file < 0 && errno == EEXIST && !claims) {  // a process with the same number was killed
    ::unlink(draft_.c_str());
    file = make();
  }
  if (file < 0 && errno == EEXIST)
    throw config::Error({fmt::format(
        "{}: {} exists: another run writes there, or one was killed; choose another file with {}", path_,
        draft_, option_)});
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) refuse("there is no such folder");
  if (file < 0) throw OutputError(fmt::format("cannot make {}: {}", draft_, std::strerror(errno)));
  ::close(file);
  if (!claims) {
    ::unlink(draft_.c_str());
    return;
  }
  try {
    check_path();
  } catch (...) {
    ::unlink(draft_.c_str());
    throw;
  }
}

void ResultFile::finish() {
  check_path();
  finished_ = true;
  if (::rename(draft_.c_str(), path_.c_str()) != 0)
    throw OutputError(fmt::format("cannot rename {} to {}: {}; the result stays in {}", draft_, path_,
                                  std::strerror(errno), draft_));
}

bool is_disk_full(const std::string& folder) {
  constexpr off_t kProbe = 1 << 16;
  std::string path = folder + "/heddle-probe-XXXXXX";
  const int file = ::mkstemp(path.data());
  if (file < 0) return errno == ENOSPC || errno == EDQUOT;
  ::unlink(path.c_str());
  const int error = ::posix_fallocate(file, 0, kProbe);
  ::close(file);
  return error == ENOSPC || error == EDQUOT;
}

void check_result_folder(const std::string& path, const std::string& option) {
  struct stat info {};
  const bool exists = ::lstat(path.c_str(), &info) == 0;
  const bool leads_somewhere = ::stat(path.c_str(), &info) == 0;
  if (!exists || (leads_somewhere && S_ISDIR(info.st_mode))) return;
  throw config::Error({fmt::format("{} {}: is {}, and no folder for results", option, path,
                                   !leads_somewhere        ? "a link to nothing"
                                   : S_ISREG(info.st_mode) ? "a file"
                                                           : kind_of(info.st_mode))});
}

}  // namespace heddle
