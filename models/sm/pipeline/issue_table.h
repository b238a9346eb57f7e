#pragma once
// The IssueTable has what the collector pipeline knows of each resident warp: the instructions that are
// fetched, and those in flight. The schedulers read its masks instead of every warp.

#include <array>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/sm/pipeline/outstanding_groups.h"
#include "models/sm/pipeline/scoreboard.h"
#include "models/sm/residence/issue_masks.h"
#include "models/sm/residence/resident_table.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

// The members that every instruction needs come first, so that they share a line of the host's cache.
struct alignas(64) IssueWarp {
  static constexpr std::uint32_t kNoLine = ~0u;

  BlockStream* stream = nullptr;
  std::uint8_t number = 0;    // in its block
  std::uint8_t block = 0;     // slot of its block
  std::uint8_t buffered = 0;  // instructions in `buffer`
  std::uint8_t next_on = 0;   // unit of its next instruction, if one is buffered
  // Instructions that have issued, and have neither been written back nor been handed to memory as a store. A
  // memory instruction of a sub-core counts once more until it has read its registers.
  std::uint16_t in_flight = 0;
  std::uint16_t stores = 0;                                           // store requests without an answer
  std::array<const Instruction*, CycleSmSpec::kMostBuffer> buffer{};  // instruction buffer, oldest first
  // Of the SubcoreFrontEnd: `row_left` instructions that follow those in the buffer lie in memory from `row`
  // on. Behind them the stream must be asked.
  const Instruction* row = nullptr;
  std::uint32_t row_left = 0;
  std::uint32_t line = kNoLine;  // of the SubcoreFrontEnd: pc of the line of code from which the warp fetches
  Scoreboard scoreboard;
  OutstandingGroups groups;
  std::uint16_t bulk_copies = 0;                                // bulk loads and stores that are not complete
  std::array<std::uint8_t, ControlBits::kCounters> counters{};  // of ControlBits
  bool next_is_plain = false;                                   // see IssueWaits::is_plain()
  std::uint16_t swap_loads = 0;                                 // loads from swap space that it waits for
  bool sources_read = false;  // the resource manager has seen that its next instruction reads registers

  // Resets the slot for a warp that has come to it.
  void start(BlockStream& its_stream, const ResidentWarp& resident) {
    *this = {};
    stream = &its_stream;
    number = resident.number;
    block = resident.block;
  }
  // Removes the oldest instruction from the buffer.
  void pop() {
    --buffered;
    shift();
  }
  // The same, and the next instruction of the row takes the last place. The row is not empty.
  void pop_and_refill() {
    shift();
    buffer[buffered - 1u] = next_of_row();
  }
  // Removes the first instruction of the row, which is not empty, and returns it.
  const Instruction* next_of_row() {
    --row_left;
    return row++;
  }

 private:
  void shift() {
    for (std::size_t i = 0; i + 1 < buffer.size(); ++i) buffer[i] = buffer[i + 1];
  }
};

struct IssueTable {
  std::array<IssueWarp, kMostWarps> warps;
  IssueMasks next;

  // Returns the warps whose next instruction is of one of these units: bit i stands for UnitKind i.
  WarpMask with_next_on(std::uint32_t units) const {
    WarpMask warps_on = 0;
    for (; units != 0; units &= units - 1)
      warps_on |= next.next_on[static_cast<std::size_t>(__builtin_ctz(units))];
    return warps_on;
  }
};

}  // namespace heddle
