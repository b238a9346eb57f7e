#pragma once
// The instruction stream of one executed thread block. Each instruction does its work when it is issued: the
// lane operations and special registers here, all else in the block's collaborators.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/functional/place_list.h"
#include "stimuli/ptx/execute/block_barriers.h"
#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/cluster.h"
#include "stimuli/ptx/execute/cluster_copies.h"
#include "stimuli/ptx/execute/cluster_member.h"
#include "stimuli/ptx/execute/control_flow.h"
#include "stimuli/ptx/execute/copy_unit.h"
#include "stimuli/ptx/execute/device_functions.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/group_unit.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/matrix_unit.h"
#include "stimuli/ptx/execute/phase_barriers.h"
#include "stimuli/ptx/execute/register_pool.h"
#include "stimuli/ptx/execute/repetition_watch.h"
#include "stimuli/ptx/execute/special_registers.h"
#include "stimuli/ptx/execute/texture_unit.h"
#include "stimuli/ptx/execute/warp.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class PtxBlockStream final : public BlockStream {
 public:
  explicit PtxBlockStream(LaunchState& state);
  PtxBlockStream(const PtxBlockStream&) = delete;  // the collaborators refer to each other
  PtxBlockStream& operator=(const PtxBlockStream&) = delete;

  // Resets the stream to the start of a block, which has this rank in the cluster. A stream executes one
  // block after another.
  void start(BlockId block, Cluster& cluster, std::uint32_t rank);

  const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
    const ReconvergenceStack& stack = warps_[warp].stack();
    return stack.done() ? nullptr : warps_[warp].instruction(std::size_t{stack.pc()} + ahead);
  }
  std::uint32_t in_row(std::uint32_t warp, std::uint32_t ahead) override {
    return warps_[warp].instructions_from(std::size_t{warps_[warp].stack().pc()} + ahead);
  }
  // Lanes on different paths have different live registers. A warp that has called a function holds those of
  // the entry at the call, with the most that its callees hold.
  std::optional<std::uint32_t> live_register_bytes(std::uint32_t warp) const override;
  // Throws Fault.
  void issue(std::uint32_t number, IssuedInstruction& issued) override;

  // A warp waits for a phase of a barrier object only if all of its lanes are on one path. Otherwise a path
  // that finds its phase incomplete goes on, and its program asks again.
  bool waits(std::uint32_t number) override;
  const std::vector<BulkCopy>& bulk_copies() const override { return copies_.started(); }
  // Throws Fault.
  void complete(std::uint64_t number) override;
  const std::vector<ClusterMessage>& cluster_messages() const override { return member_.messages(); }
  // Throws Fault.
  void receive(const ClusterMessage& signal) override;
  BlockStream* block_of_cluster(std::uint32_t rank) override { return member_.stream_of(rank); }

  // The block has ended, or it was stopped and starts over later. Returns its cluster.
  Cluster& stop(bool has_ended);
  void watch(bool is_watched);  // see KernelProgram::watch(); a block that starts later is watched, too
  // Returns whether no copy is under way, and each warp that has not ended waits at a barrier or repeats
  // itself. Returns true if no block runs.
  bool is_stuck();
  void tell_places(PlaceList& places);  // nothing without a block

 private:
  void issue_step(std::uint32_t number, IssuedInstruction& issued);  // any instruction
  void execute(const WarpStep& at, IssuedInstruction& issued);
  void execute_folded(std::uint32_t number, const std::vector<Step>& steps);
  void prepare(std::uint32_t number, const Step& step);
  bool must_wait(const WarpStep& at);
  void execute_small(Warp& warp, const Step& step, std::uint32_t active);
  void execute_lanes(Warp& warp, const Step& step, std::uint32_t number, std::uint32_t active);
  void observe(std::uint32_t number);
  std::string place_of_warp(std::uint32_t number);
  void fill_special_registers(std::uint32_t number);
  void update_clocks(const WarpStep& at);
  WarpPlace place_of(std::uint32_t number) const;

  LaneOperands small_;  // of a step for which Step::is_small is true; the places behind those are always null
  LaunchState& state_;
  std::uint32_t threads_;
  Dim3 position_;  // of the block in the grid
  std::vector<Warp> warps_;
  FaultReporter faults_;
  ClusterMember member_;
  BlockMemory memory_;
  TextureUnit textures_;
  MatrixUnit matrices_;
  GroupUnit groups_;
  PhaseBarriers phases_;
  CopyUnit copies_;
  ClusterCopies cluster_copies_;
  BlockBarriers barriers_;
  RegisterPool registers_;
  DeviceFunctions device_functions_;
  ControlFlow flow_;
  // By warp. 1: the statements that are folded into the warp's next instruction, and precede it in the text,
  // have been executed already.
  std::vector<std::uint8_t> is_prepared_;
  bool is_running_ = false;                 // a block has started and not ended
  std::unique_ptr<RepetitionWatch> watch_;  // null: the block is not watched
  std::vector<std::byte> local_;            // of the warp that is observed
};

}  // namespace heddle::ptx
