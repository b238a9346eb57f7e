#pragma once
// A HostScript is a process's own work beside its calls of the GPU runtime, for kernels that are executed and
// not only timed: it fills buffers, computes between calls, and makes the arguments of launches. Each process
// has one script. Its functions are called in the order of the program. Pure logic.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "models/core/kernel/code_options.h"
#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/memory/device_memory.h"
#include "models/host/api_program.h"

namespace heddle {

// A HostMemory is the process's memory, with room for every buffer of its program. It also has the buffers'
// addresses on the device. Bytes that were never written are zero.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  virtual void read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) = 0;
  virtual void write(std::uint32_t buffer, std::uint64_t offset, const void* from, std::uint64_t bytes) = 0;
  virtual Address device_address(std::uint32_t buffer) const = 0;  // of a buffer that is allocated
};

class HostScript {
 public:
  virtual ~HostScript() = default;

  // Called before each execution of the program: writes the data that its copies read.
  virtual void start(HostMemory& memory) = 0;
  virtual void perform(std::uint32_t action, HostMemory& memory) = 0;  // ApiCall::kHost
  // Called at the end of a round of a kRepeat with an `action`, after the calls of the round. Returns whether
  // another round follows.
  virtual bool again(std::uint32_t action, HostMemory& memory) = 0;

  // A launch that the host makes. `arguments` is the handle that open() gets.
  struct Launch {
    std::uint64_t blocks = 0;
    BlockShape shape;
    std::uint64_t arguments = 0;
    bool is_cooperative = false;  // its blocks wait for each other
  };
  virtual Launch launch(const ApiCall& call, HostMemory& memory) = 0;
  // Returns why blocks of the launch must not start over after they have run in part; empty: they may. It is
  // called after launch() and before open(), with the context's device memory.
  virtual std::string restart_problem(std::uint64_t arguments, const DeviceMemory& memory) const = 0;

  // Returns the code of a launch. It is called once for each launch, also for one in pieces, when the GPU
  // sets up the first SM. `memory` is the context's device memory.
  virtual std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                              const CodeOptions& options) = 0;

  // Called after each execution, when all streams have completed. Throws std::runtime_error if results are
  // wrong.
  virtual void finish(HostMemory& memory) = 0;
};

}  // namespace heddle
