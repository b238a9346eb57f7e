#pragma once
// Runs an application for its results alone, without timing. Its calls are performed one after another in the
// order of its program.

#include <string>
#include <vector>

#include "models/core/memory/device_memory.h"
#include "models/host/api_program.h"
#include "models/host/host_script.h"
#include "stimuli/functional/execution_guard.h"
#include "stimuli/functional/functional_run.h"

namespace heddle {

struct FunctionalLaunch {
  std::string kernel;
  std::uint64_t blocks = 0;
  FunctionalCounts counts;
};

class FunctionalHost : private HostMemory {
 public:
  // The program has a script. The limit is that of all its launches together.
  explicit FunctionalHost(const ApiProgram& program, FunctionalOrder order = FunctionalOrder::kBlocks,
                          const RunLimit& limit = {});

  // Executes the application once and returns its launches in order. Throws std::runtime_error with the
  // application's name when its script or its kernels' code throw, or when it copies memory that it has not
  // allocated; and InterruptedRun where an InterruptFlag is set.
  std::vector<FunctionalLaunch> run();

 private:
  void read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) override;
  void write(std::uint32_t buffer, std::uint64_t offset, const void* from, std::uint64_t bytes) override;
  Address device_address(std::uint32_t buffer) const override { return device_address_[buffer]; }

  void execute();
  void perform(const ApiCall& call);
  void copy(const ApiCall& call);
  void launch(const ApiCall& call);

  const ApiProgram program_;
  const FunctionalOrder order_;
  const ExecutionGuard guard_;
  std::uint64_t warp_instructions_ = 0;  // of the launches that have ended
  std::unique_ptr<HostScript> script_;
  DeviceMemory host_;  // the application's host memory
  std::vector<Address> host_address_;
  DeviceMemory device_;
  std::vector<Address> device_address_;  // by buffer; 0: not allocated
  std::vector<FunctionalLaunch> launches_;
};

}  // namespace heddle
