#pragma once
// A SavedBlock is the state of a thread block that has left its SM before its end (Handover::kSwitch): its
// warps, its barriers, and the place of its registers and its shared memory in swap space. The SM that the
// block leaves writes it and hands it to the execution engine, which hands it to the SM on which the block
// goes on.

#include <array>
#include <cstdint>

#include "models/core/kernel/barrier.h"
#include "models/core/kernel/sm_work.h"
#include "models/core/time/progress.h"

namespace heddle {

struct SavedBlock {
  static constexpr std::uint32_t kMostWarps = 64;
  struct Warp {
    std::uint8_t phase = 0;   // its present one, an index of KernelProgram::phases()
    std::uint16_t lines = 0;  // of its registers and its state
  };

  std::uint32_t area = 0;  // number of its part of swap space, which the engine gives

  // Bit i of a mask stands for warp i of the block.
  BlockStream* stream = nullptr;
  std::uint64_t running = 0;  // the warps that have not ended
  std::uint64_t at_barrier = 0;
  std::array<Barrier, kBarriers> barriers{};
  std::array<Warp, kMostWarps> warps{};
  std::uint32_t shared_lines = 0;
  // How many bytes of registers, states of warps and shared memory are saved. The other two are counted where
  // only live registers are saved: the bytes of dead registers, which are not saved, and the warps whose live
  // registers are not known, which save all of their registers.
  std::uint64_t saved_bytes = 0;
  std::uint64_t dead_bytes = 0;
  std::uint32_t whole_warps = 0;
  SmWork work;  // what all SMs have done for the block

  Progress left;  // of a block of a timed SM, which has nothing of the above
};

}  // namespace heddle
