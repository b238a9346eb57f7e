#pragma once
// A paper's YAML -> which campaigns repeat its experiments, and how their results stand beside its figures.
// The shipped ones lie in stimuli/papers.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct Paper {
  std::string name;
  std::string title;
  std::vector<Campaign> campaigns;
  bool has_window = false;  // whether its runs end after a number of cycles, which can be chosen
  // {"paper", "title", "source", "arms": [{"name", "where", "reason"}], "figures": [{"figure", "title",
  // "finding", "campaign", "value", "mean", "rows", "columns", "over", "ratio", "speed_up", "best",
  // "where", "theirs": [{"row", "column", "over", "value", "words"}], "reason"}]}; what is not given is
  // empty.
  nlohmann::ordered_json page;
};

// Loads by name or file; a campaign it names by a file lies beside it. window: cycles in place of its own; 0:
// its own. Throws config::Error with every problem at its place, or those of a campaign.
Paper load_paper(const std::string& name_or_file, std::uint64_t window = 0);

}  // namespace heddle
