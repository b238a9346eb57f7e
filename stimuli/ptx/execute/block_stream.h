#pragma once
// A thread block of an executed kernel: each instruction does its work when it is issued.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/barrier.h"
#include "stimuli/ptx/execute/entry_code.h"
#include "stimuli/ptx/execute/launch.h"
#include "stimuli/ptx/execute/special_registers.h"
#include "stimuli/ptx/execute/warp.h"

namespace heddle::ptx {

// What the blocks of a launch share.
struct LaunchState {
  LaunchState(const Launch& described, const EntryCode& entry_code, DeviceMemory& device_memory)
      : launch(described), code(entry_code), memory(device_memory), found(entry_code.accesses.size()) {}

  const Launch& launch;
  const EntryCode& code;
  DeviceMemory& memory;
  std::vector<const DeviceMemory::Allocation*> found;  // by access: where its last one went
  std::uint64_t instructions = 0;                      // of warps, so far: what clocks tell
};

class PtxBlockStream final : public BlockStream {
 public:
  explicit PtxBlockStream(LaunchState& state);

  void start(BlockId block);

  const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
    const ReconvergenceStack& stack = warps_[warp].stack();
    return stack.done() ? nullptr : warps_[warp].instruction(std::size_t{stack.pc()} + ahead);
  }
  void issue(std::uint32_t warp, IssuedInstruction& issued) override;

 private:
  // One instruction of one warp.
  struct Now {
    Warp& warp;
    const Step& step;
    std::uint32_t number;  // of the warp in the block
    std::uint32_t active;
  };

  void perform(const Now& now, IssuedInstruction& issued);
  void run_lanes(const Now& now);
  void settle(const Now& now, std::uint32_t next, IssuedInstruction& issued);

  void fill_specials(std::uint32_t number);
  WarpPlace place_of(std::uint32_t number) const;
  void read_clocks(const Now& now);

  void branch(const Now& now);
  // Calls: block_calls.cpp.
  void call(const Now& now);
  void call_external(const Now& now, const CallSite& place, const Function& callee);
  void end_calls(Warp& warp);
  void pass(Warp& warp, const CallSite& place, Frame& caller, Frame& callee, bool back);
  // Barriers: block_barriers.cpp.
  void barrier(const Now& now, IssuedInstruction& issued);
  void arrive(const Now& now, const Instruction& code);
  void open_barriers();

  // Other lanes: block_lanes.cpp.
  void vote(const Now& now);
  void shuffle(const Now& now);
  void match(const Now& now);
  void active_mask(const Now& now);
  void add_window(const Now& now);
  void is_in_window(const Now& now);

  // Memory: block_memory.cpp.
  void access(const Now& now, IssuedInstruction& issued);
  void access_device(const Now& now, const Access& access, const Address* addresses);
  void access_shared(const Now& now, const Access& access, const Address* addresses);
  void access_local(const Now& now, const Access& access, const Address* addresses);
  void access_parameter(const Now& now, const Access& access, IssuedInstruction& issued);
  void access_launch_parameters(const Now& now, const Access& access, Address* addresses);
  void access_area(const Now& now, const Access& access);
  void access_generic(const Now& now, const Access& access, IssuedInstruction& issued);
  void access_apart(const Now& now, const Access& access, const Address* addresses);
  void fault_misplaced(const Now& now, const Address* addresses, std::uint64_t bytes, std::uint64_t size,
                       const char* memory) const;
  void move(const Now& now, const Access& access, const LanePlaces& places, bool shared = false);
  void sample(const Now& now, IssuedInstruction& issued);
  void store_surface(const Now& now, IssuedInstruction& issued);
  const Texture& texture_of(const Now& now, std::uint32_t lane) const;
  // A lane's bytes at a generic address.
  void read_generic(const Now& now, std::uint32_t lane, std::uint64_t address, void* to, std::uint32_t bytes);
  std::string text_at(const Now& now, std::uint32_t lane, std::uint64_t address);

  // Calls of what has no body: block_calls.cpp.
  void print(const Now& now, const CallSite& place);
  [[noreturn]] void fail_assertion(const Now& now, const CallSite& place);
  void allocate(const Now& now, const CallSite& place);
  void free(const Now& now, const CallSite& place);
  std::uint64_t argument(const Now& now, const CallSite& place, std::size_t index, std::uint32_t lane);
  void give(const Now& now, const CallSite::Argument& result, std::uint32_t lane, std::uint64_t value);

  [[noreturn]] void fault(const Now& now, std::uint32_t lane, const std::string& what) const;
  [[noreturn]] void fault_outside(const Now& now, std::uint32_t lane, Address address) const;

  // A barrier, and the warps that wait for what it reduces.
  struct Reduction {
    struct Waiting {
      std::uint32_t warp;
      std::uint32_t lanes;
      const Step* step;
    };

    Barrier barrier;
    std::uint32_t holds = 0;  // threads
    std::uint32_t threads = 0;
    std::vector<Waiting> waiting;
  };

  LaunchState& state_;
  const EntryCode& code_;
  std::uint32_t threads_;
  std::uint64_t block_ = 0;
  Dim3 position_;  // of the block in the grid
  std::vector<Warp> warps_;
  std::vector<std::byte> shared_;
  std::vector<std::byte> local_;  // thread by thread
  std::uint64_t live_ = 0;        // warps
  std::array<Reduction, kBarriers> barriers_;
};

}  // namespace heddle::ptx
