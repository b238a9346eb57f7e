#include "stimuli/traceg/stored_block_reader.h"

#include <algorithm>
#include <cstring>

namespace heddle {

namespace {

constexpr std::size_t kEntryWords = sizeof(TraceEntry) / sizeof(std::uint32_t);

template <class T>
T take(const std::uint32_t*& words) {
  T value;
  std::memcpy(static_cast<void*>(&value), words, sizeof value);
  words += sizeof value / sizeof(std::uint32_t);
  return value;
}

}  // namespace

void StoredBlockReader::read(std::uint64_t number, TraceBlockData& block, std::uint64_t resident) {
  file_.fetch(file_.record(number), record_);
  const std::uint32_t* words = record_.data();
  const auto record = take<StoredRecord>(words);
  const std::uint32_t* segments = words + warps_ * (sizeof(StoredWarp) / sizeof(std::uint32_t));
  const std::size_t begin = static_cast<std::size_t>(segments - record_.data()) +
                            record.segments * (sizeof(StoredPiece) / sizeof(std::uint32_t));
  from_differences(record_.data() + begin, record_.size() - begin, record.distance);
  const auto* addresses = reinterpret_cast<const std::byte*>(record_.data() + begin);
  block.warps.resize(warps_);
  block.spool_begin = spool_.end();
  bool is_spooling = false;
  std::uint64_t kept = 0;  // bytes of this block in memory
  for (std::uint32_t w = 0; w < warps_; ++w) {
    const auto stored = take<StoredWarp>(words);
    TraceWarp& warp = block.warps[w];
    warp.given = true;
    warp.address_at = block.addresses.size();
    is_spooling = is_spooling || kept >= limits_.block_bytes || resident + kept >= limits_.resident_bytes;
    if (stored.sequence.bytes > 0 && is_spooling) {
      spool(stored, addresses, warp);
    } else if (stored.sequence.bytes > 0) {
      kept += keep(w, stored, warp) + stored.address_bytes;
      block.addresses.insert(block.addresses.end(), addresses, addresses + stored.address_bytes);
    }
    addresses += stored.address_bytes;
    for (std::uint32_t i = 0; i < stored.segments; ++i) spool_segment(take<StoredPiece>(segments), warp);
  }
  block.spool_end = spool_.end();
}

// Returns the bytes of memory that the entries of the warp take.
std::uint64_t StoredBlockReader::keep(std::uint32_t number, const StoredWarp& stored, TraceWarp& warp) {
  warp.sequence = pool_.find(number, stored.sequence);
  if (warp.sequence != nullptr) return 0;
  fetch_entries(stored.sequence);
  const std::uint64_t before = pool_.bytes();
  warp.sequence = pool_.keep(number, entries_);
  warp.sequence->place = stored.sequence;
  return pool_.bytes() - std::min(before, pool_.bytes());
}

void StoredBlockReader::spool(const StoredWarp& stored, const std::byte* addresses, TraceWarp& warp) {
  fetch_entries(stored.sequence);
  batch_.clear();
  bytes_.clear();
  for (const TraceEntry entry : entries_) {
    batch_.push_back(entry);
    const std::size_t count = address_bytes(entry);
    bytes_.insert(bytes_.end(), addresses, addresses + count);
    addresses += count;
    if (batch_.size() < SpoolFile::kChunkEntries && bytes_.size() < SpoolFile::kChunkBytes) continue;
    warp.chunks.push_back(spool_.write(batch_, bytes_));
    batch_.clear();
    bytes_.clear();
  }
  if (!batch_.empty()) warp.chunks.push_back(spool_.write(batch_, bytes_));
}

void StoredBlockReader::spool_segment(const StoredPiece& piece, TraceWarp& warp) {
  file_.fetch(piece, words_);
  const std::size_t entries = words_[0];
  const std::size_t bytes = words_[1];
  std::uint32_t* content = words_.data() + 2;
  from_differences(content, entries * kEntryWords, kSequenceDistance);
  batch_.resize(entries);
  std::memcpy(static_cast<void*>(batch_.data()), content, entries * sizeof(TraceEntry));
  const auto* addresses = reinterpret_cast<const std::byte*>(content + entries * kEntryWords);
  bytes_.assign(addresses, addresses + bytes);
  warp.chunks.push_back(spool_.write(batch_, bytes_));
}

void StoredBlockReader::fetch_entries(const StoredPiece& sequence) {
  file_.fetch(sequence, words_);
  from_differences(words_.data(), words_.size(), kSequenceDistance);
  entries_.resize(words_.size() / kEntryWords);
  std::memcpy(static_cast<void*>(entries_.data()), words_.data(), words_.size() * sizeof(std::uint32_t));
}

}  // namespace heddle
