#include "policies/replacement/i_replacement.h"

namespace heddle {

namespace {

class Fifo final : public Replacement {
 public:
  explicit Fifo(const PolicyParameters&) {}
  std::uint32_t victim(std::uint32_t, const LineUse* lines, std::uint32_t ways) override {
    return earliest_way(lines, ways, [](const LineUse& line) { return line.installed; });
  }
};

HEDDLE_POLICY(Replacement, Fifo, "fifo", "the line that was installed first is evicted",
              "Belady, IBM Systems Journal 1966", {});

}  // namespace

}  // namespace heddle
