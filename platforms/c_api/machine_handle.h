#pragma once
// A machine of the C interface: one run of an experiment, as `heddle run` simulates it, under the control of
// the caller.

#include <memory>
#include <string>

#include "models/machine/machine.h"
#include "platforms/c_api/handle.h"

namespace heddle {

class MachineHandle final : public SimulationHandle {
 public:
  // Throws a BadCall if this process cannot have one more machine, or for wrong options, and a config::Error
  // for a wrong experiment.
  static std::unique_ptr<MachineHandle> open(const std::string& experiment, const std::string& options);

  const char* kind() const override { return "machine"; }
  void reset() override;
  std::string list(const std::string& what) override;
  bool step(std::uint64_t cycles) override;
  bool run_to(std::uint64_t cycle) override;
  bool run_to_end() override;
  std::uint64_t now(const std::string& clock) override;
  std::uint64_t counter(const std::string& name) override;

 private:
  explicit MachineHandle(Machine& machine) : machine_(machine) {}
  bool run_until(Cycle end);
  const Group& stats();  // as of the present
  std::vector<const ClockDomain*> clocks() const;

  Machine& machine_;
  bool checked_ = false;          // the run has ended, and its counters agree
  const Group* stats_ = nullptr;  // null: not brought up to the present since the last step
};

}  // namespace heddle
