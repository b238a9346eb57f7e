#include "models/noc/read_merger.h"

#include <utility>

namespace heddle {

namespace {

bool may_merge(RequestKind kind) {
  return kind == RequestKind::kLoad || kind == RequestKind::kConstant || kind == RequestKind::kInstruction;
}

}  // namespace

ReadMerger::ReadMerger(const MergeSpec& spec) : spec_(spec), reads_(spec.entries) {
  at_.reserve(spec.entries);
  reset();
}

void ReadMerger::reset() {
  at_.clear();
  free_.clear();
  for (std::uint32_t entry = spec_.entries; entry > 0; --entry) {
    reads_[entry - 1] = {};
    free_.push_back(entry - 1);
  }
  answered_.clear();
  waiting_ = 0;
}

bool ReadMerger::waits(MemoryRequest& request) {
  request.merger_entry = 0;
  const auto found = at_.find(line_of(request.address));
  if (found != at_.end()) {
    Read& read = reads_[found->second];
    const bool covers = read.first <= request.address && request.address + request.bytes <= read.end;
    if (may_merge(request.kind) && covers && read.waiting.size() + 1 < spec_.reads) {
      read.waiting.push_back(&request);
      ++waiting_;
      return true;
    }
    close(read);
  }
  if (!may_merge(request.kind) || free_.empty()) return false;
  const std::uint32_t entry = free_.back();
  free_.pop_back();
  Read& read = reads_[entry];
  read.line = line_of(request.address);
  read.first = request.address;
  read.end = request.address + request.bytes;
  read.open = true;
  at_[read.line] = entry;
  request.merger_entry = entry + 1;
  return false;
}

const std::vector<MemoryRequest*>& ReadMerger::answered(const MemoryRequest& request) {
  answered_.clear();
  if (request.merger_entry == 0) return answered_;
  const std::uint32_t entry = request.merger_entry - 1;
  Read& read = reads_[entry];
  if (read.open) close(read);
  std::swap(answered_, read.waiting);
  waiting_ -= static_cast<std::uint32_t>(answered_.size());
  free_.push_back(entry);
  return answered_;
}

void ReadMerger::close(Read& read) {
  at_.erase(read.line);
  read.open = false;
}

}  // namespace heddle
