#include "stimuli/ptx/block_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/core/check.h"
#include "stimuli/ptx/address_windows.h"
#include "stimuli/ptx/cross_lane.h"
#include "stimuli/ptx/timing.h"

namespace heddle::ptx {
namespace {

std::uint32_t mask_of(std::uint32_t lanes) {
  return lanes >= kLanes ? kEveryLane : (1U << lanes) - 1;
}

std::uint64_t shared_bytes(const LaunchState& state) {
  const Module& module = *image_of(*state.launch.code).module;
  return module.functions[state.launch.entry].static_shared_bytes + state.launch.dynamic_shared;
}

std::uint32_t* words(void* row) {
  return static_cast<std::uint32_t*>(row);
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
  Frame& frame = warp.frame();
  const std::uint32_t pc = frame.stack.pc();
  const Step& step = frame.code->steps[pc];
  std::uint32_t active = frame.stack.mask();
  if (step.guard != Step::kUnguarded) {
    const std::uint32_t guard = warp.predicate(step.guard);
    active &= step.guard_negated ? ~guard : guard;
  }
  issued.code = &frame.code->instructions[pc];
  issued.mask = active;
  issued.ended = false;
  ++state_.instructions;
  const Now now{warp, step, number, active};
  if (step.kind == Step::Kind::kLanes) {
    if (active != 0) run_lanes(now);
    frame.stack.advance(pc + 1);
    issued.redirected = frame.stack.pc() != pc + 1;
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
  lanes.carry = &now.warp.predicate(now.warp.frame().code->carry);
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
      return broadcast_active(now, now.step.destination[0], now.active);
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

void PtxBlockStream::fill_specials(std::uint32_t number) {
  Warp& warp = warps_[number];
  for (const SpecialRow& row : code_.specials) {
    const std::uint64_t mask = row.bits < 64 ? (std::uint64_t{1} << row.bits) - 1 : ~std::uint64_t{0};
    std::byte* const to = warp.at({row.offset, RowBase::kWarp, false});
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t value = special(row.special, number, lane) & mask;
      const std::size_t bytes = row.bits == 64 ? 8 : 4;
      std::memcpy(to + lane * bytes, &value, bytes);
    }
  }
}

std::uint64_t PtxBlockStream::special(Special special, std::uint32_t number, std::uint32_t lane) const {
  const Dim3& block = state_.launch.block;
  const Dim3& grid = state_.launch.grid;
  const std::uint32_t thread = number * kLanes + lane;
  switch (special) {
    case Special::kTidX:
      return thread % block.x;
    case Special::kTidY:
      return thread / block.x % block.y;
    case Special::kTidZ:
      return thread / block.x / block.y;
    case Special::kNtidX:
      return block.x;
    case Special::kNtidY:
      return block.y;
    case Special::kNtidZ:
      return block.z;
    case Special::kCtaidX:
      return position_.x;
    case Special::kCtaidY:
      return position_.y;
    case Special::kCtaidZ:
      return position_.z;
    case Special::kNctaidX:
      return grid.x;
    case Special::kNctaidY:
      return grid.y;
    case Special::kNctaidZ:
      return grid.z;
    case Special::kLaneid:
      return lane;
    case Special::kWarpid:
      return number;
    case Special::kNwarpid:
      return warps_.size();
    case Special::kLanemaskEq:
      return 1U << lane;
    case Special::kLanemaskLe:
      return (2ULL << lane) - 1;
    case Special::kLanemaskLt:
      return (1ULL << lane) - 1;
    case Special::kLanemaskGe:
      return kEveryLane & ~((1ULL << lane) - 1);
    case Special::kLanemaskGt:
      return kEveryLane & ~((2ULL << lane) - 1);
    case Special::kNsmid:
      return 1;
    case Special::kClock:
    case Special::kClock64:
    case Special::kGlobaltimer:
    case Special::kGlobaltimerLo:
      return state_.instructions;
    case Special::kClockHi:
    case Special::kGlobaltimerHi:
      return state_.instructions >> 32U;
    case Special::kDynamicSharedBytes:
      return state_.launch.dynamic_shared;
    case Special::kTotalSharedBytes:
      return shared_.size();
    case Special::kSmid:
    case Special::kGridid:
    case Special::kEnvironment:
      return 0;
  }
  return 0;
}

void PtxBlockStream::read_clocks(const Now& now) {
  for (const SpecialRow& row : code_.specials) {
    if (row.special < Special::kClock || row.special > Special::kGlobaltimerHi) continue;
    const std::uint64_t value = special(row.special, now.number, 0);
    const std::size_t bytes = row.bits == 64 ? 8 : 4;
    std::byte* const to = now.warp.at({row.offset, RowBase::kWarp, false});
    for (std::size_t lane = 0; lane < kLanes; ++lane) std::memcpy(to + lane * bytes, &value, bytes);
  }
}

void PtxBlockStream::broadcast_active(const Now& now, const Row& to, std::uint32_t value) {
  std::uint32_t* const row = words(now.warp.at(to));
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) row[__builtin_ctz(left)] = value;
}

void PtxBlockStream::vote(const Now& now) {
  std::uint32_t predicate = *words(now.warp.at(now.step.source[0]));
  if (now.step.negated) predicate = ~predicate;
  std::uint32_t members = now.active;
  if (now.step.sources > 1) members &= words(now.warp.at(now.step.source[1]))[__builtin_ctz(now.active)];
  const Variant variant = now.step.instruction->variant;
  const std::uint32_t result = ptx::vote(variant, members, predicate);
  if (variant == Variant::kBallot) return broadcast_active(now, now.step.destination[0], result);
  std::uint32_t& to = *words(now.warp.at(now.step.destination[0]));
  to = result != 0 ? to | now.active : to & ~now.active;
}

void PtxBlockStream::shuffle(const Now& now) {
  ShuffleRows rows;
  rows.to = words(now.warp.at(now.step.destination[0]));
  if (now.step.destination[1].base != RowBase::kNull)
    rows.in_range = words(now.warp.at(now.step.destination[1]));
  rows.from = words(now.warp.at(now.step.source[0]));
  rows.b = words(now.warp.at(now.step.source[1]));
  rows.c = words(now.warp.at(now.step.source[2]));
  ptx::shuffle(now.step.instruction->variant, now.active, rows);
}

void PtxBlockStream::match(const Now& now) {
  const bool wide = bits_of(now.step.instruction->type) == 64;
  const void* const values = now.warp.at(now.step.source[0]);
  if (now.step.instruction->variant == Variant::kAny)
    return match_any(now.active, values, wide, words(now.warp.at(now.step.destination[0])));
  const bool all = all_match(now.active, values, wide);
  broadcast_active(now, now.step.destination[0], all ? now.active : 0);
  if (now.step.destination[1].base == RowBase::kNull) return;
  std::uint32_t& to = *words(now.warp.at(now.step.destination[1]));
  to = all ? to | now.active : to & ~now.active;
}

void PtxBlockStream::add_window(const Now& now) {
  const Instruction& instruction = *now.step.instruction;
  const std::uint64_t window = window_of(instruction.space);
  const auto* const from = reinterpret_cast<const std::uint64_t*>(now.warp.at(now.step.source[0]));  // NOLINT
  auto* const to = reinterpret_cast<std::uint64_t*>(now.warp.at(now.step.destination[0]));           // NOLINT
  const std::uint64_t added = instruction.has(kTo) ? std::uint64_t{0} - window : window;
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    to[lane] = from[lane] + added;
  }
}

void PtxBlockStream::is_in_window(const Now& now) {
  const Space wanted = now.step.instruction->space;
  const Image& image = image_of(*state_.launch.code);
  const auto in_constants = [&](std::uint64_t address) {
    for (std::size_t i = 0; i < image.offsets.size(); ++i)
      if (image.module->variables[i].space == Space::kConst && address >= image.address + image.offsets[i] &&
          address - image.address - image.offsets[i] < image.module->variables[i].bytes)
        return true;
    return false;
  };
  const auto* const from = reinterpret_cast<const std::uint64_t*>(now.warp.at(now.step.source[0]));  // NOLINT
  std::uint32_t& to = *words(now.warp.at(now.step.destination[0]));
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const Space found = space_of_generic(from[lane]);
    const bool constant = found == Space::kGlobal && in_constants(from[lane]);
    const bool inside = wanted == Space::kConst ? constant : found == wanted && !constant;
    to = (to & ~(1U << lane)) | static_cast<std::uint32_t>(inside) << lane;
  }
}

void PtxBlockStream::barrier(const Now& now, IssuedInstruction& issued) {
  heddle::Instruction& code = now.warp.barrier;
  code = *issued.code;
  issued.code = &code;
  if (now.active == 0) {
    code.operation = Operation::kNop;
    return;
  }
  const int lane = __builtin_ctz(now.active);
  const auto number = words(now.warp.at(now.step.source[0]))[lane];
  if (number >= kBarriers)
    fault(now, static_cast<std::uint32_t>(lane), fmt::format("barrier {} of 16", number));
  std::uint32_t expected = 0;
  if (now.step.sources > 1 && now.step.source[1].base != RowBase::kNull) {
    const std::uint32_t threads = words(now.warp.at(now.step.source[1]))[lane];
    if (threads == 0 || threads % kLanes != 0 || threads > warps_.size() * kLanes)
      fault(now, static_cast<std::uint32_t>(lane),
            fmt::format("a barrier for {} threads; a block of {} threads takes whole warps of its own",
                        threads, threads_));
    expected = threads / kLanes;
  }
  code.barrier = static_cast<std::uint8_t>(number);
  code.barrier_warps = static_cast<std::uint8_t>(expected);
  code.arrives = now.step.instruction->opcode == Opcode::kBarArrive;
  arrive(now, code);
}

void PtxBlockStream::arrive(const Now& now, const heddle::Instruction& code) {
  Reduction& reduction = barriers_[code.barrier];
  reduction.barrier.arrive(std::uint64_t{1} << now.number, code);
  if (now.step.instruction->opcode == Opcode::kBarRed) {
    std::uint32_t predicate = *words(now.warp.at(now.step.source[2]));
    if (now.step.negated) predicate = ~predicate;
    reduction.holds += static_cast<std::uint32_t>(__builtin_popcount(predicate & now.active));
    reduction.threads += static_cast<std::uint32_t>(__builtin_popcount(now.active));
    reduction.waiting.push_back({now.number, now.active, &now.step});
  }
  open_barriers();
}

// The SM opens barriers by the same rule; here it tells when a reduction's result is known.
void PtxBlockStream::open_barriers() {
  for (Reduction& reduction : barriers_) {
    if (!reduction.barrier.opens(live_)) continue;
    for (const Reduction::Waiting& waiting : reduction.waiting) {
      const Variant variant = waiting.step->instruction->variant;
      std::uint32_t* const to = words(warps_[waiting.warp].at(waiting.step->destination[0]));
      const bool holds =
          variant == Variant::kAnd ? reduction.holds == reduction.threads : reduction.holds != 0;
      if (variant == Variant::kPopc)
        for (std::uint32_t left = waiting.lanes; left != 0; left &= left - 1)
          to[__builtin_ctz(left)] = reduction.holds;
      else
        *to = holds ? *to | waiting.lanes : *to & ~waiting.lanes;
    }
    reduction = {};
  }
}

void PtxBlockStream::fault(const Now& now, std::uint32_t lane, const std::string& what) const {
  const Module& module = *image_of(*state_.launch.code).module;
  const Frame& frame = now.warp.frame();
  const Dim3& block = state_.launch.block;
  const std::uint32_t thread = now.number * kLanes + lane;
  throw Fault(
      fmt::format("{}:{}: {} (kernel {}, block ({}, {}, {}), thread ({}, {}, {}), pc {:#x}{})", module.file,
                  now.step.instruction->line, what, module.functions[state_.launch.entry].name, position_.x,
                  position_.y, position_.z, thread % block.x, thread / block.x % block.y,
                  thread / block.x / block.y, frame.code->instructions[frame.stack.pc()].pc,
                  frame.code->function->entry ? "" : fmt::format(", in {}", frame.code->function->name)));
}

void PtxBlockStream::fault_outside(const Now& now, std::uint32_t lane, Address address) const {
  const Access& access = code_.accesses[now.step.index];
  fault(now, lane,
        fmt::format("{} bytes at {}", access.bytes * access.width, describe(state_.memory, address)));
}

}  // namespace heddle::ptx
