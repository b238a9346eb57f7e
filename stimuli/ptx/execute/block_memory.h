#pragma once
// The memories that a thread block reaches: its shared memory, the local memory of its threads, the
// parameters of the launch and of calls, and the device memory of its context.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/lane_transfer.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class ClusterMember;

class BlockMemory {
 public:
  // `cluster` outlives the memory. Null: the block is the only one of its cluster.
  BlockMemory(LaunchState& state, const FaultReporter& faults, ClusterMember* cluster = nullptr);

  // Shared and local memory are zero when a block starts.
  void start();
  std::uint64_t shared_bytes() const { return shared_.size(); }
  std::byte* shared_at(std::uint32_t address) { return shared_.data() + address; }  // below shared_bytes()
  // Returns null if the block is the only one of its cluster.
  ClusterMember* cluster() const;
  // Appends the local memory of a warp's threads.
  void append_local(std::uint32_t warp, std::vector<std::byte>& to) const;

  // Executes a load, a store or an atomic of at least one active lane, and writes the lanes' addresses to
  // `issued`, those of shared memory as offsets in the memory of the block that the lane accesses, to which
  // an access of another block makes a message. A generic access also sets the instruction and the mask that
  // the SM sees: those of the space that the lowest active lane accesses. Throws Fault.
  void access(const WarpStep& at, IssuedInstruction& issued);

  // Reads a lane's bytes at a generic address. Throws Fault where they do not lie in one memory.
  void read_generic(const WarpStep& at, std::uint32_t lane, std::uint64_t address, void* to,
                    std::uint32_t bytes) const;
  // Returns a lane's bytes at an address of the space, which is not generic. Throws Fault where they are not
  // aligned to `bytes`, a power of two, or do not lie in the memory.
  std::byte* place_of(const WarpStep& at, Space space, std::uint32_t lane, Address address,
                      std::uint32_t bytes);
  // Throws Fault where bytes of the block's shared memory are not aligned so or do not lie in it.
  void check_shared(const WarpStep& at, std::uint32_t lane, std::uint32_t address, std::uint32_t bytes,
                    std::uint32_t alignment) const;
  // Reads characters up to a zero, at most 64 KiB of them.
  std::string read_string(const WarpStep& at, std::uint32_t lane, std::uint64_t address) const;

 private:
  void access_device(const WarpStep& at, const Access& access, const Address* addresses);
  void access_lane_by_lane(const WarpStep& at, const Access& access, const Address* addresses);
  void access_outside(const WarpStep& at, const Access& access, Address address);
  void access_shared(const WarpStep& at, const Access& access, Address* addresses);
  void access_cluster(const WarpStep& at, const Access& access, Address* addresses);
  void access_local(const WarpStep& at, const Access& access, const Address* addresses);
  void access_parameters(const WarpStep& at, const Access& access, IssuedInstruction& issued);
  void access_launch_parameters(const WarpStep& at, const Access& access, Address* addresses);
  void access_call_parameters(const WarpStep& at, const Access& access);
  void access_generic(const WarpStep& at, const Access& access, IssuedInstruction& issued);
  void raise_misplaced(const WarpStep& at, const Address* addresses, std::uint64_t bytes, std::uint64_t size,
                       const char* memory) const;

  LaunchState& state_;
  const FaultReporter& faults_;
  ClusterMember* const cluster_;
  LaneTransfer transfer_;
  std::uint32_t threads_;
  std::uint64_t local_bytes_;  // of a thread
  std::vector<std::byte> shared_;
  std::vector<std::byte> local_;  // thread by thread
};

}  // namespace heddle::ptx
