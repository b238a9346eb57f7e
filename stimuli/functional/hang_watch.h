#pragma once
// A HangWatch looks for kernels that never end while they are executed without a machine. Where no block has
// ended for a while, it watches the program (KernelProgram::watch). A program of which every warp waits at a
// barrier or repeats itself while memory does not change is stuck: that is a proof. A program whose memory
// does not change but whose registers do, such as a loop that counts its rounds, is only suspected.

#include <cstddef>
#include <cstdint>

#include "models/core/kernel/instruction.h"

namespace heddle {

class HangWatch {
 public:
  enum class Verdict : std::uint8_t { kNone, kStuck, kSuspected };

  explicit HangWatch(KernelProgram& program) : program_(program) {}

  bool is_watching() const { return is_watching_; }
  // Is called after each turn of a block, with the warp instructions of the launch so far and the warps of
  // the blocks that have started and not ended. kSuspected comes at most once. kStuck is said of these blocks
  // alone: another one that starts may change memory.
  Verdict turn(std::uint64_t instructions, bool block_ended, std::size_t warps);

 private:
  void begin(std::uint64_t instructions, std::size_t warps);
  void end(std::uint64_t instructions);

  KernelProgram& program_;
  bool is_watching_ = false;
  bool is_suspected_ = false;
  bool was_stuck_ = false;         // since a block has ended
  std::uint64_t quiet_since_ = 0;  // warp instructions of the launch, as all that follow
  std::uint64_t next_ = kFirstQuiet;
  std::uint64_t changes_ = 0;   // of the program, when the watch began
  std::uint64_t interval_ = 0;  // between checks
  std::uint64_t check_at_ = 0;
  std::uint64_t end_at_ = 0;
  std::uint64_t rounds_ = 1;  // a watch lasts this many times as long as the first one

  static constexpr std::uint64_t kFirstQuiet = 4'000'000;  // about half a second
};

}  // namespace heddle
