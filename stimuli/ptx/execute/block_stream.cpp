#include "stimuli/ptx/execute/block_stream.h"

#include <fmt/format.h>

#include "stimuli/ptx/execute/generic_addresses.h"
#include "stimuli/ptx/execute/lane_exchange.h"
#include "stimuli/ptx/statements/clocks.h"

namespace heddle::ptx {
namespace {

std::uint32_t mask_of(std::uint32_t lanes) {
  return lanes >= kLanes ? kEveryLane : (1U << lanes) - 1;
}

// Returns whether a warp that has to wait issues the instruction again. SMs do not issue it before the warp
// has waited.
bool is_wait(Step::Kind kind) {
  return kind == Step::Kind::kClusterWait || kind == Step::Kind::kGroupWait ||
         kind == Step::Kind::kRegisterCount;
}

// Returns what a warp waits for at a statement that awaits something.
const char* what_ends_wait(const Statement& statement) {
  if (statement.opcode == Opcode::kClusterWait) return "all threads of the cluster";
  if (statement.opcode == Opcode::kWgmmaWait) return "other warps of its warpgroup";
  return statement.opcode == Opcode::kSetmaxnreg ? "registers of other warps"
                                                 : "a barrier object in shared memory";
}

}  // namespace

PtxBlockStream::PtxBlockStream(LaunchState& state)
    : state_(state),
      threads_(static_cast<std::uint32_t>(state.launch.block.count())),
      warps_((threads_ + kLanes - 1) / kLanes),
      faults_(state),
      member_(state, warps_, faults_),
      memory_(state, faults_, &member_),
      textures_(state, faults_),
      matrices_(state, memory_, faults_),
      groups_(state, memory_, faults_, warps_.size()),
      phases_(state, memory_, faults_),
      copies_(state, memory_, phases_, faults_),
      cluster_copies_(state, memory_, phases_, faults_),
      barriers_(state, warps_, faults_),
      registers_(registers_to_share(state.launch), warps_.size(), faults_),
      device_functions_(state, memory_, faults_),
      flow_(state, device_functions_, faults_) {}

void PtxBlockStream::start(BlockId block, Cluster& cluster, std::uint32_t rank) {
  position_ = position_of(state_.launch.grid, state_.cluster, block);
  faults_.start(position_);
  memory_.start();
  barriers_.start();
  member_.start(cluster, rank, *this, memory_);
  registers_.start();
  copies_.start();
  groups_.start();
  is_running_ = true;
  watch(state_.is_watched);
  for (std::uint32_t number = 0; number < warps_.size(); ++number) {
    warps_[number].start(state_.code, mask_of(threads_ - number * kLanes));
    fill_special_registers(number);
  }
  is_prepared_.assign(warps_.size(), 0);
}

// Most steps have few operands.
[[gnu::always_inline]] inline void PtxBlockStream::execute_small(Warp& warp, const Step& step,
                                                                 std::uint32_t active) {
  small_.destinations[0] = warp.at(step.destination[0]);
  small_.sources[0] = warp.at(step.source[0]);
  small_.sources[1] = warp.at(step.source[1]);
  small_.sources[2] = warp.at(step.source[2]);
  small_.active = active;
  small_.carry = warp.carry();
  step.lanes.run(small_);
}

// Each active lane computes its result from its own registers. The rows of absent operands are null.
[[gnu::noinline]] void PtxBlockStream::execute_lanes(Warp& warp, const Step& step, std::uint32_t number,
                                                     std::uint32_t active) {
  if (step.is_small) return execute_small(warp, step, active);
  if (step.reads_clock) update_clocks({warp, step, number, active});
  const auto to = [&](std::size_t i) -> void* { return warp.at(step.destination[i]); };
  const auto from = [&](std::size_t i) -> const void* { return warp.at(step.source[i]); };
  step.lanes.run(
      {{to(0), to(1), to(2), to(3)}, {from(0), from(1), from(2), from(3), from(4)}, active, warp.carry()});
}

// Lane operations of a warp on one path are most of all instructions. The stack advances before the operation
// executes, so that nothing needs to be kept meanwhile.
void PtxBlockStream::issue(std::uint32_t number, IssuedInstruction& issued) {
  Warp& warp = warps_[number];
  ReconvergenceStack& stack = warp.stack();
  faults_.set_time(issued.now);
  if (stack.depth() != 1) return issue_step(number, issued);
  const std::uint32_t pc = stack.pc();
  const Step& step = warp.step(pc);
  if (!step.is_plain || watch_ != nullptr) return issue_step(number, issued);
  const std::uint32_t active = active_lanes(warp, step);
  issued.code = &warp.instruction_of(pc);
  issued.mask = active;
  issued.ended = issued.redirected = false;
  stack.advance(pc + 1);
  if (active == 0) return;
  if (step.is_small) return execute_small(warp, step, active);
  execute_lanes(warp, step, number, active);
}

void PtxBlockStream::issue_step(std::uint32_t number, IssuedInstruction& issued) {
  Warp& warp = warps_[number];
  ReconvergenceStack& stack = warp.stack();
  const std::uint32_t pc = stack.pc();
  const Step& step = warp.step(pc);
  member_.clear();
  prepare(number, step);
  const WarpStep at{warp, step, number, active_lanes(warp, step)};
  issued.code = warp.instruction(pc);
  issued.mask = at.active;
  issued.ended = false;
  if (step.kind == Step::Kind::kLanes) {
    if (at.active != 0) execute_lanes(warp, step, number, at.active);
    if (step.computes_folded) execute_folded(number, warp.folded(pc).after);
    stack.advance(pc + 1);
    flow_.gather(warp);
    issued.redirected = stack.pc() != pc + 1;
  } else {
    const bool repeats = is_wait(step.kind) && must_wait(at);
    if (repeats) is_prepared_[number] = step.computes_folded ? 1 : 0;
    if (!repeats) execute(at, issued);
    if (step.computes_folded && !repeats) execute_folded(number, warp.folded(pc).after);
    flow_.update_next_instruction(at, repeats ? pc : pc + 1, issued);
    if (step.kind == Step::Kind::kExit || step.kind == Step::Kind::kReturn) member_.end_lanes(number);
    if (issued.ended) barriers_.end_warp(number);
  }
  if (watch_ != nullptr) observe(number);
}

Cluster& PtxBlockStream::stop(bool has_ended) {
  is_running_ = false;
  watch_.reset();
  member_.stop(has_ended);
  return member_.cluster();
}

void PtxBlockStream::complete(std::uint64_t number) {
  member_.clear();
  copies_.complete(number);
}

void PtxBlockStream::receive(const ClusterMessage& signal) {
  member_.receive();
  if (signal.kind == ClusterMessage::Kind::kClusterOpens)
    member_.receive_opening();
  else
    phases_.receive(signal);
}

void PtxBlockStream::watch(bool is_watched) {
  watch_.reset();
  if (is_watched && is_running_) watch_ = std::make_unique<RepetitionWatch>(warps_.size());
}

void PtxBlockStream::observe(std::uint32_t number) {
  if (warps_[number].ended() || watch_->repeats(number)) return;
  watch_->observe(number, warps_[number],
                  [&](std::vector<std::byte>& state) { memory_.append_local(number, state); });
}

// Executes the statements that are folded into the warp's next instruction and precede it in the text. They
// are executed once, either when the instruction issues or before, when waits() reads registers that they
// write.
void PtxBlockStream::prepare(std::uint32_t number, const Step& step) {
  if (!step.computes_folded) return;
  if (is_prepared_[number] == 0)
    execute_folded(number, warps_[number].folded(warps_[number].stack().pc()).before);
  is_prepared_[number] = 0;
}

std::optional<std::uint32_t> PtxBlockStream::live_register_bytes(std::uint32_t warp) const {
  if (state_.live_registers == nullptr) return std::nullopt;
  std::uint32_t registers = 0;
  warps_[warp].entry_frame().stack.visit_paths([&](std::uint32_t pc, std::uint32_t lanes) {
    registers += (*state_.live_registers)[pc] * static_cast<std::uint32_t>(__builtin_popcount(lanes));
  });
  return registers * 4;
}

bool PtxBlockStream::waits(std::uint32_t number) {
  Warp& warp = warps_[number];
  if (warp.ended()) return false;
  const Step& step = warp.step(warp.stack().pc());
  prepare(number, step);
  is_prepared_[number] = step.computes_folded ? 1 : 0;
  return must_wait({warp, step, number, active_lanes(warp, step)});
}

bool PtxBlockStream::must_wait(const WarpStep& at) {
  switch (at.step.statement->opcode) {
    case Opcode::kClusterWait:
      return at.active != 0 && member_.waits(at.number);
    case Opcode::kMbarrierTry:
      return at.warp.stack().depth() == 1 && !phases_.is_complete(at);
    case Opcode::kSetmaxnreg:
      return registers_.waits(at);
    case Opcode::kWgmmaWait:
      return groups_.waits(at);
    default:
      return false;
  }
}

bool PtxBlockStream::is_stuck() {
  if (!is_running_) return true;
  if (copies_.has_copies() || member_.has_signals_under_way()) return false;
  for (std::uint32_t number = 0; number < warps_.size(); ++number)
    if (!warps_[number].ended() && !barriers_.holds(number) && !waits(number) &&
        (!watch_ || !watch_->repeats(number)))
      return false;
  return true;
}

void PtxBlockStream::tell_places(PlaceList& places) {
  for (std::uint32_t number = 0; is_running_ && number < warps_.size(); ++number)
    if (!warps_[number].ended()) places.add(faults_.block(), number, place_of_warp(number));
}

// Before Volta, lanes that wait for others of their warp to reconverge never run before those.
std::string PtxBlockStream::place_of_warp(std::uint32_t number) {
  if (barriers_.holds(number)) return barriers_.place_of(number);
  Warp& warp = warps_[number];
  if (waits(number))
    return fmt::format("waits for {}, {}", what_ends_wait(*warp.step(warp.stack().pc()).statement),
                       faults_.place_of(*warp.frame().code, warp.stack().pc()));
  const std::uint32_t running = warp.stack().mask();
  const int behind = __builtin_popcount(warp.live() & ~running);
  return fmt::format("{}, lanes {:08x}{}{}", faults_.place_of(*warp.frame().code, warp.stack().pc()), running,
                     watch_ && watch_->repeats(number) ? ", in a loop that changes nothing" : "",
                     behind == 0 ? "" : fmt::format("; {} lanes wait for these to reconverge", behind));
}

// Statements without an instruction of their own read and write registers, and read parameters and constant
// memory.
void PtxBlockStream::execute_folded(std::uint32_t number, const std::vector<Step>& steps) {
  IssuedInstruction unseen;
  for (const Step& step : steps) {
    const WarpStep at{warps_[number], step, number, active_lanes(warps_[number], step)};
    if (at.active == 0) continue;
    if (step.kind == Step::Kind::kLanes)
      execute_lanes(at.warp, step, number, at.active);
    else
      execute(at, unseen);
  }
}

// A branch issues for all lanes of the path, and a barrier step without active lanes still changes the
// instruction that the SM sees. ControlFlow executes branches, calls, returns and exits afterwards.
void PtxBlockStream::execute(const WarpStep& at, IssuedInstruction& issued) {
  if (at.step.kind == Step::Kind::kBranch) issued.mask = at.warp.stack().mask();
  if (at.step.kind == Step::Kind::kBarrier) return barriers_.arrive(at, issued);
  if (at.active == 0) return;
  if (at.step.reads_clock) update_clocks(at);
  if (state_.is_watched &&
      (at.step.kind == Step::Kind::kMatrixStore || at.step.kind == Step::Kind::kSurfaceStore ||
       at.step.kind == Step::Kind::kAsynchronousCopy || at.step.kind == Step::Kind::kAsynchronousStore ||
       at.step.kind == Step::Kind::kBulkCopy || at.step.kind == Step::Kind::kTensorCopy))
    state_.memory.note_change();  // also where the bytes stay the same
  switch (at.step.kind) {
    case Step::Kind::kLoad:
    case Step::Kind::kStore:
    case Step::Kind::kAtomic:
      return memory_.access(at, issued);
    case Step::Kind::kAsynchronousCopy:
      return copies_.copy(at, issued);
    case Step::Kind::kAsynchronousStore:
      return cluster_copies_.store(at, issued);
    case Step::Kind::kBulkCopy:
      if (at.step.statement->opcode == Opcode::kBulkAcross) return cluster_copies_.copy(at, issued);
      return copies_.copy_bulk(at);
    case Step::Kind::kTensorCopy:
      return copies_.copy_tensor(at);
    case Step::Kind::kClusterArrive:
      return member_.arrive(at.number, at.active);
    case Step::Kind::kClusterAddress:
      return member_.find(at);
    case Step::Kind::kRegisterCount:
      return registers_.execute(at);
    case Step::Kind::kPhaseBarrier:
      return phases_.execute(at, issued);
    case Step::Kind::kTexture:
      return textures_.fetch(at, issued);
    case Step::Kind::kSurfaceLoad:
      return textures_.load(at, issued);
    case Step::Kind::kSurfaceStore:
      return textures_.store(at, issued);
    case Step::Kind::kMatrixLoad:
      return matrices_.load(at, issued);
    case Step::Kind::kMatrixStore:
      return matrices_.store(at, issued);
    case Step::Kind::kMatrixProduct:
      return matrices_.multiply(at);
    case Step::Kind::kGroupProduct:
      return groups_.multiply(at);
    case Step::Kind::kGroupCommit:
      return groups_.commit(at.number);
    case Step::Kind::kVote:
      return execute_vote(at);
    case Step::Kind::kShuffle:
      return execute_shuffle(at);
    case Step::Kind::kMatch:
      return execute_match(at);
    case Step::Kind::kReduce:
      return execute_reduce(at);
    case Step::Kind::kElect:
      return execute_elect(at);
    case Step::Kind::kActiveMask:
      return execute_active_mask(at);
    case Step::Kind::kConvertAddress:
      return convert_addresses(at);
    case Step::Kind::kTestAddressSpace:
      return test_address_space(at, image_of(*state_.launch.code));
    case Step::Kind::kTrap:
      faults_.raise(at, at.first_lane(), "trap");
    default:
      return;
  }
}

WarpPlace PtxBlockStream::place_of(std::uint32_t number) const {
  return {state_.launch,
          position_,
          state_.cluster,
          number,
          static_cast<std::uint32_t>(warps_.size()),
          memory_.shared_bytes(),
          faults_.now().value};
}

void PtxBlockStream::fill_special_registers(std::uint32_t number) {
  for (const SpecialRow& row : state_.code.specials)
    fill_special(row, place_of(number), warps_[number].at({row.offset, RowBase::kWarp, false}));
}

void PtxBlockStream::update_clocks(const WarpStep& at) {
  for (const SpecialRow& row : state_.code.specials)
    if (is_clock(row.special))
      fill_special(row, place_of(at.number), at.warp.at({row.offset, RowBase::kWarp, false}));
}

}  // namespace heddle::ptx
