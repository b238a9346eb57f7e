#pragma once
// This file has the host script of a launch file: its variables, the arguments of its launches, and its
// check.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/host/host_script.h"
#include "stimuli/launch/launch_plan.h"

namespace heddle {

// The functions of a LaunchScript throw std::runtime_error. The message has the place in the launch file of a
// value that cannot be computed or of a wrong launch, or it is "check failed: c[17]: 1.5 expected, 2 found".
class LaunchScript final : public HostScript {
 public:
  explicit LaunchScript(std::shared_ptr<const LaunchPlan> plan) : plan_(std::move(plan)) {}

  void start(HostMemory& memory) override;
  void perform(std::uint32_t action, HostMemory& memory) override;
  bool again(std::uint32_t action, HostMemory& memory) override;
  Launch launch(const ApiCall& call, HostMemory& memory) override;
  std::string restart_problem(std::uint64_t arguments, const DeviceMemory& memory) const override;
  std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                      const CodeOptions& options) override;
  void finish(HostMemory& memory) override;

 private:
  Number evaluate(const LaunchAction& action, HostMemory& memory) const;
  void check_reference(HostMemory& memory);
  void check_expected(HostMemory& memory) const;

  std::shared_ptr<const LaunchPlan> plan_;
  std::vector<Number> variables_;
  std::vector<std::uint64_t> rounds_;              // by action
  std::map<std::uint64_t, ptx::Launch> launches_;  // by number: launches that are not yet opened
  std::uint64_t launched_ = 0;
  ptx::DivergentBarriers divergent_barriers_;  // of this execution
  std::optional<kernels::Buffers> expected_;   // the results of the reference
};

}  // namespace heddle
