#pragma once
// Levels that say which share of the machine kernels and applications have at present: SMs, blocks and
// tokens.

#include "models/engine/sm_driver.h"
#include "models/stats/group.h"

namespace heddle {

// Adds to the group of a kernel how many SMs its launches have, and how many blocks they may have there: the
// quotas of the partition, or the caps of the block throttle if these are lower. A slice without either
// counts with the blocks that fit an empty SM.
void add_slice_levels(const SmDriver& driver, ContextId context, std::uint32_t tag, Group& kernel);

// Adds to the group of an application its tokens, if the partitioner has some.
void add_token_level(const SmPartitioner& partitioner, ContextId context, Group& application);

}  // namespace heddle
