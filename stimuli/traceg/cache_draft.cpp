#include "stimuli/traceg/cache_draft.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

namespace heddle {

namespace {

constexpr mode_t kMode = 0666;  // less what the user's mask takes

}  // namespace

CacheDraft::CacheDraft(std::string file) : file_(std::move(file)) {
  const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  descriptor_ = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) open_named();
}

CacheDraft::~CacheDraft() {
  give_up();
}

void CacheDraft::give_up() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!draft_.empty()) unlink(draft_.c_str());
  draft_.clear();
}

// Returns a name that no other draft of this machine has.
std::string CacheDraft::unused_name() const {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}.draft-{}-{}", file_, getpid(), count++);
}

// Network file systems have no files without a name.
void CacheDraft::open_named() {
  draft_ = file_ + ".draft-XXXXXX";
  descriptor_ = mkostemp(draft_.data(), O_CLOEXEC);
  if (descriptor_ < 0) draft_.clear();
}

void CacheDraft::write(const void* data, std::size_t bytes, std::uint64_t offset) {
  for (std::size_t done = 0; is_good() && done < bytes;) {
    const ssize_t count = pwrite(descriptor_, static_cast<const char*>(data) + done, bytes - done,
                                 static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return give_up();
    done += static_cast<std::size_t>(count);
  }
}

// A file cannot be linked over another one, so the draft gets a name of its own first.
void CacheDraft::publish() {
  if (!is_good()) return;
  if (draft_.empty()) {
    const std::string name = unused_name();
    const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor_);
    if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return give_up();
    draft_ = name;
  }
  if (std::rename(draft_.c_str(), file_.c_str()) != 0) return give_up();
  draft_.clear();
}

}  // namespace heddle
