#pragma once
// A RepetitionWatch notes which warps of a block come back to a state in which they were before: the same
// registers, calls, paths and local memory. While memory does not change, such a warp does the same again and
// again. A state is kept for 64 instructions of its warp, and the one after it twice as long (R. P. Brent,
// "An improved Monte Carlo factorization algorithm", BIT 20, 1980), so that rounds of any length are found.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "stimuli/ptx/execute/warp.h"

namespace heddle::ptx {

class RepetitionWatch {
 public:
  explicit RepetitionWatch(std::size_t warps) : warps_(warps) {}

  using AppendLocal = std::function<void(std::vector<std::byte>& state)>;

  // The warp has issued an instruction and has not ended. `append_local` appends its local memory.
  void observe(std::uint32_t number, const Warp& warp, const AppendLocal& append_local);
  bool repeats(std::uint32_t number) const { return warps_[number].repeats; }

 private:
  struct Watched {
    bool repeats = false;
    std::uint32_t pc = 0;  // of `state`, and its lanes and calls: a state with others is not compared
    std::uint32_t mask = 0;
    std::size_t depth = 0;
    std::uint64_t age = 0;   // instructions since `state` was taken
    std::uint64_t kept = 0;  // for how many instructions `state` is kept; 0: there is none
    std::vector<std::byte> state;
  };

  std::vector<Watched> warps_;
  std::vector<std::byte> present_;
};

}  // namespace heddle::ptx
