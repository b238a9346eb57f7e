#pragma once

#include <ostream>

#include "platforms/run/result/summary.h"

namespace heddle {

// Prints tables for the console: the NTT of each application under each variant, and the metrics of each
// variant.
void print_summary(const Summary& summary, std::ostream& out);

}  // namespace heddle
