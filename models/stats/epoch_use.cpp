#include "models/stats/epoch_use.h"

#include <algorithm>

namespace heddle {

EpochUse::EpochUse(const Spec& spec) : spec_(spec), last_(spec.items) {}

void EpochUse::declare(Group& stats, const std::string& unit) {
  stats.add(used_, "used", unit, "accessed in an epoch, each once, summed over epochs");
  stats.add(offered_, "offered", unit, "that there are, summed over the epochs in which the SM issued");
}

void EpochUse::reset() {
  epoch_ = 0;
  std::fill(last_.begin(), last_.end(), 0);
}

void EpochUse::start(Cycle now) {
  const std::uint64_t epoch = now.value / spec_.epoch + 1;
  if (epoch == epoch_) return;
  epoch_ = epoch;
  offered_ += spec_.size;
}

}  // namespace heddle
