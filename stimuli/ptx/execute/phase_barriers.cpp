#include "stimuli/ptx/execute/phase_barriers.h"

#include <fmt/format.h>

#include <cstring>

#include "stimuli/ptx/execute/generic_addresses.h"

namespace heddle::ptx {
namespace {

// Returns the beginning of a message about a signal that a barrier object cannot take, such as "8 bytes more
// are expected". The message goes on with the place of the barrier object.
std::string shown(const ClusterMessage& signal) {
  switch (signal.kind) {
    case ClusterMessage::Kind::kArrival:
      return fmt::format("{} arrivals from another block come", signal.count);
    case ClusterMessage::Kind::kExpectBytes:
      return fmt::format("{} bytes more are expected", signal.count);
    case ClusterMessage::Kind::kArrivalExpecting:
      return fmt::format("an arrival from another block, which expects {} bytes, comes", signal.count);
    default:
      return fmt::format("{} bytes of a copy arrive", signal.count);
  }
}

}  // namespace

std::uint32_t PhaseBarriers::address_of(const WarpStep& at, std::uint32_t lane) const {
  const Access& access = state_.code.accesses[at.step.index];
  const Address address = lane_value(at, at.step.source[0], lane) + access.offset;
  if (access.space != Space::kGeneric) return static_cast<std::uint32_t>(address);
  if (space_of_generic(address) != Space::kShared)
    faults_.raise(at, lane, fmt::format("a barrier object at {:#x}, which is not in shared memory", address));
  return static_cast<std::uint32_t>(address - kSharedWindow);
}

ClusterPlace PhaseBarriers::place_of(const WarpStep& at, std::uint32_t lane) const {
  const std::uint32_t address = address_of(at, lane);
  const ClusterMember* const cluster = memory_.cluster();
  const bool may_be_elsewhere = cluster != nullptr && state_.code.accesses[at.step.index].in_cluster;
  return may_be_elsewhere ? cluster->place_of(address) : ClusterPlace{own_rank(), address};
}

std::uint32_t PhaseBarriers::own_rank() const {
  return memory_.cluster() == nullptr ? 0 : memory_.cluster()->rank();
}

// Arrives at a barrier object of another block.
void PhaseBarriers::signal(const WarpStep& at, std::uint32_t lane, ClusterPlace place) {
  using Kind = ClusterMessage::Kind;
  constexpr std::uint32_t kBytes = sizeof(std::uint64_t);
  const Statement& statement = *at.step.statement;
  const bool arrives = statement.opcode == Opcode::kMbarrierArrive;
  if (!arrives && statement.opcode != Opcode::kMbarrierExpect &&
      statement.opcode != Opcode::kMbarrierComplete)
    faults_.raise(at, lane,
                  fmt::format("a barrier object of block {} of the cluster; another block can arrive there, "
                              "and change the bytes that it waits for, alone",
                              place.rank));
  memory_.cluster()->place_of(at, lane, address_of(at, lane), kBytes, kBytes);
  const Operand* const operands = at.warp.frame().code->function->operands_of(statement);
  if (statement.destinations > 0 && operands[0].kind != OperandKind::kSink)
    faults_.raise(at, lane, "an arrival at a barrier object of another block returns no state");
  const bool has_number = at.step.sources > 1 && at.step.source[1].base != RowBase::kNull;
  const auto number = static_cast<std::uint32_t>(lane_value(at, at.step.source[1], lane));
  const Kind kind = !arrives ? statement.opcode == Opcode::kMbarrierExpect ? Kind::kExpectBytes : Kind::kBytes
                    : statement.has(kExpectBytes) ? Kind::kArrivalExpecting
                                                  : Kind::kArrival;
  memory_.cluster()->send({kind, static_cast<std::uint8_t>(place.rank), kBytes, 0, place.offset,
                           arrives && !has_number ? 1 : number});
}

PhaseWord PhaseBarriers::word_at(const WarpStep& at, std::uint32_t lane, std::uint32_t address) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, memory_.place_of(at, Space::kShared, lane, address, sizeof bits), sizeof bits);
  const PhaseWord word(bits);
  if (!word.is_valid())
    faults_.raise(at, lane, fmt::format("no barrier object at {:#x} of shared memory", address));
  return word;
}

void PhaseBarriers::store(const WarpStep& at, std::uint32_t lane, std::uint32_t address, PhaseWord word) {
  const std::uint64_t bits = word.bits();
  std::memcpy(memory_.place_of(at, Space::kShared, lane, address, sizeof bits), &bits, sizeof bits);
  if (state_.is_watched) state_.memory.note_change();
}

void PhaseBarriers::execute(const WarpStep& at, IssuedInstruction& issued) {
  const Statement& statement = *at.step.statement;
  if (statement.opcode == Opcode::kMbarrierPending) {
    for_each_lane(at.active, [&](std::uint32_t lane) {
      at.warp.words_at(at.step.destination[0])[lane] =
          PhaseWord(lane_value(at, at.step.source[0], lane)).pending();
    });
    return;
  }
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const ClusterPlace place = place_of(at, lane);
    const std::uint32_t address = place.offset;
    issued.addresses[lane] = address;
    if (place.rank != own_rank()) return signal(at, lane, place);
    switch (statement.opcode) {
      case Opcode::kMbarrierInit:
        return initialise(at, lane, address);
      case Opcode::kMbarrierInvalidate:
        word_at(at, lane, address);
        return store(at, lane, address, PhaseWord(0));
      case Opcode::kMbarrierTest:
      case Opcode::kMbarrierTry: {
        std::uint32_t& result = *at.warp.words_at(at.step.destination[0]);
        const std::uint32_t bit = 1U << lane;
        result = is_complete(at, lane, word_at(at, lane, address)) ? result | bit : result & ~bit;
        return;
      }
      default:
        return arrive(at, lane, address);
    }
  });
}

void PhaseBarriers::initialise(const WarpStep& at, std::uint32_t lane, std::uint32_t address) {
  const std::uint64_t arrivals = lane_value(at, at.step.source[1], lane);
  if (arrivals == 0 || arrivals > PhaseWord::kMostArrivals)
    faults_.raise(at, lane,
                  fmt::format("a barrier object for {} arrivals; it takes 1 to {}", arrivals,
                              PhaseWord::kMostArrivals));
  store(at, lane, address, PhaseWord::of(static_cast<std::uint32_t>(arrivals)));
}

// Executes mbarrier.arrive, arrive_drop, expect_tx and complete_tx of one lane.
void PhaseBarriers::arrive(const WarpStep& at, std::uint32_t lane, std::uint32_t address) {
  const Statement& statement = *at.step.statement;
  const PhaseWord before = word_at(at, lane, address);
  PhaseWord word = before;
  const bool has_number = at.step.sources > 1 && at.step.source[1].base != RowBase::kNull;
  const auto number = static_cast<std::uint32_t>(lane_value(at, at.step.source[1], lane));
  const bool receives = statement.opcode == Opcode::kMbarrierComplete;
  if (statement.has(kExpectBytes) || receives) {
    if (!(receives ? word.receive(number) : word.expect(number)))
      faults_.raise(at, lane,
                    fmt::format("{} bytes at a barrier object that waits for {}; the most are {}", number,
                                before.bytes(), PhaseWord::kMostBytes));
  }
  if (statement.opcode == Opcode::kMbarrierArrive || statement.opcode == Opcode::kMbarrierDrop) {
    const std::uint32_t arrivals = has_number && !statement.has(kExpectBytes) ? number : 1;
    const bool drops = statement.opcode == Opcode::kMbarrierDrop;
    if ((drops && !word.drop(arrivals)) || !word.arrive(arrivals))
      faults_.raise(
          at, lane,
          fmt::format("{} arrivals at a barrier object that waits for {}", arrivals, before.pending()));
    if (statement.has(kNoComplete) && word.parity() != before.parity())
      faults_.raise(at, lane, "an arrival with .noComplete completes the phase");
  }
  store(at, lane, address, word);
  if (at.step.destinations == 0) return;
  const Row& row = at.step.destination[0];
  const std::uint64_t state = before.bits();
  std::memcpy(at.warp.at(row) + std::size_t{lane} * (row.wide ? 8 : 4), &state, row.wide ? 8 : 4);
}

bool PhaseBarriers::is_complete(const WarpStep& at, std::uint32_t lane, PhaseWord word) const {
  const std::uint64_t awaited = lane_value(at, at.step.source[1], lane);
  const std::uint64_t parity =
      at.step.statement->has(kParity) ? awaited & 1U : std::uint64_t{PhaseWord(awaited).parity()};
  return word.parity() != parity;
}

bool PhaseBarriers::is_complete(const WarpStep& at) {
  bool complete = false;
  for_each_lane(at.active, [&](std::uint32_t lane) {
    // A wait for a barrier object of another block is a fault. The warp does not wait, so that the
    // instruction issues and raises it.
    const ClusterPlace place = place_of(at, lane);
    complete = complete || place.rank != own_rank() || is_complete(at, lane, word_at(at, lane, place.offset));
  });
  return complete || at.active == 0;
}

void PhaseBarriers::receive(std::uint32_t address, std::uint32_t bytes) {
  receive({ClusterMessage::Kind::kBytes, 0, 0, 0, address, bytes});
}

void PhaseBarriers::receive(const ClusterMessage& signal) {
  std::uint64_t bits = 0;
  std::byte* const place = memory_.shared_at(signal.address);
  std::memcpy(&bits, place, sizeof bits);
  PhaseWord word(bits);
  const auto applies = [&] {
    switch (signal.kind) {
      case ClusterMessage::Kind::kArrival:
        return word.arrive(signal.count);
      case ClusterMessage::Kind::kExpectBytes:
        return word.expect(signal.count);
      case ClusterMessage::Kind::kArrivalExpecting:
        return word.expect(signal.count) && word.arrive(1);
      default:
        return word.receive(signal.count);
    }
  };
  if (!word.is_valid() || !applies())
    throw Fault(
        fmt::format("{} of kernel {}: {} at {:#x} of shared memory, where {}", faults_.block(),
                    faults_.kernel(), shown(signal), signal.address,
                    word.is_valid() ? "the barrier object counts no more" : "no barrier object is left"));
  bits = word.bits();
  std::memcpy(place, &bits, sizeof bits);
  if (state_.is_watched) state_.memory.note_change();
}

}  // namespace heddle::ptx
