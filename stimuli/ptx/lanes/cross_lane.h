#pragma once
// Operations across the lanes of a warp: shfl, vote, match and redux. An inactive source lane provides the
// value of its register, which PTX leaves undefined.

#include <cstdint>

#include "stimuli/ptx/statements/statement.h"

namespace heddle::ptx {

// The operands of shfl are rows of 32 words. `in_range` and `members` may be null.
struct ShuffleRows {
  std::uint32_t* to = nullptr;
  std::uint32_t* in_range = nullptr;  // a predicate
  const std::uint32_t* from = nullptr;
  const std::uint32_t* b = nullptr;
  const std::uint32_t* c = nullptr;
  const std::uint32_t* members = nullptr;  // the masks of shfl.sync
};
void shuffle(Variant variant, std::uint32_t active, const ShuffleRows& rows);

// Returns 0 or 1 for all, any and uni, and a bit for each lane for ballot.
std::uint32_t vote(Variant variant, std::uint32_t active, std::uint32_t predicate);

// Writes for each active lane the mask of the active lanes that hold the same value. `values` is a row of 32
// or 64 bits a lane.
void match_any(std::uint32_t active, const void* values, bool wide, std::uint32_t* to);
bool all_match(std::uint32_t active, const void* values, bool wide);

// Returns the sum, the extreme or the logical combination of the values of the active lanes, of which there
// is at least one (PTX ISA, "redux.sync").
std::uint32_t reduce(const Statement& statement, std::uint32_t active, const std::uint32_t* values);

}  // namespace heddle::ptx
