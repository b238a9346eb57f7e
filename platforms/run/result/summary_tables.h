#pragma once

#include <ostream>

#include "platforms/run/result/summary.h"

namespace heddle {

// Tables for the console: per application its NTT under each variant, and per variant the metrics.
void print_summary(const Summary& summary, std::ostream& out);

}  // namespace heddle
