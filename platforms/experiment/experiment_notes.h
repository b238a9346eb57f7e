#pragma once
// What the user is told of an experiment before it runs: settings that change nothing, and what happened to
// its kernels.

#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

// Adds the notes to the experiment, which is read but for them. `root` is its document.
void add_notes(Experiment& experiment, const config::Section& root, const Overrides& overrides);

}  // namespace heddle
