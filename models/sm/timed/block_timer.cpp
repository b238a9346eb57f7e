#include "models/sm/timed/block_timer.h"

#include <algorithm>

namespace heddle {

BlockTimer::BlockTimer(std::uint32_t ksrs, std::uint32_t block_slots) : kernels_(ksrs) {
  for (Kernel& kernel : kernels_) kernel.blocks.reserve(block_slots);
  active_.reserve(ksrs);
}

void BlockTimer::reset() {
  for (Kernel& kernel : kernels_) {
    kernel.rate = kFullRate;
    kernel.blocks.clear();
  }
  active_.clear();
  next_end_ = Cycle::never();
}

void BlockTimer::add(const Block& block, Progress left, Cycle now) {
  Kernel& kernel = kernels_[block.ksr.value];
  if (kernel.blocks.empty()) {
    active_.push_back(block.ksr.value);
    kernel.made = {};
    kernel.since = now;
  } else {
    advance(kernel, now);
  }
  kernel.blocks.push_back({kernel.made + left, block});
  std::push_heap(kernel.blocks.begin(), kernel.blocks.end(), later);
  update_end(kernel);
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
  leave(ksr);
  return left;
}

void BlockTimer::remove_all(KsrId ksr, std::vector<Block>& blocks) {
  Kernel& kernel = kernels_[ksr.value];
  if (kernel.blocks.empty()) return;
  for (const Ending& ending : kernel.blocks) blocks.push_back(ending.block);
  kernel.blocks.clear();
  leave(ksr);
}

void BlockTimer::set_rates(const std::vector<std::uint32_t>& rates, Cycle now) {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    Kernel& kernel = kernels_[i];
    if (kernel.rate == rates[i]) continue;
    if (!kernel.blocks.empty()) advance(kernel, now);
    kernel.rate = rates[i];
    if (!kernel.blocks.empty()) update_end(kernel);
  }
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
  leave(block.ksr);
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

void BlockTimer::update_next_end() {
  next_end_ = Cycle::never();
  for (const std::uint32_t i : active_) next_end_ = std::min(next_end_, kernels_[i].end);
}

// Blocks of the kernel have gone.
void BlockTimer::leave(KsrId ksr) {
  Kernel& kernel = kernels_[ksr.value];
  if (kernel.blocks.empty()) {
    *std::find(active_.begin(), active_.end(), ksr.value) = active_.back();
    active_.pop_back();
  } else {
    update_end(kernel);
  }
  update_next_end();
}

}  // namespace heddle
