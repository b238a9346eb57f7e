#pragma once
// A whole GPU with system memory and host processes. A checker of the base protocol sits between the GPU and
// the system memory, and a probe between the execution engine and each SM.

#include <memory>
#include <string>
#include <vector>

#include "models/gpu/gpu.h"
#include "models/host/process/host_process.h"
#include "tests/support/machine/dispatch_probe.h"
#include "tests/support/machine/engine_recorder.h"
#include "tests/support/machine/protocol_checker.h"

namespace heddle::test {

class GpuRig : public sc_core::sc_module {
 public:
  GpuRig(sc_core::sc_module_name name, const GpuSpec& spec, const std::vector<ApiProgram>& programs,
         bool reversed = false);

  Gpu& gpu() { return *gpu_; }
  const HostProcess& process(std::size_t i) const { return *processes_[i]; }
  const ProtocolChecker& system() const { return system_; }
  const BlockLedger& ledger() const { return ledger_; }
  EngineRecorder recorder;

  // Returns the statistics of the GPU as JSON.
  std::string stats();
  // Returns the counter of this path below the GPU.
  std::uint64_t counter(const std::string& path);
  // Expects that every process has ended and that nothing is in flight.
  void expect_complete();

 private:
  SystemMemory memory_;
  ProtocolChecker system_;
  HostCores cores_;
  sc_core::sc_event ring_released_;
  sc_core::sc_event cores_changed_;
  BlockLedger ledger_;
  std::vector<std::unique_ptr<DispatchProbe>> probes_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<HostDriver> driver_;
  std::vector<std::unique_ptr<HostProcess>> processes_;
  std::vector<std::string> failures_;
  std::size_t completed_ = 0;
};

// Builds the program of an application call by call.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name, std::uint32_t streams = 1);

  ProgramBuilder& cpu(std::uint64_t ps);
  ProgramBuilder& copy_up(std::uint64_t bytes, std::uint32_t stream = 0, bool asynchronous = false);
  ProgramBuilder& copy_down(std::uint64_t bytes, std::uint32_t stream = 0, bool asynchronous = false);
  ProgramBuilder& launch(std::uint64_t blocks, const BlockShape& shape, std::uint64_t cycles,
                         std::uint32_t jitter_permille = 0, std::uint32_t stream = 0);
  ProgramBuilder& record(std::uint32_t event, std::uint32_t stream);
  ProgramBuilder& wait(std::uint32_t event, std::uint32_t stream);
  ProgramBuilder& synchronise(std::uint32_t stream = ApiCall::kAllStreams);
  ProgramBuilder& repeat(std::uint64_t count);
  ProgramBuilder& end();
  ApiProgram build() const { return program_; }

 private:
  ApiCall& add(ApiCall::Kind kind, std::uint32_t stream = 0);
  ProgramBuilder& copy(ApiCall::Kind kind, std::uint64_t bytes, std::uint32_t stream, bool asynchronous);

  ApiProgram program_;
};

}  // namespace heddle::test
