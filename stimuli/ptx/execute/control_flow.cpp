#include "stimuli/ptx/execute/control_flow.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostCalls = 4096;  // frames of a warp

enum class Direction : std::uint8_t { kToCallee, kToCaller };

// Copies the arguments of a call to the callee's parameter areas, or the results back.
void copy_parameters(Warp& warp, const CallSite& site, Direction direction) {
  const Frame& caller = warp.frame_below();
  const Frame& callee = warp.frame();
  const bool back = direction == Direction::kToCaller;
  for (const CallSite::Argument& argument : back ? site.results : site.arguments)
    for_each_lane(callee.lanes, [&](std::uint32_t lane) {
      std::byte* const inside = warp.area_of(callee, lane) + argument.callee;
      std::byte* const outside = warp.argument_of(caller, argument, lane);
      // A register of 16 bits lies in a word; its upper half is zero.
      if (back && !argument.in_area && argument.bytes < 4) std::memset(outside, 0, 4);
      std::memcpy(back ? outside : inside, back ? inside : outside, argument.bytes);
    });
}

}  // namespace

void ControlFlow::update_next_instruction(const WarpStep& at, std::uint32_t next, IssuedInstruction& issued) {
  Warp& warp = at.warp;
  const std::size_t depth = warp.depth();
  switch (at.step.kind) {
    case Step::Kind::kBranch:
      branch(at, next);
      break;
    case Step::Kind::kCall:
      call(at, next);
      break;
    case Step::Kind::kReturn:
    case Step::Kind::kExit:
      leave(at, next);
      break;
    default:
      warp.stack().advance(next);
  }
  issued.ended = warp.ended();
  issued.redirected = !issued.ended && (warp.depth() != depth || warp.stack().pc() != next);
}

void ControlFlow::branch(const WarpStep& at, std::uint32_t next) {
  at.warp.stack().branch(at.active, at.step.target, next, at.step.reconvergence);
}

void ControlFlow::call(const WarpStep& at, std::uint32_t next) {
  Warp& warp = at.warp;
  if (at.active == 0) return warp.stack().advance(next);
  const CallSite& site = state_.code.calls[at.step.index];
  const Function& callee = state_.module().functions[at.step.target];
  if (callee.code.empty()) {
    device_functions_.call(at, site, callee);
    warp.stack().advance(next);
    return;
  }
  const Frame& caller = warp.frame();
  const std::uint64_t local_end =
      caller.local_base + local_frame_bytes(*caller.code->function) + callee.local_bytes;
  if (warp.depth() == kMostCalls || local_end > state_.code.local_bytes)
    faults_.raise(
        at, at.first_lane(),
        fmt::format("stack overflow: {} calls deep, {} bytes of local memory", warp.depth(), local_end));
  warp.call(state_.code, state_.code.functions[at.step.target], at.active, &site);
  copy_parameters(warp, site, Direction::kToCallee);
}

// A return from the entry ends its lanes, as an exit does.
void ControlFlow::leave(const WarpStep& at, std::uint32_t next) {
  Warp& warp = at.warp;
  ReconvergenceStack& stack = warp.stack();
  const std::uint32_t staying = stack.mask() & ~at.active;
  if (at.step.kind == Step::Kind::kReturn && warp.depth() > 1)
    stack.exit(at.active);
  else
    warp.exit(at.active);
  if (staying != 0) stack.advance(next);
  end_calls(warp);
}

// Ends the calls that all lanes have left, the innermost first.
void ControlFlow::end_calls(Warp& warp) {
  while (warp.depth() > 1 && warp.stack().done()) {
    const bool caller_continues = (warp.frame().running & ~warp.exited()) != 0;
    copy_parameters(warp, *warp.frame().site, Direction::kToCaller);
    warp.leave();
    ReconvergenceStack& stack = warp.stack();
    if (caller_continues) stack.advance(stack.pc() + 1);
  }
}

}  // namespace heddle::ptx
