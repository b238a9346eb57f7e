#pragma once
// Instructions that tell the lanes of a warp of each other: shfl, vote, match. Source lanes that take no part
// count with what their registers hold; PTX leaves that open.

#include <cstdint>

#include "stimuli/ptx/text/statement.h"

namespace heddle::ptx {

// Rows of 32 words; `in_range` may be null.
struct ShuffleRows {
  std::uint32_t* to = nullptr;
  std::uint32_t* in_range = nullptr;  // a predicate
  const std::uint32_t* from = nullptr;
  const std::uint32_t* b = nullptr;
  const std::uint32_t* c = nullptr;
};
void shuffle(Variant variant, std::uint32_t active, const ShuffleRows& rows);

// all, any, uni: 0 or 1; ballot: a bit for each lane.
std::uint32_t vote(Variant variant, std::uint32_t active, std::uint32_t predicate);

// By lane: which active lanes' values equal its own. Rows of 32 or 64 bits.
void match_any(std::uint32_t active, const void* values, bool wide, std::uint32_t* to);
bool all_match(std::uint32_t active, const void* values, bool wide);

}  // namespace heddle::ptx
