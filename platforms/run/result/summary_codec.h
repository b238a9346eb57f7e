#pragma once
// A Summary as JSON of the schema heddle-summary-1. The program writes it and never reads it.

#include <string>

#include "platforms/run/result/summary.h"

namespace heddle {

std::string summary_text(const Summary& summary);  // as summary.json holds it
std::string summary_line(const Summary& summary);  // on one line, without its end, as --json prints it

}  // namespace heddle
