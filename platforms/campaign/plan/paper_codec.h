#pragma once
// A paper as the text of paper.json, from which scripts/reproduce_page draws its page.

#include <string>

#include "platforms/campaign/plan/paper.h"

namespace heddle {

// command: what repeats this.
std::string paper_text(const Paper& paper, const std::string& command);

}  // namespace heddle
