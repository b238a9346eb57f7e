#pragma once
// This file executes synthetic kernels: it has their instruction streams.

#include <memory>
#include <utility>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/reconvergence/reconvergence_stack.h"
#include "stimuli/synthetic/synthetic_code.h"

namespace heddle {

// A SyntheticStream executes one block. Its state is a reconvergence stack and loop counters for each warp.
// `code` must outlive it.
class SyntheticStream final : public BlockStream {
 public:
  explicit SyntheticStream(const SyntheticCode& code);

  void start(BlockId block);

  const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
    const ReconvergenceStack& stack = stacks_[warp];
    if (stack.done()) return nullptr;
    const std::size_t at = stack.pc() / kInstructionBytes + std::size_t{ahead};
    return at < instructions_ ? &code_.instructions[at] : nullptr;
  }
  void issue(std::uint32_t warp, IssuedInstruction& issued) override;

 private:
  void issue_other(std::uint32_t warp, const SyntheticStep& step, IssuedInstruction& issued);
  // Returns the visit of the warp to an instruction in `loop` (-1: in no loop). Visits differ between all
  // rounds of the loop and of its enclosing loops.
  std::uint64_t visit(std::uint32_t warp, std::int32_t loop) const;
  std::uint32_t lanes_going_round(std::uint32_t warp, std::uint32_t loop, std::uint32_t mask) const;
  std::uint32_t lanes_taking(std::uint32_t warp, std::uint32_t index) const;
  void close_loop(std::uint32_t warp, const SyntheticStep& step, std::uint32_t next);

  const SyntheticCode& code_;
  const std::size_t instructions_;
  std::uint64_t block_ = 0;
  std::vector<ReconvergenceStack> stacks_;  // by warp
  std::vector<std::uint32_t> rounds_;       // by warp and loop: rounds completed since the loop was entered
};

class SyntheticProgram final : public KernelProgram {
 public:
  explicit SyntheticProgram(SyntheticCode code) : code_(std::move(code)) {}

  BlockStream& start(BlockId block) override;
  void finish(BlockStream& stream) override;

  const std::vector<PhaseNeeds>& phases() const override { return code_.needs; }

  const SyntheticCode& code() const { return code_; }
  std::size_t streams() const { return streams_.size(); }  // the most blocks that were resident at once

 private:
  const SyntheticCode code_;
  std::vector<std::unique_ptr<SyntheticStream>> streams_;
  std::vector<SyntheticStream*> unused_;
};

}  // namespace heddle
