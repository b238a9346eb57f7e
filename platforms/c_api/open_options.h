#pragma once
// The options of heddle_open(), which are those of `heddle run` that describe a run.

#include <optional>
#include <string>

#include "platforms/experiment/experiment.h"

namespace heddle {

struct OpenOptions {
  ExperimentOverrides overrides;
  std::optional<std::string> variant;  // label, or number from 1
};

// Reads an option a line, as in "--set sm.count=8". Throws a BadCall for a line that is none.
OpenOptions read_open_options(const std::string& text);

// Returns the index of the variant that the option names. Without the option the experiment has one variant.
// Throws a BadCall that lists the labels.
std::size_t choose_variant(const Experiment& experiment, const std::optional<std::string>& variant);

}  // namespace heddle
