#include "stimuli/capture/replay/skipped_launch.h"

#include <utility>

#include "stimuli/functional/functional_run.h"

namespace heddle::capture {

namespace {

class SkippedLaunch final : public KernelProgram, private BlockStream {
 public:
  SkippedLaunch(ptx::Launch launch, DeviceMemory& memory, bool independent_threads)
      : launch_(std::move(launch)), memory_(memory) {
    options_.independent_threads = independent_threads;
    instruction_.operation = Operation::kExit;
    instruction_.takes_turns = true;
  }

  BlockStream& start(BlockId) override {
    has_ended_ = false;
    return *this;
  }
  void finish(BlockStream&) override {}
  bool takes_turns() const override { return true; }

 private:
  const Instruction* peek(std::uint32_t, std::uint32_t ahead) override {
    return has_ended_ || ahead > 0 ? nullptr : &instruction_;
  }

  void issue(std::uint32_t, IssuedInstruction& issued) override {
    run_functionally(*ptx::make_program(launch_, memory_, options_), launch_.grid.count(),
                     ptx::shape_of(launch_));
    has_ended_ = true;
    issued.code = &instruction_;
    issued.mask = 1;
    issued.redirected = false;
    issued.ended = true;
  }

  const ptx::Launch launch_;
  DeviceMemory& memory_;
  CodeOptions options_;
  Instruction instruction_;
  bool has_ended_ = false;
};

}  // namespace

BlockShape shape_of_skipped_launch() {
  return {1, 1, 0};
}

std::unique_ptr<KernelProgram> skipped_launch(ptx::Launch launch, DeviceMemory& memory,
                                              bool independent_threads) {
  return std::make_unique<SkippedLaunch>(std::move(launch), memory, independent_threads);
}

}  // namespace heddle::capture
