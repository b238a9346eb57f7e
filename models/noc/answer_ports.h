#pragma once
// Answers pass the AnswerPorts on their way to the SMs, behind the replies' switch and the merged reads. Each
// SM has a port of its own. With MergeSpec::port_bytes the SMs of a group share a second one, which only
// answers with data occupy. An answer passes when both ports are free. In a cycle SMs of low numbers come
// first.

#include <algorithm>
#include <vector>

#include "models/core/link/memory_request.h"
#include "models/noc/noc_spec.h"

namespace heddle {

class AnswerPorts {
 public:
  AnswerPorts(const NocSpec& spec, std::uint32_t sms)
      : spec_(spec), sms_(sms), groups_(spec.merge.port_bytes == 0 ? 0 : spec.merge.groups(sms)) {}
  void reset() {
    std::fill(sms_.begin(), sms_.end(), Cycle{0});
    std::fill(groups_.begin(), groups_.end(), 0);
  }

  // Returns the first cycle in which the SM's port and that of its group are both free for an answer.
  Cycle free(SmId sm) const {
    const Cycle own = sms_[sm.value];
    if (groups_.empty()) return own;
    return std::max(own, Cycle{groups_[spec_.merge.group_of(sm)] / spec_.merge.port_bytes});
  }
  // The answer to the request passes to its SM.
  void pass(const MemoryRequest& request, Cycle now) {
    const bool has_data = !is_write(request.kind);
    sms_[request.sm.value] = now + (has_data ? spec_.port_cycles(request.bytes) : 1);
    if (groups_.empty() || !has_data) return;
    std::uint64_t& end = groups_[spec_.merge.group_of(request.sm)];
    end = std::max(end, now.value * spec_.merge.port_bytes) + request.bytes;
  }

 private:
  const NocSpec& spec_;
  std::vector<Cycle> sms_;  // by SM: when its port is free
  // By group: the bytes that its port can pass from cycle 0 until it is free. Empty: groups have no port.
  std::vector<std::uint64_t> groups_;
};

}  // namespace heddle
