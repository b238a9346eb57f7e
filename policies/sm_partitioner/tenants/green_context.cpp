#include "policies/sm_partitioner/tenants/green_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

constexpr const char* kSms = "sms";
constexpr const char* kMinimum = "minimum";
constexpr const char* kMultiple = "multiple";
constexpr const char* kRemainder = "remainder";
constexpr const char* kShared = "shared";

}  // namespace

GreenContext::GreenContext(const PolicyParameters& parameters)
    : sets_(sets_of(parameters)), shares_remainder_(parameters.name(kRemainder) == kShared), remainder_(0) {
  for (const Set& set : sets_) remainder_ += set.size;
}

std::vector<GreenContext::Set> GreenContext::sets_of(const PolicyParameters& parameters) {
  std::vector<Set> sets;
  const IntegerLists& lists = parameters.lists(kSms);
  if (lists.empty()) return sets;
  const auto minimum = static_cast<std::size_t>(parameters[kMinimum]);
  const auto multiple = static_cast<std::size_t>(parameters[kMultiple]);
  std::size_t next = 0;
  for (const std::int64_t asked : lists.front()) {
    Set& set = sets.emplace_back();
    if (asked == PolicyValue::kAll) continue;
    const std::size_t least = std::max(static_cast<std::size_t>(asked), minimum);
    set = {next, (least + multiple - 1) / multiple * multiple};
    next += set.size;
  }
  return sets;
}

bool GreenContext::may_hold(const MachineView&, ContextId context, std::size_t sm) const {
  const bool has_set = context.value < sets_.size() && sets_[context.value].size > 0;
  if (sm >= remainder_) return !has_set || shares_remainder_;
  if (!has_set) return false;
  const Set& set = sets_[context.value];
  return sm >= set.first && sm < set.first + set.size;
}

std::string GreenContext::misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
  const IntegerLists& lists = parameters.lists(kSms);
  if (lists.empty()) return "";
  const std::size_t named = lists.front().size();
  if (lists.size() > 1)
    return fmt::format("green-context: {} is one list of sizes by application, and {} are given", kSms,
                       lists.size());
  if (gpu.applications != 0 && named > gpu.applications)
    return fmt::format("green-context: {} names {} applications, of which there are {}", kSms, named,
                       gpu.applications);
  for (std::size_t i = 0; i < named; ++i)
    if (lists.front()[i] == 0) return fmt::format("green-context: {} gives application {} no SM", kSms, i);
  std::size_t taken = 0;
  bool all_have_one = named >= gpu.applications;
  for (const Set& set : sets_of(parameters)) {
    taken += set.size;
    all_have_one = all_have_one && set.size > 0;
  }
  if (taken > gpu.sms)
    return fmt::format("green-context: {} take {} SMs after rounding up, and the GPU has {}", kSms, taken,
                       gpu.sms);
  if (taken == gpu.sms && gpu.applications != 0 && !all_have_one)
    return fmt::format("green-context: {} leave no SM for the applications without a size", kSms);
  return "";
}

HEDDLE_POLICY(
    SmPartitioner, GreenContext, "green-context", "each application on SMs that are its own",
    "CUDA driver API 12.6, cuDevSmResourceSplitByCount",
    {{kSms, "SM", IntegerLists{}, PolicyValue::kAll, 4096,
      "a size by application, rounded up; all or -1: none, so that it runs in the remainder"},
     {kMinimum, "SM", 2, 1, 4096, "the smallest set; 6.x: 1, 7.x: 2, 8.x: 4, 9.0 and later: 8", true},
     {kMultiple, "SM", 2, 1, 4096, "of which sizes are multiples; 6.x: 1, 7.x and 8.x: 2, later: 8", true},
     {kRemainder,
      "name",
      PolicyValue(std::string("others")),
      0,
      0,
      "who may use the SMs of no set: the applications without a size, or every one",
      false,
      {"others", kShared}}});

}  // namespace heddle
