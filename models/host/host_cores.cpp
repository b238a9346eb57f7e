#include "models/host/host_cores.h"

namespace heddle {

bool HostCores::grant(std::uint64_t time, std::uint32_t process) {
  if (free_ == 0 || *waiting_.begin() != std::make_pair(time, process)) return false;
  waiting_.erase(waiting_.begin());
  --free_;
  return true;
}

void HostCores::reset() {
  free_ = cores_;
  waiting_.clear();
}

}  // namespace heddle
