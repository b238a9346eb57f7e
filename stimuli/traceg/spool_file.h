#pragma once
// This file has the temporary file of the instructions that exceed the memory limits of a trace. It is
// unlinked while open.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stimuli/traceg/trace_entry.h"

namespace heddle {

// A SpoolFile is created by the first write() in $TMPDIR, or in /var/tmp if that is not set. Errors are
// std::runtime_error.
class SpoolFile {
 public:
  struct Chunk {
    std::uint64_t offset = 0;  // offset of the entries; the bytes of their addresses follow them
    std::uint32_t entries = 0;
    std::uint32_t bytes = 0;
  };
  // A chunk ends at the first limit that it reaches. Each warp of a spooled block has one chunk in memory.
  static constexpr std::size_t kChunkEntries = 256;
  static constexpr std::size_t kChunkBytes = 6 << 10U;  // bytes of addresses

  SpoolFile() = default;
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  // Appends the entries and the bytes of their addresses. Returns their place in the file.
  Chunk write(const std::vector<TraceEntry>& entries, const std::vector<std::byte>& bytes);
  // Fills `window` with the entries of the chunk, and after them with the bytes of their addresses.
  void read(const Chunk& chunk, std::vector<TraceEntry>& window) const;
  TraceEntry read_entry(const Chunk& chunk, std::uint32_t index) const;

  std::uint64_t end() const { return end_; }
  void discard(std::uint64_t begin, std::uint64_t end);  // frees the disk space of the range

 private:
  void open_file();
  void write_all(const void* data, std::size_t bytes);
  void read_all(void* data, std::size_t bytes, std::uint64_t offset) const;

  int descriptor_ = -1;
  std::uint64_t end_ = 0;
};

}  // namespace heddle
