#pragma once
// This file writes the stored form of a trace while the text of the trace is read.

#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/traceg/cache_draft.h"
#include "stimuli/traceg/code_table.h"
#include "stimuli/traceg/stored_form.h"
#include "stimuli/traceg/trace_block.h"

namespace heddle {

// The file has its name only after finish(). A file that cannot be written is no error. The memory does not
// depend on the number of blocks.
class StoredTraceWriter {
 public:
  // The file is that of the key below `folder`. `blocks` is the number of blocks of the trace.
  StoredTraceWriter(const std::string& folder, const ContentHash& key, std::uint64_t blocks);

  // Adds the next block of the trace. The block is as it was read: nothing of it was issued or ended. Notes
  // the places of its sequences.
  void add(const TraceBlockData& block, const SpoolFile& spool);
  // All blocks were added. `codes` is the code of the whole trace.
  void finish(const CodeTable& codes);

 private:
  static constexpr std::size_t kBatchRecords = 1024;
  static constexpr std::size_t kBatchBytes = std::size_t{1} << 18U;

  void build_record(const TraceBlockData& block);
  StoredWarp store_warp(const TraceWarp& warp);
  void store_sequence(TraceSequence& sequence);
  StoredPiece store_segment(const SpoolFile& spool, const SpoolFile::Chunk& chunk);
  StoredPiece store_record(std::size_t begin, std::size_t distance);  // `begin`: of the addresses
  StoredPiece store_words();                                          // those of words_
  StoredPiece append(const std::vector<char>& packed, std::size_t bytes);
  void write_records();
  void write_pieces();

  CacheDraft draft_;
  StoredHeader header_;
  Packer packer_;
  ContentHasher index_;
  ContentHasher pieces_;
  std::vector<StoredPiece> records_;   // those that are not written yet
  std::uint64_t index_end_;            // the place of the next record in the index
  std::vector<char> unwritten_;        // pieces
  std::uint64_t pieces_end_;           // the place of `unwritten_`
  std::vector<StoredPiece> segments_;  // of the block
  Words words_;
  std::vector<char> packed_;
  std::vector<char> packed_differences_;
  std::vector<TraceEntry> window_;
};

}  // namespace heddle
