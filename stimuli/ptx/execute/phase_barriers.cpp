#include "stimuli/ptx/execute/phase_barriers.h"

#include <fmt/format.h>

#include <cstring>

#include "stimuli/ptx/execute/generic_addresses.h"

namespace heddle::ptx {

std::uint32_t PhaseBarriers::address_of(const WarpStep& at, std::uint32_t lane) const {
  const Access& access = state_.code.accesses[at.step.index];
  const Address address = lane_value(at, at.step.source[0], lane) + access.offset;
  if (access.space != Space::kGeneric) return static_cast<std::uint32_t>(address);
  if (space_of_generic(address) != Space::kShared)
    faults_.raise(at, lane, fmt::format("a barrier object at {:#x}, which is not in shared memory", address));
  return static_cast<std::uint32_t>(address - kSharedWindow);
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
    const std::uint32_t address = address_of(at, lane);
    issued.addresses[lane] = address;
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
    complete = complete || is_complete(at, lane, word_at(at, lane, address_of(at, lane)));
  });
  return complete || at.active == 0;
}

void PhaseBarriers::receive(std::uint32_t address, std::uint32_t bytes) {
  std::uint64_t bits = 0;
  std::byte* const place = memory_.shared_at(address);
  std::memcpy(&bits, place, sizeof bits);
  PhaseWord word(bits);
  if (!word.is_valid() || !word.receive(bytes))
    throw Fault(
        fmt::format("{} of kernel {}: {} bytes of a copy arrive at {:#x} of shared memory, where {}",
                    faults_.block(), faults_.kernel(), bytes, address,
                    word.is_valid() ? "the barrier object counts no more" : "no barrier object is left"));
  bits = word.bits();
  std::memcpy(place, &bits, sizeof bits);
  if (state_.is_watched) state_.memory.note_change();
}

}  // namespace heddle::ptx
