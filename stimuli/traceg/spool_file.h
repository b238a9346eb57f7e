#pragma once
// An unlinked temporary file for instructions that memory is not spent on.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stimuli/traceg/trace_entry.h"

namespace heddle {

// Lies in $TMPDIR, else /var/tmp, and is made when first written. Errors: std::runtime_error.
class SpoolFile {
 public:
  struct Chunk {
    std::uint64_t offset = 0;  // of the entries; the bytes of their addresses follow
    std::uint32_t entries = 0;
    std::uint32_t bytes = 0;
  };

  SpoolFile() = default;
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  Chunk write(const std::vector<TraceEntry>& entries, const std::vector<std::byte>& bytes);
  // Entries, then the bytes of their addresses.
  void read(const Chunk& chunk, std::vector<TraceEntry>& window) const;
  TraceEntry read_entry(const Chunk& chunk, std::uint32_t index) const;

  std::uint64_t end() const { return end_; }
  void discard(std::uint64_t begin, std::uint64_t end);  // gives the disk its space back

 private:
  void open_file();
  void write_all(const void* data, std::size_t bytes);
  void read_all(void* data, std::size_t bytes, std::uint64_t offset) const;

  int descriptor_ = -1;
  std::uint64_t end_ = 0;
};

}  // namespace heddle
