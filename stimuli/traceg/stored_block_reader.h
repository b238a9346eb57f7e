#pragma once
// This file reads the thread blocks of a trace from its stored form, in any order.

#include <cstdint>
#include <vector>

#include "stimuli/traceg/block_reader.h"
#include "stimuli/traceg/stored_file.h"

namespace heddle {

// Errors are std::runtime_error: the file cannot be read any more.
class StoredBlockReader {
 public:
  // A block has this many warps. All arguments but the number must outlive the reader.
  StoredBlockReader(StoredFile& file, std::uint32_t warps, const TraceLimits& limits, SequencePool& pool,
                    SpoolFile& spool)
      : file_(file), warps_(warps), limits_(limits), pool_(pool), spool_(spool) {}

  // Reads the block of this number into `block`, which must be empty. `resident` is the number of bytes of
  // the other blocks in memory. From the point at which a limit is reached, whole warps go to the spool file.
  void read(std::uint64_t number, TraceBlockData& block, std::uint64_t resident);

 private:
  std::uint64_t keep(std::uint32_t number, const StoredWarp& stored, TraceWarp& warp);
  void spool(const StoredWarp& stored, const std::byte* addresses, TraceWarp& warp);
  void spool_segment(const StoredPiece& piece, TraceWarp& warp);
  void fetch_entries(const StoredPiece& sequence);

  StoredFile& file_;
  const std::uint32_t warps_;
  const TraceLimits limits_;
  SequencePool& pool_;
  SpoolFile& spool_;

  Words record_;  // of the block
  Words words_;   // of another piece
  std::vector<TraceEntry> entries_;
  std::vector<TraceEntry> batch_;
  std::vector<std::byte> bytes_;
};

}  // namespace heddle
