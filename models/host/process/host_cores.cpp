#include "models/host/process/host_cores.h"

namespace heddle {

void HostCores::settle(std::uint64_t now) {
  while (!changes_.empty() && std::get<0>(*changes_.begin()) < now) {
    const auto [time, asks, process] = *changes_.begin();
    changes_.erase(changes_.begin());
    if (asks)
      waiting_.insert({time, process});
    else if (is_running(process))
      stop(process);
  }
  while (free_ > 0 && !waiting_.empty()) start_waiting(now);
  while (!waiting_.empty() && next_slice_end() <= now) {
    stop(running_.begin()->second);
    start_waiting(now);
  }
}

void HostCores::start_waiting(std::uint64_t now) {
  const std::uint32_t process = waiting_.begin()->second;
  waiting_.erase(waiting_.begin());
  const std::uint64_t end = have_slices() ? now + slice_ : kNever;
  running_.insert({end, process});
  ends_[process] = end;
  --free_;
}

void HostCores::stop(std::uint32_t process) {
  running_.erase({ends_.at(process), process});
  ends_.erase(process);
  ++free_;
}

void HostCores::reset() {
  free_ = cores_;
  changes_.clear();
  waiting_.clear();
  running_.clear();
  ends_.clear();
}

}  // namespace heddle
