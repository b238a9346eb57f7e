#pragma once
// A paper as the text of paper.json, from which scripts/reproduce_page draws its page.

#include <string>

#include "platforms/campaign/plan/paper.h"

namespace heddle {

// window: of the runs, in cycles; 0: the paper's own. command: what repeats this.
std::string paper_text(const Paper& paper, std::uint64_t window, const std::string& command);

}  // namespace heddle
