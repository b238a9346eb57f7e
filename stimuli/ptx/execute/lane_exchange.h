#pragma once
// Executes the steps by which the lanes of a warp exchange values: shfl, vote, match, elect and activemask.

#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

// At least one lane is active.
void execute_shuffle(const WarpStep& at);
void execute_vote(const WarpStep& at);
void execute_match(const WarpStep& at);
void execute_reduce(const WarpStep& at);
void execute_elect(const WarpStep& at);
void execute_active_mask(const WarpStep& at);

}  // namespace heddle::ptx
