#pragma once
// This file reads the thread blocks of a trace, in the order of the file, into their compact form.

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

// TraceLimits has the memory limits of a trace. From the point at which a limit is reached, the rest of the
// block that is read goes to the spool file.
struct TraceLimits {
  std::uint64_t block_bytes = std::uint64_t{16} << 20U;      // of one block, bytes in memory
  std::uint64_t resident_bytes = std::uint64_t{128} << 20U;  // of all blocks that have not ended
};

// Errors are config::Error with one problem, "file:line: message". The reader must not be used after an
// error.
class BlockReader {
 public:
  // `source` is at the line after the header. The arguments must outlive the reader.
  BlockReader(TextSource& source, const TraceHeader& header, const TraceLimits& limits, CodeTable& codes,
              SequencePool& pool, SpoolFile& spool);

  // Reads the next block into `block`, which must be empty. `resident` is the number of bytes of the other
  // blocks in memory.
  void read(TraceBlockData& block, std::uint64_t resident);

  // Checks that only blank lines follow.
  void read_end();

 private:
  void read_place();
  void read_cluster();
  void read_warp(TraceBlockData& block, std::string_view number);
  void read_instructions(TraceBlockData& block, std::uint32_t number, std::uint64_t count);
  void read_instruction(std::vector<std::byte>& bytes, const char* line);
  void add_other(const CodeText& code, const char* after);
  bool is_next(std::uint32_t pc);
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

  std::vector<bool> seen_;  // by linear index in the grid; empty if the grid is too large
  std::uint64_t place_[3] = {};
  std::uint32_t warp_ = 0;
  std::uint8_t phase_ = 0;            // of the warp after the last line
  std::vector<TraceEntry> entries_;   // of the warp that is read now, in neither pool nor spool
  std::vector<std::byte> addresses_;  // of the block's sequences
  std::vector<std::byte> spooled_;    // addresses of entries_, while spooling
  bool spooling_ = false;             // the rest of the block goes to the spool file
  std::uint64_t pooled_ = 0;          // bytes of the block's entries in the pool
  std::uint64_t resident_ = 0;
  std::uint32_t previous_ = CodeTable::kNone;  // the entry of the previous line
  std::uint32_t guess_ = CodeTable::kNone;
  LaneAddresses lanes_;
  LineScanner::HexStart start_;  // of the addresses of lanes
};

}  // namespace heddle
