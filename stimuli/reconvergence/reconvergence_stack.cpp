#include "stimuli/reconvergence/reconvergence_stack.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

void ReconvergenceStack::reset(std::uint32_t pc, std::uint32_t mask) {
  depth_ = 0;
  yielded_ = 0;
  arrived_ = 0;
  if (mask != 0) push({pc, kNowhere, mask});
}

void ReconvergenceStack::branch(std::uint32_t taken_mask, std::uint32_t target_pc,
                                std::uint32_t fall_through_pc, std::uint32_t reconvergence_pc) {
  Entry& top = entries_[depth_ - 1];
  const std::uint32_t taken = top.mask & taken_mask;
  const std::uint32_t others = top.mask & ~taken_mask;
  if (taken == 0) return advance(fall_through_pc);
  if (others == 0 || target_pc == fall_through_pc) return advance(target_pc);
  // The lanes wait in this entry, unless the entry below already waits at the reconvergence point.
  if (reconvergence_pc != kNowhere && reconvergence_pc != top.reconvergence)
    top.pc = reconvergence_pc;
  else
    --depth_;
  if (target_pc != reconvergence_pc) push({target_pc, reconvergence_pc, taken});
  if (fall_through_pc != reconvergence_pc) push({fall_through_pc, reconvergence_pc, others});
  reconverge();
}

void ReconvergenceStack::exit(std::uint32_t mask) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < depth_; ++i) {
    Entry entry = entries_[i];
    entry.mask &= ~mask;
    if (entry.mask != 0) entries_[kept++] = entry;
  }
  depth_ = kept;
  if (depth_ > 1) reconverge();
}

// Moves the entry of the running path down the stack until at least one lane in the entries above it has not
// yielded. If the entry moves below other entries with its reconvergence point, the lanes that wait at this
// point no longer wait for the lanes of the path.
void ReconvergenceStack::yield() {
  Entry path = entries_[depth_ - 1];
  const std::uint32_t others = lanes() & ~path.mask;
  if (others == 0) return;
  yielded_ |= path.mask;
  if ((others & ~yielded_) == 0) yielded_ = path.mask;
  const std::uint32_t next = others & ~yielded_;
  std::uint32_t place = first_beside(depth_ - 1, path.reconvergence);
  while ((lanes_of(place, depth_ - 1) & next) == 0) {
    Entry& waiting = entries_[place - 1];
    path.reconvergence = waiting.reconvergence;
    waiting.mask &= ~path.mask;
    place = first_beside(place - 1, path.reconvergence);
  }
  entries_[depth_ - 1] = path;
  lower(place);
  remove_unneeded();
  reconverge();
}

// The stack could grow beyond kMostEntries if these entries stayed.
void ReconvergenceStack::remove_unneeded() {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < depth_; ++i) {
    Entry entry = entries_[i];
    if (entry.mask == 0) continue;
    const Entry* const below = kept > 0 ? &entries_[kept - 1] : nullptr;
    if (below != nullptr && below->pc == entry.reconvergence && below->mask == entry.mask) {
      entry.reconvergence = below->reconvergence;
      --kept;
    }
    entries_[kept++] = entry;
  }
  depth_ = kept;
}

void ReconvergenceStack::arrive(std::uint32_t mask, std::uint32_t next_pc) {
  entries_[depth_ - 1].pc = next_pc;
  arrived_ |= entries_[depth_ - 1].mask;
  const std::uint32_t first = first_beside(depth_ - 1, reconvergence());
  if ((lanes_of(first, depth_ - 1) & mask & ~arrived_) == 0)
    arrived_ &= ~mask;
  else
    lower(first);
  if (depth_ > 1) reconverge();
}

void ReconvergenceStack::meet(std::uint32_t mask) {
  Entry& path = entries_[depth_ - 1];
  const std::uint32_t first = first_beside(depth_ - 1, path.reconvergence);
  if ((lanes_of(first, depth_ - 1) & mask) == 0) return;
  path.mask |= lanes_of(first, depth_ - 1);
  for (std::uint32_t i = first; i < depth_ - 1; ++i) entries_[i].reconvergence = path.pc;
  lower(first);
  reconverge();
}

std::uint32_t ReconvergenceStack::lanes() const {
  return lanes_of(0, depth_);
}

std::uint32_t ReconvergenceStack::first_beside(std::uint32_t end, std::uint32_t reconvergence) const {
  while (end > 0 && entries_[end - 1].reconvergence == reconvergence) --end;
  return end;
}

std::uint32_t ReconvergenceStack::lanes_of(std::uint32_t first, std::uint32_t end) const {
  std::uint32_t lanes = 0;
  for (std::uint32_t i = first; i < end; ++i) lanes |= entries_[i].mask;
  return lanes;
}

void ReconvergenceStack::lower(std::uint32_t place) {
  const auto at = [&](std::uint32_t entry) { return entries_.begin() + static_cast<std::ptrdiff_t>(entry); };
  std::rotate(at(place), at(depth_ - 1), at(depth_));
}

void ReconvergenceStack::append_state(std::vector<std::byte>& to) const {
  const auto* const entries = reinterpret_cast<const std::byte*>(&entries_);  // NOLINT: words without padding
  for (const std::uint32_t word : {depth_, yielded_, arrived_}) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&word);  // NOLINT
    to.insert(to.end(), bytes, bytes + sizeof word);
  }
  to.insert(to.end(), entries, entries + depth_ * sizeof(Entry));
}

void ReconvergenceStack::push(const Entry& entry) {
  HEDDLE_CHECK(depth_ < kMostEntries, "reconvergence stack", Cycle{}, "{} entries", kMostEntries);
  entries_[depth_++] = entry;
}

void ReconvergenceStack::reconverge() {
  while (depth_ > 1) {
    const Entry& top = entries_[depth_ - 1];
    Entry& below = entries_[depth_ - 2];
    if (top.pc == top.reconvergence) {
      --depth_;
    } else if (top.pc == below.pc && top.reconvergence == below.reconvergence) {
      below.mask |= top.mask;
      --depth_;
    } else {
      break;
    }
  }
  arrived_ &= ~entries_[depth_ - 1].mask;  // lanes that run wait at no barrier
}

}  // namespace heddle
