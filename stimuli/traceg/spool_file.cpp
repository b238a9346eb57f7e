#include "stimuli/traceg/spool_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace heddle {

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(
      fmt::format("the temporary file of a trace cannot be {}: {}", what, std::strerror(errno)));
}

}  // namespace

SpoolFile::~SpoolFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SpoolFile::open_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string name = std::string(folder != nullptr && *folder != 0 ? folder : "/var/tmp") + "/heddle-XXXXXX";
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("made");
  unlink(name.c_str());
}

SpoolFile::Chunk SpoolFile::write(const std::vector<TraceEntry>& entries,
                                  const std::vector<std::byte>& bytes) {
  if (descriptor_ < 0) open_file();
  const Chunk chunk{end_, static_cast<std::uint32_t>(entries.size()),
                    static_cast<std::uint32_t>(bytes.size())};
  write_all(entries.data(), entries.size() * sizeof(TraceEntry));
  write_all(bytes.data(), bytes.size());
  return chunk;
}

void SpoolFile::write_all(const void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        pwrite(descriptor_, static_cast<const char*>(data) + done, bytes - done, static_cast<off_t>(end_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("written");
    done += static_cast<std::size_t>(count);
    end_ += static_cast<std::uint64_t>(count);
  }
}

void SpoolFile::read_all(void* data, std::size_t bytes, std::uint64_t offset) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        pread(descriptor_, static_cast<char*>(data) + done, bytes - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("read");
    done += static_cast<std::size_t>(count);
  }
}

void SpoolFile::read(const Chunk& chunk, std::vector<TraceEntry>& window) const {
  const std::size_t bytes = chunk.entries * sizeof(TraceEntry) + chunk.bytes;
  window.resize((bytes + sizeof(TraceEntry) - 1) / sizeof(TraceEntry));
  read_all(window.data(), bytes, chunk.offset);
}

TraceEntry SpoolFile::read_entry(const Chunk& chunk, std::uint32_t index) const {
  TraceEntry entry;
  read_all(&entry, sizeof entry, chunk.offset + index * sizeof entry);
  return entry;
}

void SpoolFile::discard(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  // The result is ignored: on a file system without holes the file keeps the space until it is closed.
  (void)fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                  static_cast<off_t>(end - begin));
}

}  // namespace heddle
