#pragma once
// The reader of papers. A paper names the campaigns that repeat its experiments, and the figures that their
// results are compared with. The shipped papers lie in stimuli/papers.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

struct Paper {
  std::string name;
  std::string title;
  std::vector<Campaign> campaigns;
  bool has_window = false;  // its runs end after a number of cycles, which `window` replaces
  // {"paper", "title", "source", "arms": [{"name", "where", "reason"}], "figures": [{"figure", "title",
  // "finding", "campaign", "value", "mean", "rows", "columns", "over", "ratio", "speed_up", "best",
  // "where", "theirs": [{"row", "column", "over", "value", "words"}], "reason"}]}; a key that the YAML does
  // not have is empty.
  nlohmann::ordered_json page;
};

// Loads a paper by name or file. The file of a campaign lies beside the paper's. `window`, in core cycles,
// replaces the paper's; 0 keeps it. Throws config::Error with every problem and its place, or with the
// problems of a campaign.
Paper load_paper(const std::string& name_or_file, std::uint64_t window = 0);

}  // namespace heddle
