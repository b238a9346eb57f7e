#include "stimuli/synthetic/synthetic_program.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

// The draws of loops, of ifs and of accesses are independent of each other.
constexpr std::uint64_t kLoopDraws = 0x6c6f6f70;
constexpr std::uint64_t kIfDraws = 0x6966;

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t what, std::uint64_t index) {
  return scramble(seed ^ (what << 32)) + index;
}

}  // namespace

SyntheticStream::SyntheticStream(const SyntheticCode& code)
    : code_(code),
      instructions_(code.instructions.size()),
      stacks_(code.warps()),
      rounds_(code.warps() * code.loops.size()) {}

void SyntheticStream::start(BlockId block) {
  block_ = block.value;
  std::fill(rounds_.begin(), rounds_.end(), 0);
  std::uint32_t left = code_.shape.threads;
  for (ReconvergenceStack& stack : stacks_) {
    const std::uint32_t lanes = std::min(left, kLanes);
    left -= lanes;
    stack.reset(0, lanes == kLanes ? ~std::uint32_t{0} : (1u << lanes) - 1);
  }
}

void SyntheticStream::issue(std::uint32_t warp, IssuedInstruction& issued) {
  ReconvergenceStack& stack = stacks_[warp];
  HEDDLE_CHECK(!stack.done(), "synthetic kernel", Cycle{}, "warp {} of block {} has ended", warp, block_);
  const std::uint32_t pc = stack.pc();
  const std::uint32_t next = pc + kInstructionBytes;
  const SyntheticStep& step = code_.steps[pc / kInstructionBytes];
  issued.code = &code_.instructions[pc / kInstructionBytes];
  issued.mask = stack.mask();
  issued.redirected = false;
  issued.ended = false;
  if (step.kind == SyntheticStep::Kind::kPlain) return stack.advance(next);
  issue_other(warp, step, issued);
}

void SyntheticStream::issue_other(std::uint32_t warp, const SyntheticStep& step, IssuedInstruction& issued) {
  ReconvergenceStack& stack = stacks_[warp];
  const std::uint32_t next = stack.pc() + kInstructionBytes;
  switch (step.kind) {
    case SyntheticStep::Kind::kPlain:
      break;
    case SyntheticStep::Kind::kMemory: {
      const SyntheticAccess& access = code_.accesses[step.index];
      access.addresses.generate({block_, warp}, visit(warp, access.parent) * access.count + step.number,
                                issued.addresses);
      return stack.advance(next);
    }
    case SyntheticStep::Kind::kLoop:
      close_loop(warp, step, next);
      break;
    case SyntheticStep::Kind::kIf: {
      const std::uint32_t taking = lanes_taking(warp, step.index);
      stack.branch(~taking, step.target, next, code_.ifs[step.index].meet);
      break;
    }
    case SyntheticStep::Kind::kJump:
      stack.advance(step.target);
      break;
    case SyntheticStep::Kind::kExit:
      stack.exit(issued.mask);
      break;
  }
  issued.ended = stack.done();
  issued.redirected = !issued.ended && stack.pc() != next;
}

void SyntheticStream::close_loop(std::uint32_t warp, const SyntheticStep& step, std::uint32_t next) {
  ReconvergenceStack& stack = stacks_[warp];
  const std::uint32_t round = lanes_going_round(warp, step.index, stack.mask());
  std::uint32_t& rounds = rounds_[warp * code_.loops.size() + step.index];
  rounds = round == 0 ? 0 : rounds + 1;
  stack.branch(round, step.target, next, next);
}

std::uint64_t SyntheticStream::visit(std::uint32_t warp, std::int32_t loop) const {
  const std::uint32_t* rounds = rounds_.data() + warp * code_.loops.size();
  std::uint64_t visit = 0;
  std::uint64_t each = 1;
  while (loop >= 0) {
    const auto index = static_cast<std::size_t>(loop);
    visit += rounds[index] * each;
    each *= code_.loops[index].most;
    loop = code_.loops[index].parent;
  }
  return visit;
}

std::uint32_t SyntheticStream::lanes_going_round(std::uint32_t warp, std::uint32_t index,
                                                 std::uint32_t mask) const {
  const SyntheticLoop& loop = code_.loops[index];
  const std::uint32_t done = rounds_[warp * code_.loops.size() + index] + 1;
  if (done < loop.least) return mask;
  if (done >= loop.most) return 0;
  const std::uint64_t seed = seed_of(code_.seed, kLoopDraws, index);
  const std::uint64_t warp_key = loop.of == Unit::kBlock ? 0 : warp + 1;
  const std::uint64_t drawn = draw(seed, block_, warp_key, visit(warp, loop.parent));
  const std::uint64_t spread = std::uint64_t{loop.most} - loop.least + 1;
  if (loop.of != Unit::kLane) return done < loop.least + below(drawn, spread) ? mask : 0;
  std::uint32_t round = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if (done < loop.least + below(scramble(drawn + lane), spread)) round |= 1u << lane;
  return round & mask;
}

// Returns the lanes that take the body of an if. If lanes decide, the fraction of the 32 lanes takes the
// body, and a fractional lane is rounded at random; the lanes follow each other at an odd distance from a
// random first lane. If warps or blocks decide, the fraction of all warps or blocks of the launch takes the
// body, evenly spread and the same ones in every round.
std::uint32_t SyntheticStream::lanes_taking(std::uint32_t warp, std::uint32_t index) const {
  const SyntheticIf& branch = code_.ifs[index];
  if (branch.of != Unit::kLane) {
    const std::uint64_t n = branch.of == Unit::kBlock ? block_ : block_ * code_.warps() + warp;
    return ((n + 1) * branch.fraction) >> 32 != (n * branch.fraction) >> 32 ? ~std::uint32_t{0} : 0;
  }
  const std::uint64_t drawn =
      draw(seed_of(code_.seed, kIfDraws, index), block_, warp, visit(warp, branch.parent));
  const std::uint64_t lanes = (kLanes * branch.fraction + (drawn & 0xffffffff)) >> 32;
  const auto step = static_cast<std::uint32_t>(drawn >> 32) | 1u;
  const auto first = static_cast<std::uint32_t>(drawn >> 40);
  std::uint32_t taking = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if ((first + lane * step) % kLanes < lanes) taking |= 1u << lane;
  return taking;
}

BlockStream& SyntheticProgram::start(BlockId block) {
  if (unused_.empty()) {
    streams_.push_back(std::make_unique<SyntheticStream>(code_));
    unused_.reserve(streams_.size());
    unused_.push_back(streams_.back().get());
  }
  SyntheticStream& stream = *unused_.back();
  unused_.pop_back();
  stream.start(block);
  return stream;
}

void SyntheticProgram::finish(BlockStream& stream) {
  unused_.push_back(static_cast<SyntheticStream*>(&stream));
}

}  // namespace heddle
