#pragma once
// The sharers of the GPU: the kernels of the active queue and, where shares are reserved, the open contexts
// that had a kernel and have none now. The next kernel of such a context takes the place of the kernel that
// ended, so that a sequence of short kernels keeps its share.

#include <cstdint>
#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

struct Sharer {
  std::uint64_t place = 0;  // counted from 0; a number is not used again
  KernelView kernel;        // the current view, or the last one before the kernel ended
  bool present = false;     // whether the kernel is in the active queue; if not, the place is reserved
};

class Sharers {
 public:
  static constexpr const char* kReserve = "reserve";  // the name of the parameter, which is 0 or 1
  static PolicyParameter parameter(bool fallback);    // its declaration with this default
  explicit Sharers(bool reserve) : reserve_(reserve) {}

  struct Changes {
    bool added = false;     // a sharer has a new place
    bool removed = false;   // a place no longer exists
    bool replaced = false;  // another kernel has taken a place
    bool any() const { return added || removed || replaced; }
  };
  // Brings the list up to date; a policy calls it whenever it is asked.
  Changes update(const MachineView& machine);

  // Returns the sharers in order of arrival. A context has at most one reserved place, and only while it has
  // no kernel.
  const std::vector<Sharer>& list() const { return list_; }

  // Whether the unused share of the sharer is reserved: the sharer has no block to issue and its context is
  // open.
  bool is_reserved(const MachineView& machine, const Sharer& sharer) const {
    return (!sharer.present || sharer.kernel.unissued == 0) && reserves(machine, sharer.kernel.context);
  }
  void reset();

 private:
  bool reserves(const MachineView& machine, ContextId context) const {
    return reserve_ && machine.contexts[context.value].open;
  }
  void update_views(const MachineView& machine);
  void admit(const MachineView& machine, const KernelView& kernel, Changes& changes);
  bool keeps_place(const MachineView& machine, std::size_t sharer) const;

  const bool reserve_;
  std::vector<Sharer> list_;
  std::uint64_t places_ = 0;
};

}  // namespace heddle
