#include "stimuli/traceg/trace_program.h"

#include <algorithm>
#include <utility>

#include "models/core/base/check.h"
#include "stimuli/traceg/stored_code.h"

namespace heddle {

namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20U;  // bytes that a free block keeps at most

void empty(TraceBlockData& data) {
  for (TraceWarp& warp : data.warps) {
    warp.given = false;
    warp.sequence = nullptr;
    warp.chunks.clear();
  }
  data.addresses.clear();
  if (data.addresses.capacity() > kMostKeptBytes) data.addresses.shrink_to_fit();
}

}  // namespace

TraceProgram::TraceProgram(const std::string& file, const TraceLimits& limits, bool with_phases,
                           const std::string& cache, bool tells_branches,
                           std::shared_ptr<const MachineCode> machine_code)
    : source_(std::make_unique<TextSource>(file, !cache.empty())),
      header_(read_trace_header(*source_)),
      limits_(limits),
      tells_branches_(tells_branches),
      machine_code_(std::move(machine_code)),
      phases_(with_phases ? find_trace_phases(file, limits, cache) : TracePhases()),
      codes_(header_, phases_,
             machine_code_ ? machine_code_->find(header_.kernel_name, header_.architecture) : nullptr) {
  if (kHasStoredForm && !cache.empty()) open_stored(cache);
  if (is_stored()) return;
  reader_ = std::make_unique<BlockReader>(*source_, header_, limits_, codes_, pool_, spool_);
  read_next();
}

// Opens the stored form, or begins to write it.
void TraceProgram::open_stored(const std::string& cache) {
  const std::optional<ContentHash> content = source_->hash_of_file();
  if (!content || header_.blocks > kMostStoredBlocks) return;
  content_ = *content;
  const ContentHash key = stored_trace_key(content_, phases_.starts);
  stored_ = StoredFile::open(stored_trace_file(cache, key), key, header_.blocks);
  if (stored_ && !restore_code(*source_, stored_->code(), codes_)) stored_.reset();
  if (!stored_) {
    writer_ = std::make_unique<StoredTraceWriter>(cache, key, header_.blocks);
    return;
  }
  source_.reset();
  stored_reader_ = std::make_unique<StoredBlockReader>(*stored_, header_.warps(), limits_, pool_, spool_);
  started_.resize(header_.blocks);
}

// Returns an empty block. It stays in `free_` until admit().
TraceBlock& TraceProgram::free_block() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<TraceBlock>(codes_, spool_, tells_branches_));
    free_.push_back(all_.back().get());
  }
  return *free_.back();
}

void TraceProgram::admit(std::uint64_t block, TraceBlock& read) {
  free_.pop_back();
  read.rewind();
  addresses_ += read.data().addresses.size();
  ready_.emplace(block, &read);
}

void TraceProgram::read_next() {
  TraceBlock& block = free_block();
  reader_->read(block.data(), resident_bytes());
  if (writer_) writer_->add(block.data(), spool_);
  admit(read_++, block);
  if (read_ < header_.blocks) return;
  reader_->read_end();
  // A file that was changed meanwhile has another hash than the one under which its blocks would be stored.
  if (writer_ && source_->hash_of_read() == content_) writer_->finish(codes_);
  writer_.reset();
}

void TraceProgram::read_stored(std::uint64_t block) {
  TraceBlock& read = free_block();
  stored_reader_->read(block, read.data(), resident_bytes());
  admit(block, read);
  started_[block] = true;
}

BlockStream& TraceProgram::start(BlockId block) {
  HEDDLE_CHECK(block.value < header_.blocks, "trace", Cycle{0}, "block {} of a grid of {}", block.value,
               header_.blocks);
  if (is_stored() && !started_[block.value]) read_stored(block.value);
  while (!is_stored() && read_ <= block.value) read_next();
  const auto found = ready_.find(block.value);
  HEDDLE_CHECK(found != ready_.end(), "trace", Cycle{0}, "block {} started twice", block.value);
  TraceBlock& stream = *found->second;
  ready_.erase(found);
  return stream;
}

// The block keeps what was read of it.
void TraceProgram::drop(BlockStream& stream, BlockId block) {
  auto& dropped = static_cast<TraceBlock&>(stream);
  dropped.rewind();
  ready_.emplace(block.value, &dropped);
}

void TraceProgram::finish(BlockStream& stream) {
  auto& block = static_cast<TraceBlock&>(stream);
  TraceBlockData& data = block.data();
  for (const TraceWarp& warp : data.warps) pool_.release(warp.sequence);
  spool_.discard(data.spool_begin, data.spool_end);
  addresses_ -= data.addresses.size();
  empty(data);
  free_.push_back(&block);
}

}  // namespace heddle
