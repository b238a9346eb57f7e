#pragma once
// Who shares the GPU: the kernels of the active queue and, where shares are reserved, the open contexts that
// have had a kernel and have none now. A context's next kernel then takes the place of the one that ended, so
// that short kernels launched one after another keep what they have.

#include <cstdint>
#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

struct Sharer {
  std::uint64_t place = 0;  // counted from 0, never used again
  KernelView kernel;        // as it stands, or as it was seen last
  bool present = false;     // in the active queue; false: its place is reserved for the context's next kernel
};

class Sharers {
 public:
  static constexpr const char* kReserve = "reserve";  // the parameter, 0 or 1
  static PolicyParameter parameter(bool fallback);    // as a policy declares it
  explicit Sharers(bool reserve) : reserve_(reserve) {}

  struct News {
    bool came = false;      // a new place
    bool left = false;      // a place that is gone
    bool followed = false;  // another kernel in a place
    bool any() const { return came || left || followed; }
  };
  // At every question.
  News follow(const MachineView& machine);

  // In order of arrival. A context has at most one reserved place, and only while it has no kernel.
  const std::vector<Sharer>& list() const { return list_; }

  // Whether nobody else may have what it does not use: it has no block to issue, and its context is open.
  bool keeps(const MachineView& machine, const Sharer& sharer) const {
    return (!sharer.present || sharer.kernel.unissued == 0) && reserves(machine, sharer.kernel.context);
  }
  void reset();

 private:
  bool reserves(const MachineView& machine, ContextId context) const {
    return reserve_ && machine.contexts[context.value].open;
  }
  void see(const MachineView& machine);
  void admit(const MachineView& machine, const KernelView& kernel, News& news);
  bool stays(const MachineView& machine, std::size_t sharer) const;

  const bool reserve_;
  std::vector<Sharer> list_;
  std::uint64_t places_ = 0;
};

}  // namespace heddle
