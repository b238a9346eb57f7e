#include "stimuli/ptx/execute/block_stream.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::ptx {
namespace {

std::uint32_t mask_of(std::uint32_t lanes) {
  return lanes >= kLanes ? kEveryLane : (1U << lanes) - 1;
}

std::uint64_t shared_bytes(const LaunchState& state) {
  const Module& module = *image_of(*state.launch.code).module;
  return module.functions[state.launch.entry].static_shared_bytes + state.launch.dynamic_shared;
}

}  // namespace

PtxBlockStream::PtxBlockStream(LaunchState& state)
    : state_(state),
      code_(state.code),
      threads_(static_cast<std::uint32_t>(state.launch.block.count())),
      warps_((threads_ + kLanes - 1) / kLanes),
      shared_(shared_bytes(state)),
      local_(threads_ * state.code.local_bytes) {}

void PtxBlockStream::start(BlockId block) {
  const Dim3& grid = state_.launch.grid;
  block_ = block.value;
  position_.x = static_cast<std::uint32_t>(block_ % grid.x);
  position_.y = static_cast<std::uint32_t>(block_ / grid.x % grid.y);
  position_.z = static_cast<std::uint32_t>(block_ / grid.x / grid.y);
  std::fill(shared_.begin(), shared_.end(), std::byte{0});
  std::fill(local_.begin(), local_.end(), std::byte{0});
  barriers_.fill({});
  live_ = warps_.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << warps_.size()) - 1;
  for (std::uint32_t number = 0; number < warps_.size(); ++number) {
    warps_[number].start(code_, mask_of(threads_ - number * kLanes));
    fill_specials(number);
  }
}

void PtxBlockStream::issue(std::uint32_t number, IssuedInstruction& issued) {
  Warp& warp = warps_[number];
  ReconvergenceStack& stack = warp.stack();
  const std::uint32_t pc = stack.pc();
  const Step& step = warp.step(pc);
  std::uint32_t active = stack.mask();
  if (step.guard != Step::kUnguarded) {
    const std::uint32_t guard = warp.predicate(step.guard);
    active &= step.guard_negated ? ~guard : guard;
  }
  issued.code = warp.instruction(pc);
  issued.mask = active;
  issued.ended = false;
  ++state_.instructions;
  const Now now{warp, step, number, active};
  if (step.kind == Step::Kind::kLanes) {
    if (active != 0) run_lanes(now);
    stack.advance(pc + 1);
    issued.redirected = stack.pc() != pc + 1;
    return;
  }
  perform(now, issued);
  settle(now, pc + 1, issued);
}

void PtxBlockStream::run_lanes(const Now& now) {
  if (now.step.reads_clock) read_clocks(now);
  LaneOperands lanes;
  for (std::size_t i = 0; i < now.step.destinations; ++i)
    lanes.destinations[i] = now.warp.at(now.step.destination[i]);
  for (std::size_t i = 0; i < now.step.sources; ++i) lanes.sources[i] = now.warp.at(now.step.source[i]);
  lanes.active = now.active;
  lanes.carry = now.warp.carry();
  now.step.lanes.run(lanes);
}

// Where the warp goes on after anything but arithmetic.
void PtxBlockStream::settle(const Now& now, std::uint32_t next, IssuedInstruction& issued) {
  Warp& warp = now.warp;
  const std::size_t depth = warp.depth();
  switch (now.step.kind) {
    case Step::Kind::kBranch:
      branch(now);
      break;
    case Step::Kind::kCall:
      call(now);
      break;
    case Step::Kind::kReturn:
    case Step::Kind::kExit: {
      ReconvergenceStack& stack = warp.frame().stack;
      const std::uint32_t staying = stack.mask() & ~now.active;
      if (now.step.kind == Step::Kind::kReturn && depth > 1)
        stack.exit(now.active);
      else
        warp.exit(now.active);
      if (staying != 0) stack.advance(next);
      end_calls(warp);
      break;
    }
    default:
      warp.frame().stack.advance(next);
  }
  issued.ended = warp.ended();
  issued.redirected = !issued.ended && (warp.depth() != depth || warp.frame().stack.pc() != next);
  if (!issued.ended) return;
  live_ &= ~(std::uint64_t{1} << now.number);
  open_barriers();
}

void PtxBlockStream::perform(const Now& now, IssuedInstruction& issued) {
  switch (now.step.kind) {
    case Step::Kind::kBranch:
      issued.mask = now.warp.frame().stack.mask();
      return;
    case Step::Kind::kBarrier:
      return barrier(now, issued);
    default:
      break;
  }
  if (now.active == 0) return;
  if (now.step.reads_clock) read_clocks(now);
  switch (now.step.kind) {
    case Step::Kind::kLoad:
    case Step::Kind::kStore:
    case Step::Kind::kAtomic:
      return access(now, issued);
    case Step::Kind::kTexture:
      return sample(now, issued);
    case Step::Kind::kSurfaceStore:
      return store_surface(now, issued);
    case Step::Kind::kVote:
      return vote(now);
    case Step::Kind::kShuffle:
      return shuffle(now);
    case Step::Kind::kMatch:
      return match(now);
    case Step::Kind::kActiveMask:
      return active_mask(now);
    case Step::Kind::kAddWindow:
      return add_window(now);
    case Step::Kind::kIsInWindow:
      return is_in_window(now);
    case Step::Kind::kTrap:
      fault(now, static_cast<std::uint32_t>(__builtin_ctz(now.active)), "trap");
    default:
      return;
  }
}

void PtxBlockStream::branch(const Now& now) {
  ReconvergenceStack& stack = now.warp.frame().stack;
  stack.branch(now.active, now.step.target, stack.pc() + 1, now.step.reconvergence);
}

WarpPlace PtxBlockStream::place_of(std::uint32_t number) const {
  return {state_.launch,  position_,          number, static_cast<std::uint32_t>(warps_.size()),
          shared_.size(), state_.instructions};
}

void PtxBlockStream::fill_specials(std::uint32_t number) {
  for (const SpecialRow& row : code_.specials)
    fill_special(row, place_of(number), warps_[number].at({row.offset, RowBase::kWarp, false}));
}

void PtxBlockStream::read_clocks(const Now& now) {
  for (const SpecialRow& row : code_.specials)
    if (is_clock(row.special))
      fill_special(row, place_of(now.number), now.warp.at({row.offset, RowBase::kWarp, false}));
}

void PtxBlockStream::fault(const Now& now, std::uint32_t lane, const std::string& what) const {
  const Module& module = *image_of(*state_.launch.code).module;
  const Frame& frame = now.warp.frame();
  const Dim3& block = state_.launch.block;
  const std::uint32_t thread = now.number * kLanes + lane;
  throw Fault(
      fmt::format("{}:{}: {} (kernel {}, block ({}, {}, {}), thread ({}, {}, {}), pc {:#x}{})", module.file,
                  now.step.statement->line, what, module.functions[state_.launch.entry].name, position_.x,
                  position_.y, position_.z, thread % block.x, thread / block.x % block.y,
                  thread / block.x / block.y, frame.code->instructions[frame.stack.pc()].pc,
                  frame.code->function->entry ? "" : fmt::format(", in {}", frame.code->function->name)));
}

void PtxBlockStream::fault_outside(const Now& now, std::uint32_t lane, Address address) const {
  const Access& access = code_.accesses[now.step.index];
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.width;
  const bool starts_inside = state_.memory.find(address) != nullptr;
  fault(now, lane,
        starts_inside ? fmt::format("{} bytes at {:#x}, of which {}", bytes, address,
                                    describe(state_.memory, address + bytes - 1))
                      : fmt::format("{} bytes at {}", bytes, describe(state_.memory, address)));
}

}  // namespace heddle::ptx
