#include "stimuli/functional_run.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include "models/core/barrier.h"

namespace heddle {

namespace {

constexpr std::uint32_t kWarpTurn = 256;   // instructions
constexpr std::uint32_t kBlockTurn = 256;  // turns of each of its warps

class RunningBlock {
 public:
  RunningBlock(KernelProgram& program, BlockId block, std::uint32_t warps)
      : program_(program), stream_(program.start(block)), warps_(warps) {
    for (std::uint32_t warp = 0; warp < warps; ++warp)
      if (stream_.peek(warp, 0) != nullptr) running_ |= std::uint64_t{1} << warp;
  }
  RunningBlock(const RunningBlock&) = delete;
  RunningBlock& operator=(const RunningBlock&) = delete;
  ~RunningBlock() { program_.finish(stream_); }

  bool ended() const { return running_ == 0; }
  bool stuck() const { return (running_ & ~waiting_) == 0; }

  void turn(FunctionalCounts& counts) {
    for (std::uint32_t i = 0; i < kBlockTurn && !stuck(); ++i)
      for (std::uint32_t warp = 0; warp < warps_; ++warp) run(warp, counts);
  }

 private:
  void run(std::uint32_t warp, FunctionalCounts& counts) {
    const std::uint64_t me = std::uint64_t{1} << warp;
    for (std::uint32_t i = 0; i < kWarpTurn && (running_ & ~waiting_ & me) != 0; ++i) {
      const bool barrier = stream_.peek(warp, 0)->operation == Operation::kBarrier;
      issued_.ended = false;
      stream_.issue(warp, issued_);
      ++counts.warp_instructions;
      counts.thread_instructions += static_cast<std::uint32_t>(__builtin_popcount(issued_.mask));
      if (issued_.ended)
        running_ &= ~me;
      else if (barrier)
        barriers_[issued_.code->barrier].arrive(me, *issued_.code);
      if (barrier || issued_.ended) open_barriers();
    }
  }

  void open_barriers() {
    waiting_ = 0;
    for (Barrier& barrier : barriers_) {
      if (barrier.opens(running_)) barrier = Barrier{};
      waiting_ |= barrier.waiting;
    }
  }

  KernelProgram& program_;
  BlockStream& stream_;
  const std::uint32_t warps_;
  std::uint64_t running_ = 0;
  std::uint64_t waiting_ = 0;
  std::array<Barrier, kBarriers> barriers_{};
  IssuedInstruction issued_;
};

}  // namespace

FunctionalCounts run_functionally(KernelProgram& program, std::uint64_t blocks, const BlockShape& shape) {
  FunctionalCounts counts;
  std::vector<std::unique_ptr<RunningBlock>> resident;
  const std::uint32_t warps = (shape.threads + kLanes - 1) / kLanes;
  for (std::uint64_t next = 0; next < blocks || !resident.empty();) {
    if (next < blocks) resident.push_back(std::make_unique<RunningBlock>(program, BlockId{next++}, warps));
    bool all_stuck = next == blocks;
    for (auto block = resident.begin(); block != resident.end();) {
      all_stuck = all_stuck && (*block)->stuck() && !(*block)->ended();
      (*block)->turn(counts);
      block = (*block)->ended() ? resident.erase(block) : block + 1;
    }
    if (all_stuck) throw std::runtime_error("no warp can go on: those that are left wait at barriers");
  }
  return counts;
}

}  // namespace heddle
