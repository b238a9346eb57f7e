#include "models/core/memory/page_table.h"

#include <algorithm>

namespace heddle {

namespace {

std::uint32_t log2_of(std::uint64_t power) {
  return static_cast<std::uint32_t>(__builtin_ctzll(power));
}

std::uint64_t slots_for(std::uint64_t frames) {
  std::uint64_t slots = 16;
  while (slots < 2 * frames) slots *= 2;
  return slots;
}

}  // namespace

PageTables::PageTables(std::uint64_t page_bytes, std::uint64_t memory_bytes, std::uint32_t contexts,
                       const std::vector<Frames>& frames)
    : page_bytes_(page_bytes),
      page_shift_(log2_of(page_bytes)),
      frames_(memory_bytes / page_bytes),
      pages_(contexts) {
  HEDDLE_CHECK(page_bytes >= kLeastPage && (page_bytes & (page_bytes - 1)) == 0, "page tables", Cycle{},
               "pages of {} bytes", page_bytes);
  HEDDLE_CHECK(frames_ >= 1 && frames_ <= kMostFrames, "page tables", Cycle{}, "{} frames of {} bytes",
               frames_, page_bytes);
  HEDDLE_CHECK(contexts <= kMostContexts, "page tables", Cycle{}, "{} contexts", contexts);
  if (frames.empty()) {
    pools_.push_back({{0, frames_}});
    pool_of_.push_back(0);
  }
  for (const Frames& one : frames) {
    HEDDLE_CHECK(one.first % page_bytes == 0 && one.count >= 1, "page tables", Cycle{},
                 "{} frames from {:#x} on", one.count, one.first);
    const auto same = std::find_if(pools_.begin(), pools_.end(),
                                   [&one](const Pool& pool) { return pool.frames.first == one.first; });
    pool_of_.push_back(static_cast<std::size_t>(same - pools_.begin()));
    if (same == pools_.end()) pools_.push_back({one});
  }
  slots_.resize(slots_for(frames_));
  slot_shift_ = 64 - log2_of(slots_.size());
}

void PageTables::reset() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  std::fill(pages_.begin(), pages_.end(), 0);
  for (Pool& pool : pools_) pool.used = 0;
}

std::uint64_t PageTables::frames_used() const {
  std::uint64_t used = 0;
  for (const Pool& pool : pools_) used += pool.used;
  return used;
}

void PageTables::look_up(ContextId context, Address address, std::uint64_t key, Recent& recent) {
  HEDDLE_CHECK(context.value < pages_.size(), "page tables", Cycle{}, "context {} of {}", context.value,
               pages_.size());
  // Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
  std::uint64_t slot = (key * 0x9e3779b97f4a7c15u) >> slot_shift_;
  while (slots_[slot].key != key && slots_[slot].key != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
  if (slots_[slot].key == kEmpty) slots_[slot] = {key, first_touch(context, address)};
  recent.key_ = key;
  recent.frame_ = slots_[slot].frame;
}

Address PageTables::first_touch(ContextId context, Address address) {
  Pool& pool = pools_[pool_of_[context.value % pool_of_.size()]];
  const std::uint64_t frames = pool.frames.count;
  if (pool.used == frames)
    throw OutOfDeviceMemory(fmt::format(
        "device memory is full: context {} touches address {:#x}, and all {} pages of {} KiB{} are taken "
        "({} KiB in all, {} KiB of them by this context)",
        context.value, address, frames, page_bytes_ / 1024, frames < frames_ ? " in its memory channels" : "",
        frames * page_bytes_ / 1024, pages_[context.value] * page_bytes_ / 1024));
  ++pages_[context.value];
  return pool.frames.first + pool.used++ * page_bytes_;
}

}  // namespace heddle
