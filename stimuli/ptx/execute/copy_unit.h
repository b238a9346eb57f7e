#pragma once
// The CopyUnit executes cp.async, cp.async.bulk and cp.reduce.async.bulk, which copy between device memory
// and shared memory and pass no register. It copies the bytes at once. The SM models how long the copies
// take.

#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/cluster_member.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/phase_barriers.h"
#include "stimuli/ptx/execute/warp_step.h"
#include "stimuli/ptx/tensors/tensor_box.h"

namespace heddle::ptx {

constexpr std::uint32_t kBulkAlignment = 16;  // bytes: of both addresses of a copy in bulk, and of its size

// Returns the lanes whose copies in bulk are made. Of active lanes with the same operands it is the lowest
// one, because an instruction for copies has operands of the whole warp: ptxas 13.0 for sm_90 makes one
// instruction of a copy whose operands all lanes have in common, and a loop over those that differ otherwise.
std::uint32_t copying_lanes(const WarpStep& at);

class CopyUnit {
 public:
  CopyUnit(const LaunchState& state, BlockMemory& memory, PhaseBarriers& barriers,
           const FaultReporter& faults)
      : state_(state), memory_(memory), barriers_(barriers), faults_(faults) {}
  // A block starts, of which no copy is under way.
  void start() { under_way_.clear(); }

  // Copies the bytes of each active lane and fills the rest with zeros. `issued` gets the lanes that read and
  // their addresses. Throws Fault where an address is misaligned or outside of its memory.
  void copy(const WarpStep& at, IssuedInstruction& issued) const;

  // Executes copies in bulk of consecutive bytes, and reductions: copies or combines the bytes of each of the
  // copying_lanes(). started() returns these copies afterwards. Throws Fault as copy() does, where the
  // barrier object of a load is missing, and where a multicast names blocks that the cluster does not have.
  void copy_bulk(const WarpStep& at);
  // Does so for a box of a tensor. Throws Fault also where there is no tensor map, where it has another
  // number of dimensions, and where its elements cannot be reduced so.
  void copy_tensor(const WarpStep& at);
  const std::vector<BulkCopy>& started() const { return started_; }
  // All bytes of the copy with this number have arrived. If the copy is a load, the barrier object of each
  // block to which it goes receives them; to other blocks this is a message.
  void complete(std::uint64_t number);
  bool has_copies() const;  // whether copies are under way

 private:
  // Where a bulk copy arrives.
  struct UnderWay {
    bool open = false;  // the copy has not arrived
    bool is_store = false;
    std::uint32_t blocks = 1;   // load: a bit for each block of the cluster to which it goes, by rank
    std::uint32_t barrier = 0;  // load: address of the barrier object
    std::uint32_t bytes = 0;
  };

  // Where the bytes of a load go: to the same places of the shared memory of several blocks.
  struct Target {
    std::uint32_t blocks = 1;   // a bit for each, by rank
    std::uint32_t address = 0;  // in shared memory
    std::uint32_t barrier = 0;  // address of the barrier object
  };

  struct Box {
    TensorMap map;
    TensorCoordinates at{};
    Target target;  // store: the address in shared memory alone
    AtomicLanes reduce = nullptr;
    Type type = Type::kNone;  // of the elements, if `reduce` combines them
  };

  // Returns the target of a load to an address in shared memory.
  Target target_of(const WarpStep& at, std::uint32_t lane, std::uint32_t address) const;
  std::uint32_t multicast_of(const WarpStep& at, std::uint32_t lane) const;
  // Calls visit(memory) with the memory of each block of the target.
  template <typename Visit>
  void for_each_block(const WarpStep& at, std::uint32_t lane, const Target& target, Visit visit);
  // The bytes have arrived in the shared memory of these blocks.
  void arrive(std::uint32_t blocks, std::uint32_t barrier, std::uint32_t bytes);
  // Adds a copy to the list that started() returns and to the copies that are under way.
  void start_copy(BulkCopy copy, const Target& target, std::uint32_t bytes);
  Box box_of(const WarpStep& at, std::uint32_t lane) const;
  void load_row(const WarpStep& at, std::uint32_t lane, const Box& box, const BoxRow& row);
  void store_row(const WarpStep& at, std::uint32_t lane, const Box& box, const BoxRow& row);
  std::byte* device(const WarpStep& at, std::uint32_t lane, Address address, std::uint64_t bytes) const;
  std::byte* shared(const WarpStep& at, std::uint32_t lane, std::uint32_t address, std::uint64_t bytes) const;

  const LaunchState& state_;
  BlockMemory& memory_;
  PhaseBarriers& barriers_;
  const FaultReporter& faults_;
  std::vector<BulkCopy> started_;    // by the last instruction
  std::vector<std::byte> row_;       // of a box
  std::vector<UnderWay> under_way_;  // by number
};

}  // namespace heddle::ptx
