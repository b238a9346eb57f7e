#include <algorithm>

#include "policies/replacement/i_replacement.h"

namespace heddle {

namespace {

// Each node of a binary tree over the ways points away from the half that was used last. A node's bit follows
// from the lines' times of use, so the policy keeps no state. A set whose ways are no power of two has a
// smaller right half; a half whose lines are all locked is left out.
class TreePlru final : public Replacement {
 public:
  explicit TreePlru(const PolicyParameters&) {}

  std::uint32_t victim(std::uint32_t, const LineUse* lines, std::uint32_t ways) override {
    if (!evictable(lines, 0, ways)) return kNone;
    std::uint32_t first = 0;
    for (std::uint32_t size = ways; size > 1;) {
      const std::uint32_t left = left_half(size);
      const bool both = evictable(lines, first, left) && evictable(lines, first + left, size - left);
      const bool go_left = both ? last_use(lines, first, left) < last_use(lines, first + left, size - left)
                                : evictable(lines, first, left);
      first += go_left ? 0 : left;
      size = go_left ? left : size - left;
    }
    return first;
  }

 private:
  // Returns the largest power of two below `size`.
  static std::uint32_t left_half(std::uint32_t size) {
    std::uint32_t half = 1;
    while (2 * half < size) half *= 2;
    return half;
  }
  static bool evictable(const LineUse* lines, std::uint32_t first, std::uint32_t count) {
    return std::any_of(lines + first, lines + first + count,
                       [](const LineUse& line) { return !line.locked; });
  }
  static std::uint64_t last_use(const LineUse* lines, std::uint32_t first, std::uint32_t count) {
    const auto last = std::max_element(lines + first, lines + first + count,
                                       [](const LineUse& a, const LineUse& b) { return a.used < b.used; });
    return last->used;
  }
};

HEDDLE_POLICY(Replacement, TreePlru, "tree-plru",
              "a tree over the ways whose nodes point away from the half used last",
              "Al-Zoubi et al., ACM Southeast Conference 2004", {});

}  // namespace

}  // namespace heddle
