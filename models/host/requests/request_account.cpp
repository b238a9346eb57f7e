#include "models/host/requests/request_account.h"

#include <numeric>

namespace heddle {

const char* name_of(RequestPart part) {
  static constexpr std::array<const char*, kRequestParts> kNames{
      "host", "submission", "copying", "executing", "copy_wait", "sm_wait", "slowed"};
  return kNames[static_cast<std::size_t>(part)];
}

std::uint64_t PartTimes::of(RequestPart part) const {
  if (!has_cause(part)) return of(part, 0);
  std::uint64_t sum = 0;
  for (std::uint32_t cause = 0; cause < processes_; ++cause) sum += of(part, cause);
  return sum;
}

std::uint64_t PartTimes::sum() const {
  return std::accumulate(ps_.begin(), ps_.end(), std::uint64_t{0});
}

void PartTimes::add(const PartTimes& other) {
  for (std::size_t i = 0; i < ps_.size(); ++i) ps_[i] += other.ps_[i];
}

void PartTimes::subtract(const PartTimes& other) {
  for (std::size_t i = 0; i < ps_.size(); ++i) ps_[i] -= other.ps_[i];
}

}  // namespace heddle
