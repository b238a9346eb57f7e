// A mask of SMs for each application (libsmctrl: Bakita and Anderson, RTAS 2023). Kernels of an application
// run on the TPCs of its mask and nowhere else. Masks may overlap, and an application without one may use
// every SM. On an SM that several applications may use, their kernels share it as under `left-over`.
//
// A TPC is `sms_per_tpc` SMs with consecutive numbers. How the hardware numbers the SMs of its TPCs is not
// documented.

#include <fmt/format.h>

#include <vector>

#include "policies/sm_partitioner/tenants/allowed_sms.h"

namespace heddle {

namespace {

constexpr const char* kTpcs = "tpcs";
constexpr const char* kSmsPerTpc = "sms_per_tpc";

class TpcMask final : public AllowedSms {
 public:
  explicit TpcMask(const PolicyParameters& parameters)
      : sms_per_tpc_(static_cast<std::size_t>(parameters[kSmsPerTpc])) {
    for (const std::vector<std::int64_t>& tpcs : parameters.lists(kTpcs)) {
      std::vector<bool>& mask = masks_.emplace_back();
      for (const std::int64_t tpc : tpcs) {
        if (tpc == PolicyValue::kAll) mask.assign(kMostTpcs, true);
        if (tpc == PolicyValue::kAll) break;
        mask.resize(std::max(mask.size(), static_cast<std::size_t>(tpc) + 1));
        mask[static_cast<std::size_t>(tpc)] = true;
      }
    }
  }

  bool may_hold(const MachineView&, ContextId context, std::size_t sm) const override {
    if (context.value >= masks_.size()) return true;
    const std::vector<bool>& mask = masks_[context.value];
    const std::size_t tpc = sm / sms_per_tpc_;
    return tpc < mask.size() && mask[tpc];
  }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
    const IntegerLists& masks = parameters.lists(kTpcs);
    const auto sms_per_tpc = static_cast<std::uint32_t>(parameters[kSmsPerTpc]);
    const std::uint32_t count = (gpu.sms + sms_per_tpc - 1) / sms_per_tpc;
    if (gpu.applications != 0 && masks.size() > gpu.applications)
      return fmt::format("tpc-mask: {} has {} lists for {} applications", kTpcs, masks.size(),
                         gpu.applications);
    for (std::size_t application = 0; application < masks.size(); ++application) {
      if (masks[application].empty())
        return fmt::format("tpc-mask: {} leaves application {} without a TPC", kTpcs, application);
      for (const std::int64_t tpc : masks[application])
        if (tpc >= count)
          return fmt::format("tpc-mask: application {} has TPC {}, and {} SMs have {} TPCs of {}",
                             application, tpc, gpu.sms, count, sms_per_tpc);
    }
    return "";
  }

  static constexpr int kMostTpcs = 4096;

 private:
  const std::size_t sms_per_tpc_;
  std::vector<std::vector<bool>> masks_;  // by application and TPC
};

HEDDLE_POLICY(SmPartitioner, TpcMask, "tpc-mask",
              "each application on the TPCs of its mask, as left-over where masks overlap",
              "libsmctrl: Bakita and Anderson, RTAS 2023",
              {{kTpcs, "TPC", IntegerLists{}, PolicyValue::kAll, TpcMask::kMostTpcs - 1,
                "a list by application of the TPCs that it may use, from 0 on; all or -1: every one"},
               {kSmsPerTpc, "SM", 2, 1, 64, "SMs with consecutive numbers; 2 from Pascal on", true}});

}  // namespace

}  // namespace heddle
