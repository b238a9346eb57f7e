#include "policies/sm_partitioner/tenants/mps.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

constexpr const char* kActiveThreads = "active_threads";
constexpr std::int64_t kWhole = 100;  // percent

}  // namespace

Mps::Mps(const PolicyParameters& parameters)
    : by_threads_(parameters.name("acts_on") == "threads"),
      apart_(parameters.name("sets") == "apart"),
      granularity_(static_cast<std::size_t>(parameters["granularity"])) {
  const IntegerLists& lists = parameters.lists(kActiveThreads);
  if (lists.empty()) return;
  for (const std::int64_t percent : lists.front())
    percents_.push_back(percent == PolicyValue::kAll ? kWhole : percent);
}

void Mps::partition(const MachineView& machine, Partition& partition) {
  if (!by_threads_) return share_allowed_sms(*this, machine, partition);
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
    share_by_threads(machine, sm, partition.slices(sm));
    partition.slices(sm).assign(slices_.begin(), slices_.end());
  }
}

// The number of SMs that the client may use.
std::size_t Mps::sms_of(std::size_t client, std::size_t sms) const {
  if (client >= percents_.size()) return sms;
  const auto exact = static_cast<std::size_t>(percents_[client]) * sms;
  const std::size_t rounded = (exact + kWhole - 1) / kWhole;
  return std::min(sms, (rounded + granularity_ - 1) / granularity_ * granularity_);
}

bool Mps::may_hold(const MachineView& machine, ContextId context, std::size_t sm) const {
  const std::size_t sms = machine.sms.size();
  const std::size_t own = sms_of(context.value, sms);
  if (by_threads_ || own == sms) return true;
  std::size_t first = 0;
  for (std::size_t client = 0; apart_ && client < context.value; ++client)
    if (const std::size_t other = sms_of(client, sms); other < sms) first += other;
  return (sm + sms - first % sms) % sms < own;
}

// Fills slices_ with the slices of an SM that had others, in order of arrival.
void Mps::share_by_threads(const MachineView& machine, std::size_t sm, const std::vector<Slice>& had) {
  slices_.clear();
  for (const KernelView& kernel : machine.kernels) {
    const bool stands = has_slice(had, kernel.ksr);
    if (!stands && (kernel.unissued == 0 || !kernel.may_run_on(sm))) continue;
    const std::uint32_t most = quota(machine, sm, kernel);
    if (stands || most > 0) slices_.push_back({kernel.ksr, most});
  }
}

// The most blocks of the kernel on the SM, where slices_ holds the slices of older kernels.
std::uint32_t Mps::quota(const MachineView& machine, std::size_t sm, const KernelView& kernel) const {
  if (kernel.context.value >= percents_.size()) return Slice::kUnlimited;
  const std::uint64_t share =
      static_cast<std::uint64_t>(percents_[kernel.context.value]) * machine.limits.threads / kWhole;
  std::uint64_t taken = 0;  // by other kernels of the client
  for (const KernelView& other : machine.kernels) {
    if (other.context != kernel.context || other.ksr == kernel.ksr) continue;
    std::uint64_t blocks = running(machine.sms[sm], other.ksr);
    for (const Slice& slice : slices_)
      if (slice.kernel == other.ksr && other.unissued > 0)
        blocks = std::max<std::uint64_t>(blocks, slice.quota);
    taken += blocks * other.block.threads;
  }
  if (taken == 0) return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, share / kernel.block.threads));
  return static_cast<std::uint32_t>(taken >= share ? 0 : (share - taken) / kernel.block.threads);
}

std::uint32_t Mps::running(const SmView& sm, KsrId kernel) {
  std::uint32_t blocks = 0;
  for (const SliceView& slice : sm.slices)
    if (slice.slice.kernel == kernel) blocks += slice.running;
  return blocks;
}

std::string Mps::misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
  const IntegerLists& lists = parameters.lists(kActiveThreads);
  if (lists.empty()) return "";
  if (lists.size() > 1)
    return fmt::format("mps: {} is one list of percentages by application, and {} are given", kActiveThreads,
                       lists.size());
  const std::vector<std::int64_t>& percents = lists.front();
  if (gpu.applications != 0 && percents.size() > gpu.applications)
    return fmt::format("mps: {} names {} applications, of which there are {}", kActiveThreads,
                       percents.size(), gpu.applications);
  for (std::size_t i = 0; i < percents.size(); ++i)
    if (percents[i] == 0) return fmt::format("mps: {} gives application {} nothing", kActiveThreads, i);
  return "";
}

HEDDLE_POLICY(SmPartitioner, Mps, "mps", "clients side by side, each within its percentage of active threads",
              "NVIDIA Multi-Process Service documentation, Volta MPS Execution Resource Provisioning",
              {{kActiveThreads, "%", IntegerLists{}, PolicyValue::kAll, 100,
                "a limit by application, which reserves nothing; all or -1: 100"},
               {"acts_on",
                "name",
                PolicyValue(std::string("sms")),
                0,
                0,
                "what the limit is a share of: the SMs, or the threads of every SM; not documented",
                false,
                {"sms", "threads"}},
               {"sets",
                "name",
                PolicyValue(std::string("apart")),
                0,
                0,
                "of SMs, one behind the other, or all from SM 0 on; not documented, guess",
                false,
                {"apart", "same"}},
               {"granularity", "SM", 2, 1, 64,
                "a number of SMs is rounded up to a multiple of it; not documented, guess: a TPC", true}});

}  // namespace heddle
