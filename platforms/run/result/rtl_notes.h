#pragma once
// What a user should know of blocks in RTL that ran beside the model.

#include <string>
#include <vector>

#include "platforms/run/result/summary.h"

namespace heddle {

// Returns a note for each block and run: how many choices or answers were compared, and if some differ, how
// many do and the first of them.
std::vector<std::string> rtl_notes(const Summary& summary);

}  // namespace heddle
