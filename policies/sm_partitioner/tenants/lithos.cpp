// This is the TPC scheduler of LithOS (Coppock et al., SOSP 2025). Each application owns a number of TPCs,
// and a launch may also get TPCs that their owners do not use.
//   - The parameter `tpcs` says how many TPCs each application owns. The TPCs of the first application come
//     first, then those of the second one, and so on. All applications may use the TPCs that nobody owns.
//   - The SMs of a launch are fixed when it arrives, because the hardware takes a mask with a launch: the
//     TPCs that its application owns, those of nobody and, with `steal`, those of every owner that is idle.
//     An owner is idle when it has had no kernel for `idle`. A pause between two kernels is shorter, so that
//     nothing is stolen in the middle of a request.
//   - An owner that has work again uses all its TPCs. A launch that has stolen some of them keeps them until
//   it
//     ends, so that the owner waits where the launch leaves no room. The submission policy `lithos` cuts
//     launches into atoms, which bounds this wait: each atom is a launch with a mask of its own.
//   - A launch that finds no TPC waits until an owner is idle.
// On an SM that several launches may use, they share it as under `left-over`. A TPC is `sms_per_tpc` SMs with
// consecutive numbers.
//
// The paper steals by predicted durations and does not steal TPCs that are busy for long; here a launch may
// share stolen TPCs with other launches that have stolen them. Right-sizing and power are left out.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

constexpr const char* kOwnedTpcs = "tpcs";
constexpr const char* kTpcSize = "sms_per_tpc";

class Lithos final : public SmPartitioner {
 public:
  explicit Lithos(const PolicyParameters& parameters)
      : sms_per_tpc_(static_cast<std::size_t>(parameters[kTpcSize])),
        steals_(parameters.name("steal") == "on"),
        idle_us_(parameters["idle"]) {
    for (const std::int64_t quota : quotas_of(parameters)) {
      Owner& owner = owners_.emplace_back();
      owner.first = owned_;
      owned_ += static_cast<std::size_t>(quota);
      owner.end = owned_;
    }
  }

  void partition(const MachineView& machine, Partition& partition) override {
    due_ = Cycle::never();
    note_work(machine);
    update_masks(machine);
    for (const KernelView& kernel : machine.kernels) {
      if (kernel.unissued == 0) continue;
      const Mask& mask = mask_of(kernel);
      for (std::size_t sm = 0; sm < partition.sms(); ++sm)
        if (mask.has(sm) && kernel.may_run_on(sm) && !has_slice(partition.slices(sm), kernel.ksr))
          partition.slices(sm).push_back({kernel.ksr});
    }
  }

  Cycle next_decision() const override { return due_; }
  IssueOrder issue_order() const override { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const override { return true; }
  bool honours_sm_sets() const override { return true; }
  bool turns_by_context() const override { return true; }
  bool may_hold(const MachineView&, ContextId context, std::size_t sm) const override {
    if (owns(context, sm)) return true;
    return std::any_of(masks_.begin(), masks_.end(),
                       [&](const Mask& mask) { return mask.context == context && mask.has(sm); });
  }
  void reset() override {
    masks_.clear();
    for (Owner& owner : owners_) owner.works = owner.has_worked = false;
    due_ = Cycle::never();
  }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
    const IntegerLists& lists = parameters.lists(kOwnedTpcs);
    if (lists.size() > 1)
      return fmt::format("lithos: {} is one list by application, and {} are given", kOwnedTpcs, lists.size());
    const std::vector<std::int64_t> quotas = quotas_of(parameters);
    if (gpu.applications != 0 && quotas.size() > gpu.applications)
      return fmt::format("lithos: {} names {} applications, of which there are {}", kOwnedTpcs, quotas.size(),
                         gpu.applications);
    std::int64_t taken = 0;
    for (const std::int64_t quota : quotas) taken += quota;
    const auto sms_per_tpc = static_cast<std::int64_t>(parameters[kTpcSize]);
    const std::int64_t count = (gpu.sms + sms_per_tpc - 1) / sms_per_tpc;
    if (taken > count)
      return fmt::format("lithos: applications own {} TPCs, and {} SMs have {} TPCs of {}", taken, gpu.sms,
                         count, sms_per_tpc);
    const bool none_without = std::count(quotas.begin(), quotas.end(), 0) == 0 && gpu.applications != 0 &&
                              quotas.size() >= gpu.applications;
    if (parameters.name("steal") == "off" && taken == count && !none_without)
      return fmt::format("lithos: {} leave no TPC for the applications without one, which may not steal",
                         kOwnedTpcs);
    return "";
  }

 private:
  // An Owner is an application. It owns the TPCs from `first` on, up to the one before `end`.
  struct Owner {
    std::size_t first = 0;
    std::size_t end = 0;
    bool works = false;
    bool has_worked = false;
    Cycle idle_since;  // if it has worked and does not work
  };
  struct Mask {  // the SMs of a launch
    KsrId ksr;
    std::uint64_t arrival = 0;
    ContextId context;
    std::vector<bool> sms;  // by SM; empty: the launch waits for TPCs

    bool has(std::size_t sm) const { return !sms.empty() && sms[sm]; }
  };

  static std::vector<std::int64_t> quotas_of(const PolicyParameters& parameters) {
    const IntegerLists& lists = parameters.lists(kOwnedTpcs);
    return lists.empty() ? std::vector<std::int64_t>() : lists.front();
  }

  bool owns(ContextId context, std::size_t sm) const {
    const std::size_t tpc = sm / sms_per_tpc_;
    if (tpc >= owned_) return true;
    return context.value < owners_.size() && tpc >= owners_[context.value].first &&
           tpc < owners_[context.value].end;
  }

  void note_work(const MachineView& machine) {
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      Owner& owner = owners_[i];
      const bool works = std::any_of(machine.kernels.begin(), machine.kernels.end(),
                                     [i](const KernelView& kernel) { return kernel.context.value == i; });
      if (owner.works && !works) owner.idle_since = machine.now;
      owner.works = works;
      owner.has_worked = owner.has_worked || works;
    }
  }

  Cycle idle_from(const MachineView& machine, const Owner& owner) const {
    if (!owner.has_worked) return Cycle{};
    return owner.idle_since + static_cast<std::uint64_t>(std::llround(idle_us_ * 1e-6 * machine.core_hz));
  }

  bool is_stolen(const MachineView& machine, std::size_t sm) const {
    if (!steals_) return false;
    const std::size_t tpc = sm / sms_per_tpc_;
    return std::any_of(owners_.begin(), owners_.end(), [&](const Owner& owner) {
      return tpc >= owner.first && tpc < owner.end && !owner.works &&
             machine.now >= idle_from(machine, owner);
    });
  }

  void update_masks(const MachineView& machine) {
    const auto has_left = [&](const Mask& mask) {
      return std::none_of(machine.kernels.begin(), machine.kernels.end(), [&](const KernelView& kernel) {
        return kernel.ksr == mask.ksr && kernel.arrival == mask.arrival;
      });
    };
    masks_.erase(std::remove_if(masks_.begin(), masks_.end(), has_left), masks_.end());
    for (const KernelView& kernel : machine.kernels) {
      Mask& mask = mask_of(kernel);
      if (!mask.sms.empty()) continue;
      std::vector<bool> sms(machine.sms.size());
      bool any = false;
      for (std::size_t sm = 0; sm < sms.size(); ++sm) {
        sms[sm] = kernel.may_run_on(sm) && (owns(kernel.context, sm) || is_stolen(machine, sm));
        any = any || sms[sm];
      }
      if (any)
        mask.sms = std::move(sms);
      else
        wait_for_an_owner(machine);
    }
  }

  void wait_for_an_owner(const MachineView& machine) {
    for (const Owner& owner : owners_)
      if (!owner.works && machine.now < idle_from(machine, owner))
        due_ = std::min(due_, idle_from(machine, owner));
  }

  Mask& mask_of(const KernelView& kernel) {
    for (Mask& mask : masks_)
      if (mask.ksr == kernel.ksr && mask.arrival == kernel.arrival) return mask;
    return masks_.emplace_back(Mask{kernel.ksr, kernel.arrival, kernel.context, {}});
  }

  const std::size_t sms_per_tpc_;
  const bool steals_;
  const double idle_us_;
  std::vector<Owner> owners_;  // by application
  std::size_t owned_ = 0;      // TPCs that have an owner
  std::vector<Mask> masks_;    // of the launches in the active queue
  Cycle due_ = Cycle::never();
};

HEDDLE_POLICY(SmPartitioner, Lithos, "lithos",
              "each application on TPCs that it owns and on those whose owners are idle",
              "Coppock et al., LithOS, SOSP 2025, the TPC scheduler",
              {{kOwnedTpcs, "TPC", IntegerLists{}, 0, 4096,
                "a number by application that it owns; 0 or no entry: none, so that it uses what is idle"},
               {kTpcSize, "SM", 2, 1, 64, "SMs with consecutive numbers; 2 from Pascal on", true},
               {"steal",
                "name",
                PolicyValue(std::string("on")),
                0,
                0,
                "whether launches use the TPCs of idle owners",
                false,
                {"on", "off"}},
               {"idle", "us", 50, 0, 1e6,
                "without a kernel, after which the TPCs of an owner may be stolen; a guess"}});

}  // namespace

}  // namespace heddle
