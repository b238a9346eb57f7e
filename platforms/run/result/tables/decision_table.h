#pragma once
// What the policies of a run decided, for the console.

#include <ostream>
#include <string>
#include <vector>

#include "platforms/run/result/summary.h"

namespace heddle {

// Returns numbers in order as ranges: "0-3, 8".
std::string ranges_of(const std::vector<std::uint32_t>& numbers);

// Prints, for each run in which a policy decided something of it: the quotas of a partitioner that profiles
// and the share of the run that was profile, the caps of a block throttle, and the SMs that a partitioner
// keeps applications to.
void print_decisions(const Summary& summary, std::ostream& out);

}  // namespace heddle
