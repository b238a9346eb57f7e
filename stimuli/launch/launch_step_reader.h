#pragma once
// The LaunchStepReader reads the launches of a launch file's program: the entry, its grid and block, and its
// arguments. Each becomes a step of the plan, and each entry a kernel of the program.

#include <string>
#include <utility>
#include <vector>

#include "models/host/api_program.h"
#include "stimuli/launch/argument_reader.h"

namespace heddle {

class LaunchStepReader {
 public:
  // The codes, buffers, textures and variables of the plan must be complete. `plan`, `program` and `scope`
  // must outlive the reader.
  LaunchStepReader(LaunchPlan& plan, ApiProgram& program, const Scope& scope)
      : plan_(plan), program_(program), values_(scope), arguments_(plan, scope) {}

  // Reads one launch into `call`, of which the stream is known. A launch that is never reached, in the body
  // of a loop of zero rounds, is not checked. Problems are recorded.
  void read(const config::Section& section, const config::Value& value, bool is_reached, ApiCall& call);

 private:
  std::string read_entry(const config::Value& value) const;
  LaunchStep read_step(const config::Section& section, std::uint32_t code, std::uint32_t entry);
  std::array<Expression, 3> read_dimensions(const config::Value& value);
  void check_launch(const config::Value& value, const LaunchStep& step, ApiKernel& kernel) const;
  std::uint32_t kernel_of(const LaunchStep& step);

  LaunchPlan& plan_;
  ApiProgram& program_;
  LaunchValues values_;
  ArgumentReader arguments_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_;  // by kernel: code and function
};

}  // namespace heddle
