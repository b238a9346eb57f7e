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
    case Step::Kind::kIndirectCall:
      call_by_address(at, next);
      break;
    case Step::Kind::kReturn:
    case Step::Kind::kExit:
      leave(at, next);
      break;
    case Step::Kind::kWarpBarrier:
      arrive(at, next);
      break;
    default:
      warp.stack().advance(next);
  }
  gather(warp);
  issued.ended = warp.ended();
  issued.redirected = !issued.ended && (warp.depth() != depth || warp.stack().pc() != next);
}

// The loop ends, because each call of meet() leaves fewer paths with the same reconvergence point.
void ControlFlow::gather_members(Warp& warp) const {
  ReconvergenceStack& stack = warp.stack();
  for (;;) {
    const std::uint32_t pc = stack.pc();
    const std::uint32_t mask = stack.mask();
    const Step& step = warp.step(pc);
    if (step.members == Step::kNoMembers) return;
    const std::uint32_t active = active_lanes(warp, step);
    if (active == 0) return;
    stack.meet(step.members == Step::kAllMembers
                   ? ~0U
                   : warp.words_at(step.source[step.members])[__builtin_ctz(active)]);
    if (stack.pc() == pc && stack.mask() == mask) return;
  }
}

void ControlFlow::branch(const WarpStep& at, std::uint32_t next) {
  ReconvergenceStack& stack = at.warp.stack();
  stack.branch(at.active, at.step.target, next, at.step.reconvergence);
  if (at.step.yields && state_.independent_threads && stack.pc() == at.step.target) stack.yield();
}

void ControlFlow::arrive(const WarpStep& at, std::uint32_t next) {
  ReconvergenceStack& stack = at.warp.stack();
  if (!state_.independent_threads || at.active == 0) return stack.advance(next);
  stack.arrive(at.warp.words_at(at.step.source[0])[at.first_lane()], next);
}

void ControlFlow::call(const WarpStep& at, std::uint32_t next) {
  Warp& warp = at.warp;
  if (at.active == 0) return warp.stack().advance(next);
  const Function& callee = state_.module().functions[at.step.target];
  if (!callee.code.empty()) return enter(at, at.step.target);
  device_functions_.call(at, state_.code.calls[at.step.index], callee);
  warp.stack().advance(next);
}

void ControlFlow::enter(const WarpStep& at, std::uint32_t function) {
  Warp& warp = at.warp;
  const CallSite& site = state_.code.calls[at.step.index];
  const Function& callee = state_.module().functions[function];
  const Frame& caller = warp.frame();
  const std::uint64_t local_end =
      caller.local_base + local_frame_bytes(*caller.code->function) + callee.local_bytes;
  if (warp.depth() == kMostCalls || local_end > state_.code.local_bytes)
    faults_.raise(
        at, at.first_lane(),
        fmt::format("stack overflow: {} calls deep, {} bytes of local memory", warp.depth(), local_end));
  warp.call(state_.code, state_.code.functions[function], at.active, &site);
  copy_parameters(warp, site, Direction::kToCallee);
}

std::uint32_t ControlFlow::function_at(const WarpStep& at, std::uint64_t address) const {
  const Module& module = state_.module();
  const std::uint64_t number = address / kFunctionBytes - 1;
  const bool there = address % kFunctionBytes == 0 && address != 0 && number < module.functions.size();
  if (!there || !fits(module.functions[number], module.prototypes[at.step.target]))
    faults_.raise(at, at.first_lane(),
                  fmt::format("an indirect call to {:#x}, where no function of this prototype is", address));
  return static_cast<std::uint32_t>(number);
}

// The lanes that call one function do so together, those of the lowest lane first. The other lanes follow
// when the call has returned.
void ControlFlow::call_by_address(const WarpStep& at, std::uint32_t next) {
  Warp& warp = at.warp;
  std::uint32_t left = at.active;
  while (left != 0) {
    const auto* const addresses =
        reinterpret_cast<const std::uint64_t*>(warp.at(at.step.source[0]));  // NOLINT
    const WarpStep first = at.with_lanes(left);
    const std::uint64_t address = addresses[first.first_lane()];
    std::uint32_t same = 0;
    for_each_lane(left, [&](std::uint32_t lane) { same |= addresses[lane] == address ? 1U << lane : 0U; });
    left &= ~same;
    const std::uint32_t function = function_at(first, address);
    const Function& callee = state_.module().functions[function];
    if (!callee.code.empty()) {
      enter(at.with_lanes(same), function);
      warp.frame().pending = left;
      return;
    }
    device_functions_.call(at.with_lanes(same), state_.code.calls[at.step.index], callee);
  }
  warp.stack().advance(next);
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
  end_calls(at);
}

// Ends the calls that all lanes have left, the innermost first.
void ControlFlow::end_calls(const WarpStep& at) {
  Warp& warp = at.warp;
  while (warp.depth() > 1 && warp.stack().done()) {
    const bool caller_continues = (warp.frame().running & ~warp.exited()) != 0;
    const std::uint32_t pending = warp.frame().pending & ~warp.exited();
    copy_parameters(warp, *warp.frame().site, Direction::kToCaller);
    warp.leave();
    ReconvergenceStack& stack = warp.stack();
    if (pending != 0)
      call_by_address({warp, warp.step(stack.pc()), at.number, pending}, stack.pc() + 1);
    else if (caller_continues)
      stack.advance(stack.pc() + 1);
  }
}

}  // namespace heddle::ptx
