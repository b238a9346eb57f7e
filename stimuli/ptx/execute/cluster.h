#pragma once
// A cluster of thread blocks (PTX ISA, "Cluster of Cooperative Thread Arrays"), which consists of one block.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

// The ClusterBarrier is the one of barrier.cluster. Threads that have ended count as threads that have
// arrived.
class ClusterBarrier {
 public:
  // The warps outlive the barrier.
  explicit ClusterBarrier(const std::vector<Warp>& warps) : warps_(warps), arrivals_(warps.size()) {}

  void start();
  // Records that these lanes of the warp have executed barrier.cluster.arrive.
  void arrive(std::uint32_t warp, std::uint32_t lanes);
  // Returns whether a thread has not arrived yet in the phase in which the warp arrived last.
  bool waits(std::uint32_t warp);

 private:
  struct Arrival {
    std::uint32_t lanes = 0;  // that have arrived in the present phase
    std::uint64_t phase = 0;  // number of the phase that follows the one of the warp's last arrival
  };

  void complete_phase();  // if all threads have arrived

  const std::vector<Warp>& warps_;
  std::vector<Arrival> arrivals_;  // by warp
  std::uint64_t phase_ = 0;        // number of the present phase
};

// Executes mapa and getctarank: an address of block 0 of the cluster is the same address of this block.
// Throws Fault where mapa names another block.
void find_in_cluster(const WarpStep& at, const FaultReporter& faults);

}  // namespace heddle::ptx
