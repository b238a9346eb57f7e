#include "models/sm/pipeline/bulk_copy_unit.h"

namespace heddle {

void BulkCopyUnit::reset() {
  copies_.clear();
  free_.clear();
  queue_.clear();
  request_.reset();
  under_way_ = lines_ = 0;
  had_turn_ = false;
  next_line_ = Cycle{0};
}

void BulkCopyUnit::start_copies(const MemoryOwner& owner, Cycle now) {
  for (const BulkCopy& what : table_.warps[owner.warp].stream->bulk_copies()) start(what, owner, now);
}

// A store joins the open group of bulk stores of its warp.
void BulkCopyUnit::start(const BulkCopy& what, const MemoryOwner& owner, Cycle now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Copy& copy = copies_[number];
  copy = {what, owner, now + spec_.latency, 0, 0, 0};
  IssueWarp& warp = table_.warps[owner.warp];
  if (what.is_store) {
    copy.owner.copy_group = warp.groups.bulk_stores.add();
    warp.groups.bulk_reads.add();
  }
  ++warp.bulk_copies;
  ++under_way_;
  ++counts_[owner.account].bulk_copies;
  queue_.push_back(number);
}

// Makes the next request of the oldest copy. It is for the next byte of the present piece and for all bytes
// behind it in the same line of 128 bytes.
void BulkCopyUnit::prepare(Cycle now) {
  const std::uint32_t number = queue_.front();
  Copy& copy = copies_[number];
  const BulkCopy::Piece& piece = copy.what.pieces[copy.piece];
  const Address first = piece.address + copy.offset;
  const Address end = std::min((first / kLineBytes + 1) * kLineBytes, piece.address + piece.bytes);
  MemoryRequest request = request_of(copy, first, end);
  request.number = RequestNumber{RequestNumber::Answers::kBulkCopy, 0, number}.packed();
  if (tracer_ != nullptr) request.trace = tracer_->request(request, now);
  KernelCounts& counts = counts_[copy.owner.account];
  // A reduction in bulk counts as a read and as an atomic, because L2 answers it with data.
  ++(request.kind == RequestKind::kStore ? counts.stores : counts.loads);
  counts.atomics += request.kind == RequestKind::kAtomic ? 1 : 0;
  ++counts.bulk_lines;
  ++copy.pending;
  ++lines_;
  next_line_ = now + spec_.interval;
  copy.offset += static_cast<std::uint32_t>(end - first);
  if (copy.offset == piece.bytes) {
    ++copy.piece;
    copy.offset = 0;
  }
  request_ = request;
}

// Returns the request for the bytes from `first` to before `end`, which lie in one line. A request is for
// whole sectors.
MemoryRequest BulkCopyUnit::request_of(const Copy& copy, Address first, Address end) {
  MemoryRequest request;
  request.address = first / kSectorBytes * kSectorBytes;
  const Address sectors_end = (end + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
  request.bytes = static_cast<std::uint32_t>(sectors_end - request.address);
  request.kind = copy.what.is_store ? RequestKind::kStore : RequestKind::kLoad;
  request.context = copy.owner.context;
  request.account = copy.owner.account;
  request.warp = copy.owner.warp;
  if (!copy.what.is_store) return request;
  if (copy.what.reduced_bytes != 0) {
    request.kind = RequestKind::kAtomic;
    request.lanes = static_cast<std::uint8_t>((end - first) / copy.what.reduced_bytes);
    request.depth = static_cast<std::uint8_t>(request.bytes / kSectorBytes);
    return request;
  }
  request.partial = first != request.address || end != sectors_end;
  for (Address byte = first % kLineBytes; byte < first % kLineBytes + (end - first); ++byte)
    request.written[byte / 64] |= std::uint64_t{1} << byte % 64;
  return request;
}

std::optional<std::uint32_t> BulkCopyUnit::pop_request() {
  request_.reset();
  const Copy& copy = copies_[queue_.front()];
  if (has_lines(copy)) return std::nullopt;
  queue_.pop_front();
  if (!copy.what.is_store) return std::nullopt;
  table_.warps[copy.owner.warp].groups.bulk_reads.remove(copy.owner.copy_group);
  return copy.owner.warp;
}

std::optional<std::uint32_t> BulkCopyUnit::answer(std::uint32_t number) {
  Copy& copy = copies_[number];
  --lines_;
  if (--copy.pending > 0 || has_lines(copy)) return std::nullopt;
  IssueWarp& warp = table_.warps[copy.owner.warp];
  --warp.bulk_copies;
  if (copy.what.is_store) warp.groups.bulk_stores.remove(copy.owner.copy_group);
  --under_way_;
  free_.push_back(number);
  warp.stream->complete(copy.what.number);
  return copy.owner.warp;
}

bool BulkCopyUnit::holds(AccountId account) const {
  if (under_way_ == 0) return false;
  return std::any_of(copies_.begin(), copies_.end(), [account](const Copy& copy) {
    return copy.owner.account == account && (copy.pending > 0 || has_lines(copy));
  });
}

}  // namespace heddle
