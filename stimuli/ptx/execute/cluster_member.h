#pragma once
// A ClusterMember is a block as a member of its cluster. It finds the shared memory and the barrier objects
// of the other blocks, arrives at the barrier of the cluster, and collects the messages that the SM sends to
// the other blocks.
//
// An address of shared memory that mapa returns in a cluster of several blocks has the rank of a block plus
// one in bits 24 to 31, and the offset in the shared memory of this block below. A generic address has both
// in the window of shared memory.

#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/cluster.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

// A place in the shared memory of a block of the cluster.
struct ClusterPlace {
  std::uint32_t rank = 0;
  std::uint32_t offset = 0;
};

class ClusterMember {
 public:
  static constexpr std::uint32_t kRankBit = 24;
  // The shared memory of a block of a cluster has fewer bytes.
  static constexpr std::uint32_t kMostShared = 1U << kRankBit;

  ClusterMember(LaunchState& state, std::vector<Warp>& warps, const FaultReporter& faults)
      : state_(state), warps_(warps), faults_(faults), awaited_(warps.size()) {}

  // The block starts as the one with this rank. The cluster outlives it.
  void start(Cluster& cluster, std::uint32_t rank, BlockStream& stream, BlockMemory& memory);
  void stop(bool has_ended);  // see Cluster::stop(); only once
  Cluster& cluster() { return *cluster_; }
  bool is_alone() const { return cluster_->size() == 1; }
  std::uint32_t rank() const { return rank_; }
  BlockStream* stream_of(std::uint32_t rank) const;  // null: the block has not started, or has ended

  // Returns the place that an address of shared memory names; one without a rank is of this block.
  ClusterPlace place_of(std::uint32_t address) const {
    const std::uint32_t named = address >> kRankBit;
    return {named == 0 ? rank_ : named - 1, address & (kMostShared - 1)};
  }
  // Does so for an access of `bytes` bytes by a lane. Throws Fault where there is no such block, where it has
  // not started or has ended, where its memory ends before the bytes do, and where they are not aligned so.
  ClusterPlace place_of(const WarpStep& at, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes,
                        std::uint32_t alignment) const;
  // Throws Fault where there is no such block, or where it has not started or has ended.
  BlockMemory& memory_of(const WarpStep& at, std::uint32_t lane, std::uint32_t rank) const;
  // Executes mapa and getctarank. Throws Fault where mapa names no block of the cluster.
  void find(const WarpStep& at) const;

  // The barrier of the cluster. Its opening is a message to each block of which a thread has not ended.
  void arrive(std::uint32_t warp, std::uint32_t lanes);
  void end_lanes(std::uint32_t warp);
  void receive_opening();
  // Returns whether the block has not received yet that all threads have arrived in the phase in which the
  // warp arrived last.
  bool waits(std::uint32_t warp) const { return received_ < awaited_[warp]; }

  // The messages since they were cleared.
  const std::vector<ClusterMessage>& messages() const { return messages_; }
  void clear() { messages_.clear(); }
  void send(const ClusterMessage& message);
  void receive();  // a signal has come
  bool has_signals_under_way() const { return cluster_->signals_to(rank_) != 0; }

 private:
  void open();

  LaunchState& state_;
  std::vector<Warp>& warps_;
  const FaultReporter& faults_;
  Cluster* cluster_ = nullptr;
  std::uint32_t rank_ = 0;
  std::vector<std::uint64_t> awaited_;  // by warp: the number of openings that it waits for
  std::uint64_t received_ = 0;          // openings
  std::vector<ClusterMessage> messages_;
};

}  // namespace heddle::ptx
