#include "platforms/run/draft_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "models/core/config/config.h"
#include "platforms/run/output.h"

namespace heddle {

// Every run makes the draft of a path before the path. So if the path does not exist after this run has made
// the draft, no other run makes it.
DraftFile::DraftFile(std::string path, const std::string& option)
    : path_(std::move(path)), draft_(path_ + ".partial") {
  const int file = ::open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (file < 0 && errno == EEXIST)
    throw config::Error({fmt::format(
        "{}: {} exists: another run writes there, or one was killed; choose another file with {}", path_,
        draft_, option)});
  if (file < 0) throw OutputError(fmt::format("cannot make {}: {}", draft_, std::strerror(errno)));
  ::close(file);
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path_, error))) return;
  ::unlink(draft_.c_str());
  throw config::Error({fmt::format("{}: the file exists; choose another with {}", path_, option)});
}

DraftFile::~DraftFile() {
  if (!finished_) ::unlink(draft_.c_str());
}

void DraftFile::finish() {
  finished_ = true;
  if (::rename(draft_.c_str(), path_.c_str()) != 0)
    throw OutputError(fmt::format("cannot rename {} to {}: {}", draft_, path_, std::strerror(errno)));
}

}  // namespace heddle
