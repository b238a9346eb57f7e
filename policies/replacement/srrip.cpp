#include <algorithm>
#include <vector>

#include "policies/replacement/i_replacement.h"

namespace heddle {

namespace {

// Static re-reference interval prediction with hit priority. Each line has a prediction of M bits: an install
// sets it to 2^M - 2, a use to 0. The first line at 2^M - 1 is evicted; while none is there all grow by one.
class Srrip final : public Replacement {
 public:
  explicit Srrip(const PolicyParameters& parameters)
      : Replacement(true),
        distant_(static_cast<std::uint8_t>((1u << static_cast<unsigned>(parameters["bits"])) - 1)) {}

  void resize(std::uint32_t sets, std::uint32_t ways) override {
    ways_ = ways;
    prediction_.resize(std::size_t{sets} * ways);
    reset();
  }
  void reset() override { std::fill(prediction_.begin(), prediction_.end(), distant_); }
  void installed(std::uint32_t set, std::uint32_t way) override {
    prediction_[std::size_t{set} * ways_ + way] = static_cast<std::uint8_t>(distant_ - 1);
  }
  void used(std::uint32_t set, std::uint32_t way) override {
    prediction_[std::size_t{set} * ways_ + way] = 0;
  }

  // Locked lines age with the others, up to the most that a prediction can be.
  std::uint32_t victim(std::uint32_t set, const LineUse* lines, std::uint32_t ways) override {
    std::uint8_t* const prediction = &prediction_[std::size_t{set} * ways_];
    std::uint32_t best = kNone;
    for (std::uint32_t way = 0; way < ways; ++way)
      if (!lines[way].locked && (best == kNone || prediction[way] > prediction[best])) best = way;
    if (best == kNone) return kNone;
    const int older = distant_ - prediction[best];
    for (std::uint32_t way = 0; way < ways; ++way)
      prediction[way] = static_cast<std::uint8_t>(std::min<int>(distant_, prediction[way] + older));
    return best;
  }

 private:
  const std::uint8_t distant_;
  std::uint32_t ways_ = 0;
  std::vector<std::uint8_t> prediction_;  // by set and way
};

HEDDLE_POLICY(Replacement, Srrip, "srrip", "lines are evicted by a prediction of when they are used again",
              "Jaleel et al., ISCA 2010, Section 4.1 (hit priority)",
              {{"bits", "bit", 2, 1, 7, "of a line's prediction", true}});

}  // namespace

}  // namespace heddle
