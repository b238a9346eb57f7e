#pragma once
// The writer of a Summary as JSON of the schema heddle-summary-1. The program never reads this format.

#include <string>

#include "platforms/run/result/summary.h"

namespace heddle {

std::string summary_text(const Summary& summary);  // the text of summary.json
std::string summary_line(const Summary& summary);  // the line that --json prints, without a line feed

}  // namespace heddle
