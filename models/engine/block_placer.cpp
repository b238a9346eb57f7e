#include "models/engine/block_placer.h"

#include <algorithm>

namespace heddle {

BlockPlacer::BlockPlacer(const EngineSpec& spec, const SmPartitioner& partitioner, const KsrFile& ksrs,
                         SmsrFile& smsrs)
    : packed_(spec.block_placement == BlockPlacement::kPacked),
      order_(partitioner.issue_order()),
      interval_(spec.block_interval),
      tpc_sms_(spec.gpcs.tpc_sms),
      ksrs_(ksrs),
      smsrs_(smsrs),
      clusters_(spec.gpcs, smsrs),
      allowed_(smsrs.size(), false),
      turns_(partitioner.turns_by_context() ? spec.contexts : 0),
      sm_issued_at_(smsrs.size(), Cycle::never()),
      issued_at_(spec.ksrs, Cycle::never()) {}

void BlockPlacer::reset() {
  std::fill(allowed_.begin(), allowed_.end(), false);
  allowed_count_ = 0;
  turn_ = 0;
  next_free_ = 0;
  std::fill(turns_.begin(), turns_.end(), 0);
  std::fill(sm_issued_at_.begin(), sm_issued_at_.end(), Cycle::never());
  std::fill(issued_at_.begin(), issued_at_.end(), Cycle::never());
}

const std::vector<SmId>& BlockPlacer::sms_for(Cycle now, SmId sm, const SliceEntry& entry,
                                              ContextId context) {
  static const std::vector<SmId> none;
  if (!may_take_turn(now, sm, entry, context)) return none;
  const KsrId ksr = entry.slice.kernel;
  const std::uint32_t blocks = ksrs_[ksr].launch.shape.cluster;
  if (blocks > 1)
    return clusters_.find(
        sm, blocks, [&](SmId other) { return sm_issued_at_[other.value] != now && takes_block(other, ksr); });
  one_.front() = sm;
  return one_;
}

// An SM gets at most one block in a cycle. If contexts take turns, an SM gets blocks of a context only in the
// turn of this context. Packed placement issues one block, or one cluster, of each kernel in a cycle.
bool BlockPlacer::may_take_turn(Cycle now, SmId sm, const SliceEntry& entry, ContextId context) const {
  const KsrId ksr = entry.slice.kernel;
  if (sm_issued_at_[sm.value] == now) return false;
  if (context.valid() && ksrs_[ksr].launch.context != context) return false;
  return !packed_ || issued_at_[ksr.value] != now;
}

// Returns the slice of the SM whose next block is to be issued, or null if none can issue before something
// changes.
SliceEntry* BlockPlacer::issuable(SmId sm) {
  Smsr& smsr = smsrs_[sm.value];
  const std::size_t count = smsr.slices.size();
  const std::size_t first = order_ == IssueOrder::kInTurn ? smsr.next_in_turn() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    SliceEntry& entry = smsr.slices[first + i < count ? first + i : first + i - count];
    if (may_issue(sm, entry)) return &entry;
    const Ksr& ksr = ksrs_[entry.slice.kernel];
    if (order_ == IssueOrder::kOneAfterAnother && entry.state != SliceState::kLeaving &&
        entry.running < std::min(entry.limit(), ksr.most) && ksr.unissued() > 0)
      return nullptr;
  }
  return nullptr;
}

bool BlockPlacer::may_issue(SmId sm, const SliceEntry& entry) {
  if (!has_room(smsrs_[sm.value], entry)) return false;
  const KsrId ksr = entry.slice.kernel;
  const std::uint32_t blocks = ksrs_[ksr].launch.shape.cluster;
  return blocks == 1 ||
         !clusters_.find(sm, blocks, [&](SmId other) { return takes_block(other, ksr); }).empty();
}

bool BlockPlacer::takes_block(SmId sm, KsrId ksr) const {
  const SliceEntry* const entry = smsrs_[sm.value].find(ksr);
  return entry != nullptr && has_room(smsrs_[sm.value], *entry);
}

bool BlockPlacer::has_room(const Smsr& smsr, const SliceEntry& entry) const {
  if (entry.state != SliceState::kRunning || entry.running >= entry.limit() || entry.issued >= entry.room)
    return false;
  const Ksr& ksr = ksrs_[entry.slice.kernel];
  return ksr.unissued() > 0 && entry.running < ksr.most && smsr.resources.has_room(ksr.need);
}

}  // namespace heddle
