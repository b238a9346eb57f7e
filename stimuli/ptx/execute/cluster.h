#pragma once
// A cluster of thread blocks (PTX ISA, "Cluster of Cooperative Thread Arrays"): its blocks by rank, and the
// barrier over the threads of all of them. The blocks share it. Only instructions that take turns, and the
// start and the end of a block, change it; the numbers of signals under way are an exception.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "stimuli/ptx/execute/warp.h"

namespace heddle::ptx {

class BlockMemory;

class Cluster {
 public:
  enum class State : std::uint8_t { kNotStarted, kRunning, kEnded };
  // What a block has that others reach. All three outlive the block.
  struct Block {
    BlockStream* stream = nullptr;
    BlockMemory* memory = nullptr;
    const std::vector<Warp>* warps = nullptr;
  };

  // No block of the cluster has started.
  void reset(std::uint64_t number, std::uint32_t blocks);
  std::uint64_t number() const { return number_; }  // in the grid
  std::uint32_t size() const { return size_; }

  // The block starts, and none of its threads has arrived at the barrier.
  void start(std::uint32_t rank, const Block& block);
  // The block has ended, or it has been stopped and starts over later.
  void stop(std::uint32_t rank, bool has_ended);
  // Returns whether no block runs, and either all have ended or none has.
  bool is_over() const;

  // Returns kEnded also of a block of which all threads have ended.
  State state_of(std::uint32_t rank) const;
  const Block& block(std::uint32_t rank) const { return members_[rank].block; }

  // The next two functions return whether the barrier opens, at which all threads have arrived that have not
  // ended. Threads of a block that has not started have not arrived.
  //
  // These lanes of the warp have executed barrier.cluster.arrive.
  bool arrive(std::uint32_t rank, std::uint32_t warp, std::uint32_t lanes);
  // Lanes of the warp have ended.
  bool end_lanes(std::uint32_t rank, std::uint32_t warp);
  // The number of times that the barrier has opened.
  std::uint64_t openings() const { return openings_; }

  // Signals to the block that have been sent and not received.
  std::atomic<std::uint32_t>& signals_to(std::uint32_t rank) { return members_[rank].signals; }

 private:
  struct Member {
    State state = State::kNotStarted;
    Block block;
    std::vector<std::uint32_t> arrived;  // lanes by warp, since the barrier has opened
    std::uint64_t live = 0;              // a bit for each warp of which a lane has not ended
    std::uint64_t missing = 0;           // for each warp of which a lane has neither arrived nor ended
    std::atomic<std::uint32_t> signals{0};
  };

  bool open();

  std::uint64_t number_ = 0;
  std::uint32_t size_ = 1;
  std::uint64_t openings_ = 0;
  std::array<Member, BlockShape::kMostCluster> members_;  // by rank
};

// The clusters of a launch of which a block has started.
class ClusterTable {
 public:
  explicit ClusterTable(std::uint32_t blocks) : blocks_(blocks) {}

  // Returns the cluster of the block, which is about to start.
  Cluster& cluster_of(BlockId block);
  std::uint32_t rank_of(BlockId block) const { return static_cast<std::uint32_t>(block.value % blocks_); }
  // A block of the cluster has stopped. The cluster may be used for other blocks if it was the last one.
  void release(Cluster& cluster);

 private:
  const std::uint32_t blocks_;  // of a cluster
  std::vector<std::unique_ptr<Cluster>> all_;
  std::vector<Cluster*> unused_;
  std::unordered_map<std::uint64_t, Cluster*> running_;  // by number; of clusters with more than one block
};

}  // namespace heddle::ptx
