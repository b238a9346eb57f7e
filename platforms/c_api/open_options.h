#pragma once
// The options of heddle_open() and heddle_boundary_open(), which are those of `heddle run` that describe a
// run, and few more.

#include <optional>
#include <string>

#include "platforms/experiment/experiment.h"

namespace heddle {

struct OpenOptions {
  Overrides overrides;
  std::optional<std::string> variant;    // label, or number from 1
  std::optional<std::uint64_t> latency;  // of the far side of a boundary
};

// Reads an option a line, as in "--set sm.count=8". Throws a BadCall for a line that is none of
// the `known` options.
OpenOptions read_open_options(const std::string& text, const std::vector<std::string>& known);

// Returns the index of the variant that the option names. Without the option the experiment has one variant.
// Throws a BadCall that lists the labels.
std::size_t choose_variant(const Experiment& experiment, const std::optional<std::string>& variant);

}  // namespace heddle
