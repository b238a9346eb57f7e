#pragma once
// Runs an application for its results alone, without timing. Its calls are performed one after another in the
// order of its program.

#include <string>
#include <vector>

#include "models/core/memory/device_memory.h"
#include "models/host/api_interpreter.h"
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

class FunctionalHost : private ApiHost {
 public:
  // The program has a script. The limit is that of all its launches together.
  explicit FunctionalHost(const ApiProgram& program, FunctionalOrder order = FunctionalOrder::kBlocks,
                          const RunLimit& limit = {});

  // Executes the application once and returns its launches in order. Throws std::runtime_error with the
  // application's name when its script or its kernels' code throw, or when it copies memory that it has not
  // allocated; and InterruptedRun where an InterruptFlag is set.
  std::vector<FunctionalLaunch> run();

 private:
  // The interpreter calls these. Calls that only take time or order others do nothing here.
  std::vector<Address> lay_out(const std::vector<ApiBuffer>& buffers) override;
  void read(Address address, void* to, std::uint64_t bytes) override { host_.read(address, to, bytes); }
  void write(Address address, const void* from, std::uint64_t bytes) override {
    host_.write(address, from, bytes);
  }
  void enter(const ApiCall&) override {}
  void compute(std::uint64_t) override {}
  Address allocate(const ApiBuffer& buffer) override { return device_.allocate(buffer.bytes, buffer.name); }
  void free(Address address) override { device_.free(address); }
  void submit(const Command& command, bool may_be_cut) override;
  void synchronise(std::uint32_t) override {}

  void execute();
  void launch(const KernelLaunch& made);

  const ApiProgram program_;
  const FunctionalOrder order_;
  const ExecutionGuard guard_;
  std::uint64_t warp_instructions_ = 0;  // of the launches that have ended
  std::unique_ptr<HostScript> script_;
  DeviceMemory host_;  // the application's host memory
  DeviceMemory device_;
  std::vector<FunctionalLaunch> launches_;
};

}  // namespace heddle
