#pragma once
// The places of Warped-Slicer: what the policy knows of each sharer of the GPU (sharers.h).

#include <cstdint>
#include <vector>

#include "policies/sm_partitioner/ipc_watch.h"
#include "policies/sm_partitioner/profile_curves.h"
#include "policies/sm_partitioner/profile_layout.h"
#include "policies/sm_partitioner/sharers.h"

namespace heddle {

struct SlicerPlace {
  std::uint64_t number = 0;  // the number of the sharer's place
  KernelKey key;
  KernelId launch;          // its latest launch
  KernelId seen;            // its launch at the latest sample
  SmGroup group;            // its SMs while each kernel has SMs of its own; empty before the first time
  std::size_t turn = 0;     // its turn of the profile
  std::uint32_t quota = 0;  // its quota on every SM while all are shared; 0: not decided yet
  std::uint32_t next = 0;   // its quota after the delay
  bool profiled = true;     // whether the profile samples it; true without a profile
  bool sampled = false;     // whether it had a kernel in the sampling phases of the profile
  IpcWatch watch;
};

// SlicerPlaces keeps one place for each sharer, in order of arrival.
class SlicerPlaces {
 public:
  // With `reserve`, a context keeps its place between kernels. Without `remember`, the curve of a kernel
  // serves one launch.
  SlicerPlaces(bool reserve, bool remember) : sharers_(reserve), remember_(remember) {}
  void reset();

  struct Changes {
    bool any = false;         // the sharers have changed
    bool moved = false;       // a place was added or removed
    bool other_code = false;  // a sharer that keeps its place runs other code
  };
  // Brings the places up to date; the policy calls it whenever it is asked. Drops the curve of each new
  // launch unless curves are remembered.
  Changes update(const MachineView& machine, ProfileCurves& curves);

  std::size_t size() const { return list_.size(); }
  std::vector<SlicerPlace>& list() { return list_; }
  const std::vector<SlicerPlace>& list() const { return list_; }
  const KernelView& kernel(std::size_t place) const { return sharers_.list()[place].kernel; }
  // Whether the place has a kernel. If not, it is reserved for one.
  bool present(std::size_t place) const { return sharers_.list()[place].present; }
  bool is_reserved(const MachineView& machine, std::size_t place) const {
    return sharers_.is_reserved(machine, sharers_.list()[place]);
  }

  // These functions consider only the places that have a kernel.
  bool all_known(const ProfileCurves& curves) const;
  bool any_known(const ProfileCurves& curves) const;
  // Whether the profile samples every kernel whose curve is not known.
  bool profile_has_unknown(const ProfileCurves& curves) const;

  // Divides `sms` SMs among the places that are profiled. The others have none.
  void divide(std::size_t sms);
  // Whether every place has had the same launch since the last call and still has blocks to issue.
  bool co_running();

 private:
  Sharers sharers_;
  const bool remember_;
  std::vector<SlicerPlace> list_;
  std::vector<SlicerPlace> before_;  // a buffer that is reused at each update
};

}  // namespace heddle
