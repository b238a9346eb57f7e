#include "models/host/requests/account_sums.h"

#include <algorithm>

namespace heddle {

namespace {

// Returns the octave of the number and its 64th of it, so that larger numbers have larger keys.
std::uint32_t key_of(std::uint64_t value) {
  constexpr std::uint64_t kParts = 64;
  std::uint32_t octave = 0;
  while (value >= 2 * kParts) {
    value >>= 1U;
    ++octave;
  }
  return octave * static_cast<std::uint32_t>(kParts) + static_cast<std::uint32_t>(value);
}

void add_times(const PartTimes& times, std::vector<double>& sums) {
  const std::size_t processes = times.processes();
  sums.resize(place_of(RequestPart::kSlowed, processes, processes));
  for (std::size_t part = 0; part < kRequestParts; ++part)
    for (std::uint32_t cause = 0; cause < (part < kFirstCausedPart ? 1 : processes); ++cause) {
      const auto which = static_cast<RequestPart>(part);
      sums[place_of(which, cause, processes)] += static_cast<double>(times.of(which, cause));
    }
}

void add_lists(const std::vector<double>& from, std::vector<double>& to) {
  to.resize(std::max(from.size(), to.size()));
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

}  // namespace

void AccountSums::add(std::uint64_t response_ps, const RequestAccount& account) {
  const std::uint32_t key = key_of(response_ps);
  auto bucket = std::lower_bound(buckets_.begin(), buckets_.end(), key,
                                 [](const Bucket& one, std::uint32_t other) { return one.key < other; });
  if (bucket == buckets_.end() || bucket->key != key) bucket = buckets_.insert(bucket, {key, {}});
  ++requests_;
  ++bucket->sum.requests;
  bucket->sum.response_ps += static_cast<double>(response_ps);
  add_times(account.queue, bucket->sum.queue_ps);
  add_times(account.service, bucket->sum.service_ps);
}

AccountSums::Sum AccountSums::slowest(double share) const {
  Sum sum;
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
    if (sum.requests > 0 && static_cast<double>(sum.requests) >= share * static_cast<double>(requests_))
      break;
    sum.requests += bucket->sum.requests;
    sum.response_ps += bucket->sum.response_ps;
    add_lists(bucket->sum.queue_ps, sum.queue_ps);
    add_lists(bucket->sum.service_ps, sum.service_ps);
  }
  return sum;
}

}  // namespace heddle
