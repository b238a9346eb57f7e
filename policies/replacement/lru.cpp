#include "policies/replacement/i_replacement.h"

namespace heddle {

namespace {

class Lru final : public Replacement {
 public:
  explicit Lru(const PolicyParameters&) {}
  std::uint32_t victim(std::uint32_t, const LineUse* lines, std::uint32_t ways) override {
    return earliest_way(lines, ways, [](const LineUse& line) { return line.used; });
  }
};

HEDDLE_POLICY(Replacement, Lru, "lru", "the least recently used line is evicted",
              "Mattson et al., IBM Systems Journal 1970", {});

}  // namespace

}  // namespace heddle
