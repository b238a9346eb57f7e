#include "models/stats/waves/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "models/core/config/noted_inputs.h"

namespace heddle {

namespace {

constexpr std::size_t kStep = std::size_t{4} << 20U;  // bytes that are given back together; whole pages

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw WaveFileError(fmt::format("{}: cannot be read: {}", name, reason));
}

}  // namespace

MappedFile::MappedFile(const std::string& path, std::string name) : name_(std::move(name)) {
  config::note_input(path);
  // A FIFO without a writer would block a plain open().
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail(name_, std::generic_category().message(errno));
  struct stat status {};
  const bool is_regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  void* data = MAP_FAILED;
  int error = EINVAL;
  if (is_regular && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    error = errno;
  }
  ::close(file);
  if (!is_regular) fail(name_, "it is no regular file");
  if (status.st_size == 0) fail(name_, "it is empty");
  if (data == MAP_FAILED) fail(name_, std::generic_category().message(error));
  ::madvise(data, size_, MADV_SEQUENTIAL);
  data_ = static_cast<const char*>(data);
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::release_before(std::size_t position) {
  if (position < released_) released_ = 0;  // the text is read once more
  if (position < released_ + kStep) return;
  const std::size_t end = position / kStep * kStep;
  ::madvise(const_cast<char*>(data_) + released_, end - released_, MADV_DONTNEED);
  released_ = end;
}

}  // namespace heddle
