#pragma once
// What a process does besides calling the GPU runtime, where its kernels are executed and not only timed: it
// holds data, computes between calls, and makes the arguments of launches. One object for each process; calls
// come in the order of its program. Pure logic.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/core/memory/device_memory.h"
#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/host/api_program.h"

namespace heddle {

// The process's own memory, where each buffer of its program has room for its bytes, and where its buffers
// lie on the device. Bytes that were never written are zero.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  virtual void read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) = 0;
  virtual void write(std::uint32_t buffer, std::uint64_t offset, const void* from, std::uint64_t bytes) = 0;
  virtual Address device_address(std::uint32_t buffer) const = 0;  // of one that is allocated
};

class HostScript {
 public:
  virtual ~HostScript() = default;

  // Before each execution of the program: writes what its copies will take.
  virtual void start(HostMemory& memory) = 0;
  virtual void perform(std::uint32_t action, HostMemory& memory) = 0;  // ApiCall::kHost
  // At the end of a round of a repeat with an `action`, once all it waits for has been waited for: whether
  // there is another one.
  virtual bool again(std::uint32_t action, HostMemory& memory) = 0;

  // A launch as the host makes it now. `arguments` stands for what open() needs.
  struct Launch {
    std::uint64_t blocks = 0;
    BlockShape shape;
    std::uint64_t arguments = 0;
  };
  virtual Launch launch(const ApiCall& call, HostMemory& memory) = 0;

  // The code of a launch, when the GPU sets up its first SM for it; once for each. `memory`: the context's.
  virtual std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory) = 0;

  // After each execution, all streams waited for. Throws std::runtime_error where results are wrong.
  virtual void finish(HostMemory& memory) = 0;
};

}  // namespace heddle
