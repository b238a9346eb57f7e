#include "platforms/run/result/merge_results.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace heddle {

namespace {

using Parts = std::vector<InstanceResult>;

template <class Array>
void add_each(Array& sum, const Array& part) {
  std::transform(sum.begin(), sum.end(), part.begin(), sum.begin(), std::plus<>{});
}

// Adds numerators and denominators. All instances scale the ratio alike.
class RatioSum {
 public:
  void add(const Ratio& part) {
    sum_.numerator += part.numerator;
    sum_.denominator += part.denominator;
    if (part.value && part.numerator > 0)
      scale_ = *part.value * static_cast<double>(part.denominator) / static_cast<double>(part.numerator);
  }
  Ratio value() const {
    Ratio ratio = sum_;
    if (sum_.denominator > 0)
      ratio.value = scale_ * static_cast<double>(sum_.numerator) / static_cast<double>(sum_.denominator);
    return ratio;
  }

 private:
  Ratio sum_;
  double scale_ = 1;
};

// A ratio over the cycles with a kernel resident, scaled by the number of SMs.
class ShareSum {
 public:
  explicit ShareSum(const Parts& instances) {
    for (const InstanceResult& instance : instances) {
      sms_ += instance.sms;
      cycles_ = std::max(cycles_, instance.result.cycles);
    }
  }
  void add(const Ratio& part, std::uint32_t sms) {
    numerator_ += part.numerator;
    if (part.value) weighted_ += *part.value * static_cast<double>(part.denominator) * sms;
  }
  Ratio value() const {
    Ratio ratio{std::nullopt, numerator_, cycles_};
    if (cycles_ > 0) ratio.value = weighted_ / (static_cast<double>(cycles_) * static_cast<double>(sms_));
    return ratio;
  }

 private:
  std::uint64_t sms_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t numerator_ = 0;
  double weighted_ = 0;
};

// `member` names a ratio, or an optional one, of an SmResult.
Ratio share_of(const Parts& instances, const std::function<const Ratio&(const RunResult&)>& member) {
  ShareSum sum(instances);
  for (const InstanceResult& instance : instances) sum.add(member(instance.result), instance.sms);
  return sum.value();
}

Ratio sum_of(const Parts& instances, const std::function<const Ratio&(const RunResult&)>& member) {
  RatioSum sum;
  for (const InstanceResult& instance : instances) sum.add(member(instance.result));
  return sum.value();
}

SmResult merge_sms(const Parts& instances) {
  SmResult sms = *instances.front().result.sms;
  for (std::size_t i = 1; i < instances.size(); ++i) {
    add_each(sms.sm_cycles, instances[i].result.sms->sm_cycles);
    add_each(sms.issue_slots, instances[i].result.sms->issue_slots);
  }
  for (std::size_t i = 0; i < kUnitKinds; ++i)
    if (sms.units[i])
      sms.units[i] =
          share_of(instances, [i](const RunResult& run) -> const Ratio& { return *run.sms->units[i]; });
  for (Ratio SmResult::*member :
       {&SmResult::registers, &SmResult::shared_memory, &SmResult::schedulable_warps})
    sms.*member =
        share_of(instances, [member](const RunResult& run) -> const Ratio& { return *run.sms.*member; });
  for (Ratio SmResult::*member : {&SmResult::l1_miss_rate, &SmResult::l2_miss_rate, &SmResult::l2_mpki})
    sms.*member =
        sum_of(instances, [member](const RunResult& run) -> const Ratio& { return *run.sms.*member; });
  for (std::optional<Ratio> SmResult::*member :
       {&SmResult::registers_hit_rate, &SmResult::shared_memory_hit_rate, &SmResult::registers_use,
        &SmResult::shared_memory_use})
    if (sms.*member)
      sms.*member =
          sum_of(instances, [member](const RunResult& run) -> const Ratio& { return *(*run.sms.*member); });
  return sms;
}

// Each instance of a split GPU has its own blocks. Those of one name are added up; the first difference is
// that of the first instance that has one.
void add_comparison(std::vector<RtlComparison>& all, RtlComparison part) {
  const auto same =
      std::find_if(all.begin(), all.end(), [&part](const auto& one) { return one.block == part.block; });
  if (same == all.end()) {
    all.push_back(std::move(part));
    return;
  }
  same->compared += part.compared;
  same->unanswered += part.unanswered;
  same->differences += part.differences;
  if (same->first.empty()) same->first = std::move(part.first);
}

}  // namespace

RunResult merge(std::vector<InstanceResult> instances) {
  RunResult merged = instances.front().result;
  merged.quotas.reset();
  merged.sm_sets.clear();
  if (merged.sms) merged.sms = merge_sms(instances);
  merged.occupancy = share_of(instances, [](const RunResult& run) -> const Ratio& { return run.occupancy; });
  merged.fill = sum_of(instances, [](const RunResult& run) -> const Ratio& { return run.fill; });
  merged.decisions.clear();
  merged.rtl.clear();
  merged.applications.clear();
  merged.cycles = merged.warp_instructions = merged.transactions = 0;
  merged.shared_cycles.reset();
  std::size_t applications = 0;
  for (const InstanceResult& instance : instances) applications += instance.applications.size();
  merged.applications.resize(applications);
  for (InstanceResult& instance : instances) {
    RunResult& part = instance.result;
    merged.cycles = std::max(merged.cycles, part.cycles);
    if (part.shared_cycles)
      merged.shared_cycles = std::max(*part.shared_cycles, merged.shared_cycles.value_or(0));
    merged.warp_instructions += part.warp_instructions;
    merged.transactions += part.transactions;
    std::move(part.decisions.begin(), part.decisions.end(), std::back_inserter(merged.decisions));
    for (RtlComparison& rtl : part.rtl) add_comparison(merged.rtl, std::move(rtl));
    for (std::size_t i = 0; i < part.applications.size(); ++i)
      merged.applications[instance.applications[i]] = std::move(part.applications[i]);
  }
  std::stable_sort(merged.decisions.begin(), merged.decisions.end(),
                   [](const auto& a, const auto& b) { return a.cycle < b.cycle; });
  return merged;
}

}  // namespace heddle
