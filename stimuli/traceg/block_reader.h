#pragma once
// Reads a trace's thread blocks, one after the other, into their compact form.

#include <cstdint>
#include <string_view>
#include <vector>

#include "stimuli/traceg/code_table.h"
#include "stimuli/traceg/header.h"
#include "stimuli/traceg/line_scanner.h"
#include "stimuli/traceg/sequence_pool.h"
#include "stimuli/traceg/spool_file.h"
#include "stimuli/traceg/trace_block.h"

namespace heddle {

// Past either, the rest of the block being read goes to the spool file.
struct TraceLimits {
  std::uint64_t block_bytes = std::uint64_t{16} << 20U;      // in memory of one block
  std::uint64_t resident_bytes = std::uint64_t{128} << 20U;  // of all blocks read and not ended
};

// Every error is a config::Error with one problem, "file:line: message"; nothing can be read after one.
class BlockReader {
 public:
  // `source` stands behind the header.
  BlockReader(TextSource& source, const TraceHeader& header, const TraceLimits& limits, CodeTable& codes,
              SequencePool& pool, SpoolFile& spool);

  // Reads the next block into `block`, which is empty but for its capacity. `resident`: bytes of the others.
  void read(TraceBlockData& block, std::uint64_t resident);

  // Nothing but blank lines may follow.
  void read_end();

 private:
  // A chunk ends at either: each warp of a spooled block has one in memory.
  static constexpr std::size_t kChunkEntries = 256;
  static constexpr std::size_t kChunkBytes = 6 << 10U;  // of addresses

  void read_place();
  void read_warp(TraceBlockData& block, std::string_view number);
  void read_instructions(TraceBlockData& block, std::uint32_t number, std::uint64_t count);
  void read_instruction(std::vector<std::byte>& bytes, const char* line);
  const char* skip_prefix(const char* line);
  const char* read_addresses(CodeText& code, const char* text, std::vector<std::byte>& bytes);
  void read_lanes(LineScanner& line, std::uint32_t mask);
  std::uint32_t place_in_space(CodeText& code);
  void spool_batch(TraceWarp& warp);
  std::string_view expect(const char* start, const char* described);

  TextSource& source_;
  const TraceHeader& header_;
  const TraceLimits limits_;
  CodeTable& codes_;
  SequencePool& pool_;
  SpoolFile& spool_;

  std::vector<bool> seen_;  // by linear index in the grid; empty where the grid is too large
  std::uint64_t place_[3] = {};
  std::uint32_t warp_ = 0;
  std::vector<TraceEntry> entries_;   // of the warp being read that neither pool nor spool has yet
  std::vector<std::byte> addresses_;  // of the block's sequences
  std::vector<std::byte> spooled_;    // addresses of entries_, while spooling
  bool spooling_ = false;             // the rest of the block
  std::uint64_t pooled_ = 0;          // bytes of entries this block added to the pool
  std::uint64_t resident_ = 0;
  std::uint32_t previous_ = CodeTable::kNone;  // entry of the line before
  std::uint32_t guess_ = CodeTable::kNone;
  LaneAddresses lanes_;
};

}  // namespace heddle
