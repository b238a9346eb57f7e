#include "stimuli/ptx/execute/repetition_watch.h"

namespace heddle::ptx {

namespace {

constexpr std::uint64_t kFirstKept = 64;

}  // namespace

void RepetitionWatch::observe(std::uint32_t number, const Warp& warp, const AppendLocal& append_local) {
  Watched& watched = warps_[number];
  if (watched.repeats) return;
  const ReconvergenceStack& stack = warp.stack();
  if (watched.age == watched.kept) {
    watched.kept = watched.kept == 0 ? kFirstKept : 2 * watched.kept;
    watched.age = 0;
    watched.pc = stack.pc();
    watched.mask = stack.mask();
    watched.depth = warp.depth();
    warp.copy_state(watched.state);
    append_local(watched.state);
    return;
  }
  ++watched.age;
  if (stack.pc() != watched.pc || stack.mask() != watched.mask || warp.depth() != watched.depth) return;
  warp.copy_state(present_);
  append_local(present_);
  watched.repeats = present_ == watched.state;
}

}  // namespace heddle::ptx
