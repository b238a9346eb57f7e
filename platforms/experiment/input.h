#pragma once
// What a word of the command line stands for: a name that Heddle knows, or a file.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class InputKind : std::uint8_t {
  kExperiment,
  kLaunch,       // a launch file of PTX kernels
  kApplication,  // with times or synthetic kernels
  kTrace,
  kCapture,  // a captured CUDA program; it and the kinds above run
  kCampaign,
  kPaper,
  kPlatform,
  kRtl,  // a block in RTL
  kCard  // a GPU on which programs were measured
};

struct Input {
  InputKind kind = InputKind::kExperiment;
  std::string file;
};

// Finds the input. A name is looked for among the inputs of each kind, in the order above. Anything else is a
// file, whose ending or first keys say what it is. Throws config::Error for a name that is unknown, with the
// nearest one, and for a file that is missing or of no kind.
Input find_input(const std::string& word);

// Returns inputs of further kinds that have the name of `input`.
std::vector<Input> others_named(const Input& input, const std::string& name);

// Returns the kernels list of a trace that Heddle comes with, or an empty text if there is none of this name.
std::string find_trace(const std::string& name);

// Returns what the input is and which command takes it, such as "is a campaign: heddle batch run x.yaml".
std::string use_of(const Input& input, const std::string& word);

}  // namespace heddle
