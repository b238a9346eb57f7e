#include "stimuli/traceg/stored_trace_writer.h"

#include <cstring>

#include "stimuli/traceg/stored_code.h"

namespace heddle {

namespace {

constexpr std::size_t kWord = sizeof(std::uint32_t);

void append_words(Words& words, const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const std::size_t at = words.size();
  words.resize(at + bytes / kWord);
  std::memcpy(words.data() + at, data, bytes);
}

std::uint32_t address_bytes_of(const TraceSequence& sequence) {
  std::size_t bytes = 0;
  for (const TraceEntry entry : sequence.entries) bytes += address_bytes(entry);
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

StoredTraceWriter::StoredTraceWriter(const std::string& folder, const ContentHash& key, std::uint64_t blocks)
    : draft_(stored_trace_file(folder, key)),
      header_(make_stored_header(key, blocks)),
      index_end_(sizeof(StoredHeader)),
      pieces_end_(sizeof(StoredHeader) + sizeof(StoredPiece) * blocks) {
  if (blocks > kMostStoredBlocks) draft_.give_up();
}

void StoredTraceWriter::add(const TraceBlockData& block, const SpoolFile& spool) {
  if (!draft_.is_good()) return;
  segments_.clear();
  for (const TraceWarp& warp : block.warps)
    for (const SpoolFile::Chunk& chunk : warp.chunks) segments_.push_back(store_segment(spool, chunk));
  for (const TraceWarp& warp : block.warps)
    if (warp.sequence != nullptr && warp.sequence->place.bytes == 0) store_sequence(*warp.sequence);
  build_record(block);
  if (records_.size() == kBatchRecords) write_records();
}

// The addresses lie in the order in which the text has the warps, and in the record in the order of the
// warps.
void StoredTraceWriter::build_record(const TraceBlockData& block) {
  words_.assign(sizeof(StoredRecord) / kWord, 0);
  std::size_t distance = 0;
  for (const TraceWarp& warp : block.warps) {
    const StoredWarp stored = store_warp(warp);
    if (distance == 0) distance = stored.address_bytes / kWord;
    append_words(words_, &stored, sizeof stored);
  }
  append_words(words_, segments_.data(), segments_.size() * sizeof(StoredPiece));
  const std::size_t begin = words_.size();
  for (const TraceWarp& warp : block.warps)
    if (warp.sequence != nullptr)
      append_words(words_, block.addresses.data() + warp.address_at, warp.sequence->address_bytes);
  words_[0] = static_cast<std::uint32_t>(segments_.size());
  records_.push_back(store_record(begin, distance));
}

StoredWarp StoredTraceWriter::store_warp(const TraceWarp& warp) {
  StoredWarp stored;
  stored.segments = static_cast<std::uint32_t>(warp.chunks.size());
  if (warp.sequence == nullptr) return stored;
  stored.sequence = warp.sequence->place;
  stored.address_bytes = warp.sequence->address_bytes;
  return stored;
}

// The addresses of a warp are mostly those of the warp before, a step further. Where they are not, the
// addresses themselves are often packed better.
StoredPiece StoredTraceWriter::store_record(std::size_t begin, std::size_t distance) {
  const std::size_t bytes = words_.size() * kWord;
  if (bytes > kMostPieceBytes) {
    draft_.give_up();
    return {};
  }
  packer_.pack(words_.data(), bytes, packed_);
  words_[1] = static_cast<std::uint32_t>(distance);
  to_differences(words_.data() + begin, words_.size() - begin, distance);
  packer_.pack(words_.data(), bytes, packed_differences_);
  const bool is_smaller = packed_differences_.size() < packed_.size();
  return append(is_smaller ? packed_differences_ : packed_, bytes);
}

void StoredTraceWriter::store_sequence(TraceSequence& sequence) {
  words_.clear();
  append_words(words_, sequence.entries.data(), sequence.entries.size() * sizeof(TraceEntry));
  to_differences(words_.data(), words_.size(), kSequenceDistance);
  sequence.place = store_words();
  sequence.address_bytes = address_bytes_of(sequence);
}

StoredPiece StoredTraceWriter::store_segment(const SpoolFile& spool, const SpoolFile::Chunk& chunk) {
  spool.read(chunk, window_);
  words_ = {chunk.entries, chunk.bytes};
  append_words(words_, window_.data(), chunk.entries * sizeof(TraceEntry) + chunk.bytes);
  to_differences(words_.data() + 2, chunk.entries * (sizeof(TraceEntry) / kWord), kSequenceDistance);
  return store_words();
}

StoredPiece StoredTraceWriter::store_words() {
  const std::size_t bytes = words_.size() * kWord;
  if (bytes > kMostPieceBytes) {
    draft_.give_up();
    return {};
  }
  packer_.pack(words_.data(), bytes, packed_);
  return append(packed_, bytes);
}

StoredPiece StoredTraceWriter::append(const std::vector<char>& packed, std::size_t bytes) {
  const StoredPiece piece{pieces_end_ + unwritten_.size(), static_cast<std::uint32_t>(packed.size()),
                          static_cast<std::uint32_t>(bytes)};
  unwritten_.insert(unwritten_.end(), packed.begin(), packed.end());
  if (unwritten_.size() >= kBatchBytes) write_pieces();
  return piece;
}

void StoredTraceWriter::write_pieces() {
  pieces_.add(unwritten_.data(), unwritten_.size());
  draft_.write(unwritten_.data(), unwritten_.size(), pieces_end_);
  pieces_end_ += unwritten_.size();
  unwritten_.clear();
}

void StoredTraceWriter::write_records() {
  const std::size_t bytes = records_.size() * sizeof(StoredPiece);
  index_.add(records_.data(), bytes);
  draft_.write(records_.data(), bytes, index_end_);
  index_end_ += bytes;
  records_.clear();
}

void StoredTraceWriter::finish(const CodeTable& codes) {
  const std::string code = stored_code_of(codes);
  packer_.pack(code.data(), code.size(), packed_);
  header_.code = append(packed_, code.size());
  write_pieces();
  write_records();
  header_.file_bytes = pieces_end_;
  header_.index_hash = index_.hash();
  header_.pieces_hash = pieces_.hash();
  header_.header_hash = header_hash_of(header_);
  draft_.write(&header_, sizeof header_, 0);
  draft_.publish();
}

}  // namespace heddle
