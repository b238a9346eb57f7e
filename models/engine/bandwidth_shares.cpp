#include "models/engine/bandwidth_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/core/time/progress.h"

namespace heddle {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
// 2^20 bytes per core cycle. A share times kFullRate is then less than 2^61.
constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << (2 * kRateBits);
constexpr std::uint64_t kSectorBytes = 32;

std::uint64_t per_cycle(double bytes_per_second, double core_hz) {
  const double bytes = bytes_per_second / core_hz * kFullRate;
  return bytes >= static_cast<double>(kMostCapacity) ? kMostCapacity
                                                     : static_cast<std::uint64_t>(std::llround(bytes));
}

std::uint64_t clipped(std::uint64_t capacity, std::uint64_t per_block, std::uint64_t blocks) {
  return blocks > 0 && per_block > capacity / blocks ? capacity : per_block * blocks;
}

}  // namespace

std::uint64_t fair_share(std::uint64_t capacity, std::vector<std::uint64_t>& demands, std::uint64_t endless) {
  std::sort(demands.begin(), demands.end());
  std::uint64_t users = demands.size() + endless;
  for (const std::uint64_t demand : demands) {
    if (demand > capacity / users) return capacity / users;
    capacity -= demand;
    --users;
  }
  return endless > 0 ? capacity / endless : kNoLimit;
}

BandwidthShares::BandwidthShares(const BandwidthSpec& spec, double core_hz, std::uint32_t ksrs,
                                 std::uint32_t sms, std::uint32_t copies, std::uint64_t table_cycles)
    : spec_(spec),
      core_hz_(core_hz),
      dram_(std::max<std::uint64_t>(1, per_cycle(spec.dram_bytes_per_second, core_hz))),
      l2_(per_cycle(spec.l2_bytes_per_second, core_hz)),
      kernels_(ksrs),
      transfers_(sms),
      copies_(copies),
      tables_(table_cycles + 1) {
  demands_.reserve(ksrs + copies);
  for (BandwidthTable& table : tables_) table.rates.resize(ksrs);
  reset();
}

void BandwidthShares::reset() {
  std::fill(kernels_.begin(), kernels_.end(), Kernel{});
  std::fill(transfers_.begin(), transfers_.end(), 0);
  std::fill(copies_.begin(), copies_.end(), Copy{});
  moving_ = 0;
  other_changed_ = false;
  current_ = 0;
  version_ = 1;
  tables_[0].state_bytes = dram_;
  std::fill(tables_[0].rates.begin(), tables_[0].rates.end(), kFullRate);
}

// A block asks for at most the whole bandwidth, which also keeps the numbers small.
void BandwidthShares::load(KsrId ksr, const KernelLaunch& launch) {
  Kernel& kernel = kernels_[ksr.value];
  other_changed_ = other_changed_ || kernel.seen > 0;  // the kernel before has had a share
  kernel = {};
  if (!spec_.kernels) return;
  const auto of_block = [&](std::uint64_t sectors) {
    return sectors * kSectorBytes * kFullRate / std::max<std::uint64_t>(1, launch.block_cycles);
  };
  kernel.dram = std::min(dram_, of_block(launch.dram_sectors));
  if (l2_ != 0) kernel.l2 = std::min(l2_, of_block(launch.l2_sectors));
}

void BandwidthShares::begin_transfer(SmId sm) {
  if (transfers_[sm.value]++ > 0) return;
  ++moving_;
  other_changed_ = true;
}

void BandwidthShares::end_transfer(SmId sm) {
  if (--transfers_[sm.value] > 0) return;
  --moving_;
  other_changed_ = true;
}

void BandwidthShares::set_copy(std::uint32_t copy, std::uint64_t bytes_per_second) {
  copies_[copy].demand =
      bytes_per_second == 0
          ? 0
          : std::clamp<std::uint64_t>(per_cycle(static_cast<double>(bytes_per_second), core_hz_), 1, dram_);
  other_changed_ = true;
}

bool BandwidthShares::idle() const {
  return moving_ == 0 && std::all_of(kernels_.begin(), kernels_.end(),
                                     [](const Kernel& kernel) { return kernel.blocks == 0; });
}

// A block that ends and one that starts in its place change nothing.
bool BandwidthShares::changed() {
  bool changed = other_changed_;
  for (const Kernel& kernel : kernels_)
    changed = changed || (kernel.blocks != kernel.seen && (kernel.dram | kernel.l2) != 0);
  return changed;
}

void BandwidthShares::update() {
  if (!changed()) return;
  other_changed_ = false;
  divide_l2();
  const std::uint64_t share = divide_dram();
  for (Copy& copy : copies_) copy.rate = rate_of(share, copy.demand);
  BandwidthTable& next = next_table();
  next.state_bytes = moving_ > 0 ? std::max<std::uint64_t>(1, share) : table().state_bytes;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const Kernel& kernel = kernels_[i];
    const std::uint64_t whole = clipped(dram_, kernel.dram, kernel.blocks);
    next.rates[i] =
        kernel.dram_demand <= share ? kernel.rate_of_l2 : std::min(kernel.rate_of_l2, rate_of(share, whole));
  }
  if (next.state_bytes == table().state_bytes && next.rates == table().rates) return;
  current_ = (current_ + 1) % tables_.size();
  ++version_;
}

void BandwidthShares::divide_l2() {
  demands_.clear();
  for (Kernel& kernel : kernels_) {
    kernel.seen = kernel.blocks;
    if (const std::uint64_t demand = clipped(l2_, kernel.l2, kernel.blocks); demand > 0)
      demands_.push_back(demand);
  }
  const std::uint64_t share = demands_.empty() ? kNoLimit : fair_share(l2_, demands_, 0);
  for (Kernel& kernel : kernels_) kernel.rate_of_l2 = rate_of(share, clipped(l2_, kernel.l2, kernel.blocks));
}

// Returns the largest share.
std::uint64_t BandwidthShares::divide_dram() {
  demands_.clear();
  for (Kernel& kernel : kernels_) {
    const std::uint64_t whole = clipped(dram_, kernel.dram, kernel.blocks);
    kernel.dram_demand = (whole * kernel.rate_of_l2 + kFullRate - 1) >> kRateBits;
    if (kernel.dram_demand > 0) demands_.push_back(kernel.dram_demand);
  }
  for (const Copy& copy : copies_)
    if (copy.demand > 0) demands_.push_back(copy.demand);
  return demands_.empty() && moving_ == 0 ? kNoLimit : fair_share(dram_, demands_, moving_);
}

BandwidthTable& BandwidthShares::next_table() {
  return tables_[(current_ + 1) % tables_.size()];
}

// The rate is rounded down, so that shares never come to more than the bandwidth.
std::uint32_t BandwidthShares::rate_of(std::uint64_t share, std::uint64_t demand) {
  if (demand <= share) return kFullRate;
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>((share << kRateBits) / demand));
}

}  // namespace heddle
