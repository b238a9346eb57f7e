#pragma once
// The BlockPlacer chooses the SM and the slice of each next block: at most one block an SM and cycle, in the
// partitioner's order of issue among the slices of an SM, and by the platform's placement among SMs. The
// platform may limit the blocks of all SMs together, too. The placer looks at an SM only if something has
// changed there since no slice of the SM had a block to issue.
//
// The blocks of a cluster are placed in one cycle. This is possible when the SM that has the turn belongs to
// a GPC whose SMs have room for all of them.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/engine/cluster_placer.h"
#include "models/engine/engine_spec.h"
#include "models/engine/ksr_file.h"
#include "models/engine/smsr_file.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class BlockPlacer {
 public:
  // The files must live as long.
  BlockPlacer(const EngineSpec& spec, const SmPartitioner& partitioner, const KsrFile& ksrs, SmsrFile& smsrs);

  void reset();

  // A slice of the SM, or of any SM, may have a block to issue.
  void allow(SmId sm) {
    if (allowed_[sm.value]) return;
    allowed_[sm.value] = true;
    ++allowed_count_;
  }
  void allow_all() {
    for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) allow(SmId{sm});
  }
  bool has_work() const { return allowed_count_ > 0; }
  // Returns the first cycle after `now` in which a block may be issued. has_work() is true.
  Cycle next_issue(Cycle now) const { return std::max(now + 1, Cycle{next_free_ / kThousand}); }

  IssueOrder order() const { return order_; }
  std::uint32_t next_sm() const { return turn_; }  // at which the next round robin turn starts

  // Chooses the SMs that get a thread block in this cycle. The function calls issue(ksr, sms) for each block
  // that is alone and for each cluster: the kernel's next blocks go to these SMs, one block to each SM. It
  // calls exhausted(sm) for each SM that can get no block before the state of an SM or of a kernel changes.
  template <class Issue, class Exhausted>
  void place(Cycle now, Issue issue, Exhausted exhausted) {
    if (turns_.empty()) return place_in_turn(now, turn_, ContextId::none(), issue, exhausted);
    for (std::uint32_t context = 0; context < turns_.size() && has_work(); ++context)
      place_in_turn(now, turns_[context], ContextId{context}, issue, exhausted);
  }

 private:
  static constexpr std::uint64_t kThousand = 1000;

  // Places blocks of the context, or of every one if it is none.
  template <class Issue, class Exhausted>
  void place_in_turn(Cycle now, std::uint32_t& turn, ContextId context, Issue& issue, Exhausted& exhausted) {
    const auto sms = static_cast<std::uint32_t>(smsrs_.size());
    const std::uint32_t first = packed_ ? 0 : turn;
    for (std::uint32_t i = 0; i < sms && is_free(now); ++i) {
      const SmId sm{first + i < sms ? first + i : first + i - sms};
      if (!allowed_[sm.value]) continue;
      if (const SliceEntry* entry = issuable(sm)) {
        const std::vector<SmId>& chosen = sms_for(now, sm, *entry, context);
        if (chosen.empty()) continue;
        const KsrId ksr = entry->slice.kernel;
        issued_at_[ksr.value] = now;
        next_free_ = std::max(next_free_, now.value * kThousand) + interval_ * chosen.size();
        issue(ksr, chosen);
        for (const SmId taken : chosen) {
          smsrs_[taken.value].issued_last = ksr;
          sm_issued_at_[taken.value] = now;
        }
        if (order_ == IssueOrder::kOneAfterAnother && ksrs_[ksr].unissued() == 0)
          allow_all();  // the next kernel may issue now, on every SM
        turn = sm_after(sm, chosen.size()) % sms;
      }
      if (issuable(sm) == nullptr) {
        allowed_[sm.value] = false;
        --allowed_count_;
        exhausted(sm);
      }
    }
  }
  bool is_free(Cycle now) const { return next_free_ / kThousand <= now.value; }
  // Returns the SMs that get the next block, or the next cluster, of the kernel in this cycle. The list is
  // empty if the kernel has to wait for a later cycle, and is valid until the next call.
  const std::vector<SmId>& sms_for(Cycle now, SmId sm, const SliceEntry& entry, ContextId context);
  bool may_take_turn(Cycle now, SmId sm, const SliceEntry& entry, ContextId context) const;
  SliceEntry* issuable(SmId sm);
  bool may_issue(SmId sm, const SliceEntry& entry);
  bool has_room(const Smsr& smsr, const SliceEntry& entry) const;
  // Returns whether the SM has room for a block of the kernel.
  bool takes_block(SmId sm, KsrId ksr) const;
  // Returns the SM that has the next turn. After a cluster it is one of the next TPC, which is of another
  // GPC.
  std::uint32_t sm_after(SmId sm, std::size_t blocks) const {
    return blocks == 1 ? sm.value + 1 : sm.value - sm.value % tpc_sms_ + tpc_sms_;
  }

  const bool packed_;
  const IssueOrder order_;
  const std::uint64_t interval_;  // EngineSpec::block_interval
  const std::uint32_t tpc_sms_;   // SMs of a TPC
  const KsrFile& ksrs_;
  SmsrFile& smsrs_;
  ClusterPlacer clusters_;
  std::vector<SmId> one_{SmId{0}};     // the list of the SM of a block that is alone
  std::vector<std::uint8_t> allowed_;  // by SM
  std::uint32_t allowed_count_ = 0;
  std::uint32_t turn_ = 0;
  std::uint64_t next_free_ = 0;       // from when on the next block may be issued, in thousandths of a cycle
  std::vector<std::uint32_t> turns_;  // by context, where each has a turn of its own; else empty
  std::vector<Cycle> sm_issued_at_;   // by SM: the cycle of its last block
  std::vector<Cycle> issued_at_;      // by KSR: the cycle of its last block
};

}  // namespace heddle
