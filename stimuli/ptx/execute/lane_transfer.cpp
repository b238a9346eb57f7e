#include "stimuli/ptx/execute/lane_transfer.h"

namespace heddle::ptx {

void LaneTransfer::run(const WarpStep& at, const Access& access, const LanePlaces& places, bool shared) {
  if (at.step.kind == Step::Kind::kAtomic) {
    AtomicRows rows;
    rows.old = at.warp.at(at.step.destination[0]);
    rows.a = at.warp.at(at.step.source[1]);
    rows.b = at.warp.at(at.step.source[2]);
    return (shared ? access.shared_atomic : access.atomic)(places, at.active, rows);
  }
  LanePlaces element = places;
  for (std::uint32_t i = 0; i < access.width; ++i) {
    if (at.step.kind == Step::Kind::kLoad)
      access.load[i](element, at.active, at.warp.at(at.step.destination[i]));
    else
      access.store[i](element, at.active, at.warp.at(at.step.source[i + 1]));
    element.data += access.bytes;
  }
}

void LaneTransfer::run_watched(const WarpStep& at, const Access& access, const LanePlaces& places,
                               bool shared) {
  if (!state_.is_watched || at.step.kind == Step::Kind::kLoad) return run(at, access, places, shared);
  copy_lanes(at, access, places, before_);
  run(at, access, places, shared);
  copy_lanes(at, access, places, after_);
  if (before_ != after_) state_.memory.note_change();
}

void LaneTransfer::copy_lanes(const WarpStep& at, const Access& access, const LanePlaces& places,
                              std::vector<std::byte>& to) const {
  to.clear();
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const std::byte* const first = places.data + (places.addresses[lane] - places.first);
    to.insert(to.end(), first, first + bytes_of_lane(access));
  });
}

}  // namespace heddle::ptx
