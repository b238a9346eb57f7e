#include "models/engine/bandwidth_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/core/time/progress.h"

namespace heddle {

namespace {

__extension__ using Wide = unsigned __int128;  // holds a product of a demand and a sum of rates

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
// 2^20 bytes per core cycle. A share times kFullRate is then less than 2^61.
constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << (2 * kRateBits);
// What a kernel asks for at most. Beyond 2^20 times its share, its blocks get on at the lowest rate.
constexpr std::uint64_t kMostAsked = std::uint64_t{1} << (3 * kRateBits);
constexpr std::uint64_t kSectorBytes = 32;

std::uint64_t per_cycle(double bytes_per_second, double core_hz) {
  const double bytes = bytes_per_second / core_hz * kFullRate;
  return bytes >= static_cast<double>(kMostCapacity) ? kMostCapacity
                                                     : static_cast<std::uint64_t>(std::llround(bytes));
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
                                 std::uint32_t sms, std::uint32_t copies)
    : spec_(spec),
      core_hz_(core_hz),
      dram_(std::max<std::uint64_t>(1, per_cycle(spec.dram_bytes_per_second, core_hz))),
      l2_(per_cycle(spec.l2_bytes_per_second, core_hz)),
      power_(static_cast<std::uint64_t>(std::llround(spec.boost_sms * kFullProducts * kFullRate))),
      kernels_(ksrs),
      sms_(sms),
      copies_(copies) {
  demands_.reserve(ksrs + copies);
  if (spec_.kernels) {
    for (Sm& sm : sms_) sm.residents.reserve(ksrs);
    changed_.reserve(sms);
    users_.reserve(ksrs);
  }
  reset();
}

void BandwidthShares::reset() {
  std::fill(kernels_.begin(), kernels_.end(), Kernel{});
  for (Sm& sm : sms_) {
    sm.residents.clear();
    sm.transfers = 0;
    sm.changed = false;
  }
  std::fill(copies_.begin(), copies_.end(), Copy{});
  changed_.clear();
  moving_ = 0;
  is_due_ = false;
  version_ = 1;
  product_clock_ = kFullRate;
  const std::shared_ptr<BandwidthTable> first = tables_.take();
  first->state_bytes = dram_;
  first->rates.assign(kernels_.size(), kFullRate);
  table_ = first;
}

// What the blocks of the kernel before have left in the sums goes first.
void BandwidthShares::load(KsrId ksr, const KernelLaunch& launch) {
  settle();
  Kernel& kernel = kernels_[ksr.value];
  kernel = {};
  if (!spec_.kernels) return;
  const auto of_block = [&](std::uint64_t sectors) {
    return sectors * kSectorBytes * kFullRate / std::max<std::uint64_t>(1, launch.block_cycles);
  };
  kernel.dram = of_block(launch.dram_sectors);
  if (l2_ != 0) kernel.l2 = of_block(launch.l2_sectors);
  kernel.port_load = launch.port_load;
  if (power_ != 0) kernel.product_load = launch.product_load;
}

BandwidthShares::Resident& BandwidthShares::resident(SmId sm, KsrId ksr) {
  Sm& on = sms_[sm.value];
  if (!on.changed) changed_.push_back(sm.value);
  on.changed = true;
  for (Resident& resident : on.residents)
    if (resident.ksr == ksr) return resident;
  return on.residents.emplace_back(Resident{ksr});
}

void BandwidthShares::add_block(SmId sm, KsrId ksr) {
  Kernel& kernel = kernels_[ksr.value];
  ++kernel.blocks;
  if (kernel.takes_part()) ++resident(sm, ksr).blocks;
}

void BandwidthShares::remove_block(SmId sm, KsrId ksr) {
  Kernel& kernel = kernels_[ksr.value];
  --kernel.blocks;
  if (kernel.takes_part()) --resident(sm, ksr).blocks;
}

void BandwidthShares::begin_transfer(SmId sm) {
  if (sms_[sm.value].transfers++ > 0) return;
  ++moving_;
  is_due_ = true;
}

void BandwidthShares::end_transfer(SmId sm) {
  if (--sms_[sm.value].transfers > 0) return;
  --moving_;
  is_due_ = true;
}

void BandwidthShares::set_copy(std::uint32_t copy, std::uint64_t bytes_per_second) {
  copies_[copy].demand =
      bytes_per_second == 0
          ? 0
          : std::clamp<std::uint64_t>(per_cycle(static_cast<double>(bytes_per_second), core_hz_), 1, dram_);
  is_due_ = true;
}

bool BandwidthShares::idle() const {
  return moving_ == 0 && std::all_of(kernels_.begin(), kernels_.end(),
                                     [](const Kernel& kernel) { return kernel.blocks == 0; });
}

// Adds what has changed on SMs to the sums of their kernels. A block that ends and one that starts in its
// place change nothing.
void BandwidthShares::settle() {
  for (const std::uint32_t number : changed_) {
    Sm& sm = sms_[number];
    sm.changed = false;
    if (std::all_of(sm.residents.begin(), sm.residents.end(),
                    [](const Resident& resident) { return resident.blocks == resident.seen; }))
      continue;
    divide_port_of(sm);
    is_due_ = true;
  }
  changed_.clear();
}

void BandwidthShares::divide_port_of(Sm& sm) {
  users_.clear();
  for (const Resident& resident : sm.residents)
    users_.push_back({resident.blocks * kernels_[resident.ksr.value].port_load, 0});
  divide_port(users_);
  for (std::size_t i = 0; i < sm.residents.size(); ++i) {
    Resident& resident = sm.residents[i];
    Kernel& kernel = kernels_[resident.ksr.value];
    kernel.flow -= resident.flow;
    resident.flow = resident.blocks * users_[i].rate;
    kernel.flow += resident.flow;
    resident.seen = resident.blocks;
  }
  sm.residents.erase(std::remove_if(sm.residents.begin(), sm.residents.end(),
                                    [](const Resident& resident) { return resident.blocks == 0; }),
                     sm.residents.end());
}

void BandwidthShares::update() {
  settle();
  if (!is_due_) return;
  is_due_ = false;
  divide_l2();
  const std::uint64_t share = divide_dram();
  for (Copy& copy : copies_) copy.rate = rate_of(share, copy.demand);
  const std::shared_ptr<BandwidthTable> next = tables_.take();
  next->state_bytes = moving_ > 0 ? std::max<std::uint64_t>(1, share) : table_->state_bytes;
  next->rates.resize(kernels_.size());
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const Kernel& kernel = kernels_[i];
    const std::uint64_t whole = asked(kernel.dram, kernel.flow);
    next->rates[i] =
        kernel.dram_demand <= share ? kernel.rate_of_l2 : std::min(kernel.rate_of_l2, rate_of(share, whole));
  }
  if (power_ != 0) limit_power(next->rates);
  if (next->state_bytes == table_->state_bytes && next->rates == table_->rates) return;
  table_ = next;
  ++version_;
}

// Lowers the rates of kernels with products to the largest clock r with r^3 x busy <= boost_sms.
void BandwidthShares::limit_power(std::vector<std::uint32_t>& rates) {
  Wide busy = 0;  // SMs in the unit of power_
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    busy += (Wide{kernels_[i].flow} * rates[i] >> kRateBits) * kernels_[i].product_load;
  product_clock_ = kFullRate;
  if (busy <= power_) return;
  std::uint32_t above = kFullRate;
  product_clock_ = 0;
  while (above - product_clock_ > 1) {
    const std::uint32_t middle = product_clock_ + (above - product_clock_) / 2;
    const Wide part = busy * middle >> kRateBits;
    ((part * middle >> kRateBits) * middle >> kRateBits <= power_ ? product_clock_ : above) = middle;
  }
  product_clock_ = std::max<std::uint32_t>(1, product_clock_);
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    if (kernels_[i].product_load != 0) rates[i] = std::min(rates[i], product_clock_);
}

void BandwidthShares::divide_l2() {
  demands_.clear();
  for (const Kernel& kernel : kernels_)
    if (const std::uint64_t demand = asked(kernel.l2, kernel.flow); demand > 0) demands_.push_back(demand);
  const std::uint64_t share = demands_.empty() ? kNoLimit : fair_share(l2_, demands_, 0);
  for (Kernel& kernel : kernels_) kernel.rate_of_l2 = rate_of(share, asked(kernel.l2, kernel.flow));
}

// Returns the largest share.
std::uint64_t BandwidthShares::divide_dram() {
  demands_.clear();
  for (Kernel& kernel : kernels_) {
    const Wide demand = Wide{asked(kernel.dram, kernel.flow)} * kernel.rate_of_l2;
    kernel.dram_demand = static_cast<std::uint64_t>((demand + kFullRate - 1) >> kRateBits);
    if (kernel.dram_demand > 0) demands_.push_back(kernel.dram_demand);
  }
  for (const Copy& copy : copies_)
    if (copy.demand > 0) demands_.push_back(copy.demand);
  return demands_.empty() && moving_ == 0 ? kNoLimit : fair_share(dram_, demands_, moving_);
}

// Returns what the blocks of a kernel ask for, in bytes per core cycle.
std::uint64_t BandwidthShares::asked(std::uint64_t of_block, std::uint64_t flow) {
  const Wide bytes = Wide{of_block} * flow >> kRateBits;
  return bytes >= kMostAsked ? kMostAsked : static_cast<std::uint64_t>(bytes);
}

// The rate is rounded down, so that shares never come to more than the bandwidth.
std::uint32_t BandwidthShares::rate_of(std::uint64_t share, std::uint64_t demand) {
  if (demand <= share) return kFullRate;
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>((share << kRateBits) / demand));
}

}  // namespace heddle
