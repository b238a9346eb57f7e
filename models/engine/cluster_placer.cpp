#include "models/engine/cluster_placer.h"

namespace heddle {

void ClusterPlacer::choose(std::uint32_t blocks) {
  if (found_.size() < blocks) return found_.clear();
  std::stable_sort(found_.begin(), found_.end(), [this](SmId a, SmId b) {
    return smsrs_[a.value].resources.used().blocks < smsrs_[b.value].resources.used().blocks;
  });
  found_.resize(blocks);
}

}  // namespace heddle
