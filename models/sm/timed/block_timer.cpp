#include "models/sm/timed/block_timer.h"

#include <algorithm>

namespace heddle {

BlockTimer::BlockTimer(std::uint32_t ksrs, std::uint32_t block_slots) : kernels_(ksrs) {
  for (Kernel& kernel : kernels_) kernel.blocks.reserve(block_slots);
  active_.reserve(ksrs);
  users_.reserve(ksrs);
}

void BlockTimer::reset() {
  for (Kernel& kernel : kernels_) {
    kernel.told = kernel.rate = kFullRate;
    kernel.port_load = 0;
    kernel.blocks.clear();
  }
  active_.clear();
  limited_ = 0;
  next_end_ = Cycle::never();
}

void BlockTimer::add(const Block& block, Progress left, Cycle now, std::uint16_t port_load) {
  Kernel& kernel = kernels_[block.ksr.value];
  if (kernel.blocks.empty()) {
    active_.push_back(block.ksr.value);
    kernel.made = {};
    kernel.since = now;
    kernel.port_load = port_load;
    kernel.rate = kernel.told;
    limited_ += port_load == 0 ? 0 : 1;
  } else {
    advance(kernel, now);
  }
  kernel.blocks.push_back({kernel.made + left, block});
  std::push_heap(kernel.blocks.begin(), kernel.blocks.end(), later);
  update_end(kernel);
  divide(now);
  if (kernel.end < next_end_) next_end_ = kernel.end;
}

std::optional<Progress> BlockTimer::remove(KsrId ksr, BlockId block, Cycle now) {
  Kernel& kernel = kernels_[ksr.value];
  const auto found = std::find_if(kernel.blocks.begin(), kernel.blocks.end(),
                                  [block](const Ending& ending) { return ending.block.block == block; });
  if (found == kernel.blocks.end()) return std::nullopt;
  advance(kernel, now);
  const Progress left = found->at - kernel.made;
  *found = kernel.blocks.back();
  kernel.blocks.pop_back();
  std::make_heap(kernel.blocks.begin(), kernel.blocks.end(), later);
  leave(ksr, now);
  return left;
}

void BlockTimer::remove_all(KsrId ksr, std::vector<Block>& blocks, Cycle now) {
  Kernel& kernel = kernels_[ksr.value];
  if (kernel.blocks.empty()) return;
  for (const Ending& ending : kernel.blocks) blocks.push_back(ending.block);
  kernel.blocks.clear();
  leave(ksr, now);
}

void BlockTimer::set_rates(const std::vector<std::uint32_t>& rates, Cycle now) {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    Kernel& kernel = kernels_[i];
    if (kernel.told == rates[i]) continue;
    kernel.told = rates[i];
    if (!kernel.blocks.empty() && kernel.port_load == 0) set_rate(kernel, rates[i], now);
  }
  divide(now);
  update_next_end();
}

BlockTimer::Block BlockTimer::take_ended(Cycle now) {
  Kernel* first = nullptr;
  for (const std::uint32_t i : active_) {
    Kernel& kernel = kernels_[i];
    if (kernel.end <= now &&
        (first == nullptr || kernel.blocks.front().block.number < first->blocks.front().block.number))
      first = &kernel;
  }
  std::pop_heap(first->blocks.begin(), first->blocks.end(), later);
  const Block block = first->blocks.back().block;
  first->blocks.pop_back();
  leave(block.ksr, now);
  return block;
}

bool BlockTimer::later(const Ending& a, const Ending& b) {
  return a.at == b.at ? a.block.number > b.block.number : b.at < a.at;
}

void BlockTimer::advance(Kernel& kernel, Cycle now) {
  kernel.made = kernel.made + progress_in(now - kernel.since, kernel.rate);
  kernel.since = now;
}

// A block whose end has been passed by a part of a cycle ends at `since`.
void BlockTimer::update_end(Kernel& kernel) {
  const Progress at = kernel.blocks.front().at;
  const std::uint64_t cycles = kernel.made < at ? cycles_for(at - kernel.made, kernel.rate) : 0;
  kernel.end = cycles < Cycle::never() - kernel.since ? kernel.since + cycles : Cycle::never();
}

void BlockTimer::set_rate(Kernel& kernel, std::uint32_t rate, Cycle now) {
  if (kernel.rate == rate) return;
  advance(kernel, now);
  kernel.rate = rate;
  update_end(kernel);
}

// Divides the port among the kernels that it limits. A change of one kernel's blocks can change the rate of
// every other one.
void BlockTimer::divide(Cycle now) {
  if (limited_ == 0) return;
  users_.clear();
  for (const std::uint32_t i : active_)
    users_.push_back({kernels_[i].blocks.size() * kernels_[i].port_load, 0});
  divide_port(users_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Kernel& kernel = kernels_[active_[i]];
    const std::uint64_t rate = (std::uint64_t{kernel.told} * users_[i].rate) >> kRateBits;
    set_rate(kernel, std::max<std::uint32_t>(1, static_cast<std::uint32_t>(rate)), now);
  }
  update_next_end();
}

void BlockTimer::update_next_end() {
  next_end_ = Cycle::never();
  for (const std::uint32_t i : active_) next_end_ = std::min(next_end_, kernels_[i].end);
}

// Blocks of the kernel have gone.
void BlockTimer::leave(KsrId ksr, Cycle now) {
  Kernel& kernel = kernels_[ksr.value];
  if (kernel.blocks.empty()) {
    *std::find(active_.begin(), active_.end(), ksr.value) = active_.back();
    active_.pop_back();
    limited_ -= kernel.port_load == 0 ? 0 : 1;
  } else {
    update_end(kernel);
  }
  divide(now);
  update_next_end();
}

}  // namespace heddle
