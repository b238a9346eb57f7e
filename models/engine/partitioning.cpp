#include "models/engine/partitioning.h"

#include "models/core/base/check.h"

namespace heddle {

Partitioning::Partitioning(SmPartitioner& partitioner, const SmLimits& limits, std::uint32_t sms,
                           std::uint32_t gpcs, std::uint32_t most_kernels, const HandoverCosts& costs)
    : partitioner_(partitioner), gpcs_(gpcs), partition_(sms) {
  view_.sms.resize(sms);
  view_.limits = limits;
  view_.costs = &costs;
  if (partitioner.sample_period() > 0)
    for (SmView& sm : view_.sms) sm.sample.kernels.reserve(most_kernels);
}

void Partitioning::reset() {
  for (SmView& sm : view_.sms) {
    sm.slices.clear();
    sm.sample.from = sm.sample.until = Cycle{};
    sm.sample.totals = {};
    sm.sample.kernels.clear();
  }
  is_requested_ = false;
  due_ = Cycle::never();
  asked_at_start_ = false;
}

const MachineView& Partitioning::view(const KsrFile& ksrs, const SmsrFile& smsrs, const ContextFile& contexts,
                                      std::size_t first_sm) {
  view_.kernels.clear();
  for (const KsrId id : ksrs.active()) {
    const Ksr& ksr = ksrs[id];
    // The SMs of a GPC are far from each other in the order in which policies give SMs. A kernel with
    // clusters gets as many SMs as make one of its clusters sure to find its SMs in one GPC.
    const std::uint64_t unissued = ksr.unissued() * (ksr.launch.shape.cluster > 1 ? gpcs_ : 1);
    view_.kernels.push_back({id, ksr.launch.context, ksr.arrival, unissued, ksr.running(), ksr.residency,
                             ksr.launch.kernel, ksr.need, ksr.launch.tag, ksr.launch.priority,
                             contexts.sm_set_of(ksr.launch, view_.now)});
  }
  view_.contexts = contexts.views();
  view_.first_sm = first_sm;
  for (std::size_t sm = 0; sm < smsrs.size(); ++sm) {
    std::vector<SliceView>& slices = view_.sms[sm].slices;
    slices.clear();
    for (const SliceEntry& entry : smsrs[sm].slices)
      slices.push_back({entry.slice, entry.state, entry.running, entry.cap, entry.restoring});
  }
  return view_;
}

const Partition& Partitioning::decide(Cycle now, const KsrFile& ksrs, const SmsrFile& smsrs,
                                      const ContextFile& contexts, std::size_t first_sm) {
  is_requested_ = false;
  view(ksrs, smsrs, contexts, first_sm);
  for (std::size_t sm = 0; sm < smsrs.size(); ++sm) {
    partition_.take(sm);
    for (const SliceEntry& entry : smsrs[sm].slices)
      if (entry.state != SliceState::kLeaving) partition_.slices(sm).push_back(entry.slice);
  }
  partitioner_.partition(view_, partition_);
  due_ = partitioner_.next_decision();
  asked_at_start_ = partitioner_.asked_at_start();
  HEDDLE_CHECK(due_ > now, "execution engine", now, "the SM partitioner asked for cycle {}", due_.value);
  return partition_;
}

}  // namespace heddle
