#pragma once
// The CopyGroups of a warp are its asynchronous copies under way, by group. A copy belongs to the group that
// is open when it is issued; commit() closes this group and opens the next one. Pure logic.

#include <array>
#include <cstdint>

namespace heddle {

class CopyGroups {
 public:
  static constexpr std::uint8_t kGroups = 16;  // older groups count with the group kGroups after them

  // Adds a copy and returns its group.
  std::uint8_t add() {
    ++all_;
    ++under_way_[open_];
    return open_;
  }
  void remove(std::uint8_t group) {
    --all_;
    --under_way_[group];
  }
  void commit() { open_ = static_cast<std::uint8_t>((open_ + 1) % kGroups); }

  // Returns whether a copy is under way that belongs to none of the `newest` newest groups. The open group is
  // the newest one.
  bool waits(std::uint32_t newest) const {
    if (all_ == 0) return false;
    for (std::uint32_t age = newest; age < kGroups; ++age)
      if (under_way_[(open_ + kGroups - age) % kGroups] != 0) return true;
    return false;
  }

 private:
  std::array<std::uint16_t, kGroups> under_way_{};
  std::uint16_t all_ = 0;
  std::uint8_t open_ = 0;
};

}  // namespace heddle
