#include "stimuli/ptx/execute/lane_exchange.h"

#include "stimuli/ptx/lanes/cross_lane.h"

namespace heddle::ptx {
namespace {

// Calls visit(group) for each group of lanes whose member masks are equal; without member masks all active
// lanes are one group.
template <typename Visit>
void for_each_group(std::uint32_t active, const std::uint32_t* members, Visit visit) {
  while (active != 0) {
    std::uint32_t group = active;
    if (members != nullptr) {
      const std::uint32_t named = members[__builtin_ctz(active)];
      group = 0;
      for (std::uint32_t left = active; left != 0; left &= left - 1)
        if (members[__builtin_ctz(left)] == named) group |= left & -left;
    }
    visit(group);
    active &= ~group;
  }
}

void set_words(std::uint32_t* row, std::uint32_t lanes, std::uint32_t value) {
  for_each_lane(lanes, [&](std::uint32_t lane) { row[lane] = value; });
}

void set_predicate(std::uint32_t& predicate, std::uint32_t lanes, bool value) {
  predicate = value ? predicate | lanes : predicate & ~lanes;
}

}  // namespace

void execute_active_mask(const WarpStep& at) {
  set_words(at.warp.words_at(at.step.destination[0]), at.active, at.active);
}

// The lowest active member is the leader.
void execute_elect(const WarpStep& at) {
  const Row& number = at.step.destination[0];
  std::uint32_t& leads = *at.warp.words_at(at.step.destination[1]);
  for_each_group(at.active, at.warp.words_at(at.step.source[0]), [&](std::uint32_t group) {
    set_words(at.warp.words_at(number), group, static_cast<std::uint32_t>(__builtin_ctz(group)));
    set_predicate(leads, group, false);
    set_predicate(leads, group & -group, true);
  });
}

void execute_vote(const WarpStep& at) {
  std::uint32_t predicate = *at.warp.words_at(at.step.source[0]);
  if (at.step.negated) predicate = ~predicate;
  const Variant variant = at.step.statement->variant;
  std::uint32_t* const to = at.warp.words_at(at.step.destination[0]);
  const std::uint32_t* const members = at.step.sources > 1 ? at.warp.words_at(at.step.source[1]) : nullptr;
  for_each_group(at.active, members, [&](std::uint32_t group) {
    // PTX leaves undefined what a lane reads that its own mask lacks. Programs that do so expect the votes of
    // the lanes in their masks.
    const std::uint32_t voters = members != nullptr ? at.active & members[__builtin_ctz(group)] : group;
    const std::uint32_t result = vote(variant, voters, predicate);
    if (variant == Variant::kBallot)
      set_words(to, group, result);
    else
      set_predicate(*to, group, result != 0);
  });
}

void execute_shuffle(const WarpStep& at) {
  ShuffleRows rows;
  rows.to = at.warp.words_at(at.step.destination[0]);
  if (at.step.destination[1].base != RowBase::kNull) rows.in_range = at.warp.words_at(at.step.destination[1]);
  rows.from = at.warp.words_at(at.step.source[0]);
  rows.b = at.warp.words_at(at.step.source[1]);
  rows.c = at.warp.words_at(at.step.source[2]);
  if (at.step.sources > 3) rows.members = at.warp.words_at(at.step.source[3]);
  shuffle(at.step.statement->variant, at.active, rows);
}

void execute_match(const WarpStep& at) {
  const bool wide = bits_of(at.step.statement->type) == 64;
  const void* const values = at.warp.at(at.step.source[0]);
  std::uint32_t* const to = at.warp.words_at(at.step.destination[0]);
  const Row& same = at.step.destination[1];
  for_each_group(at.active, at.warp.words_at(at.step.source[1]), [&](std::uint32_t group) {
    if (at.step.statement->variant == Variant::kAny) return match_any(group, values, wide, to);
    const bool all = all_match(group, values, wide);
    set_words(to, group, all ? group : 0);
    if (same.base != RowBase::kNull) set_predicate(*at.warp.words_at(same), group, all);
  });
}

void execute_reduce(const WarpStep& at) {
  const std::uint32_t* const values = at.warp.words_at(at.step.source[0]);
  std::uint32_t* const to = at.warp.words_at(at.step.destination[0]);
  for_each_group(at.active, at.warp.words_at(at.step.source[1]), [&](std::uint32_t group) {
    set_words(to, group, reduce(*at.step.statement, group, values));
  });
}

}  // namespace heddle::ptx
