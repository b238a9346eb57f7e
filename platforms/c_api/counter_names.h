#pragma once
// Counters by the names that a caller gives.

#include <string>

#include "models/stats/group.h"

namespace heddle {

// Throws a BadCall: it names the operands of a formula, or the nearest counter.
std::uint64_t counter_of(const Group& stats, const std::string& name);

// Returns the table of counters: name, unit, description.
std::string table_of(const Group& stats);

}  // namespace heddle
