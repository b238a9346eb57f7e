#pragma once
// One launch of a PTX entry, and the program that a machine or a functional run executes for it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/execute/image.h"
#include "stimuli/ptx/execute/texture.h"

namespace heddle::ptx {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// Where what kernels print goes.
class Console {
 public:
  virtual ~Console() = default;
  virtual void print(std::string_view text) = 0;
};

// A loaded module, ready to be executed: one for all its launches in one context.
class Executable;
std::shared_ptr<const Executable> make_executable(Image image);
const Image& image_of(const Executable& executable);

struct Launch {
  std::shared_ptr<const Executable> code;
  std::uint32_t entry = 0;  // of Module::functions
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;           // bytes
  std::uint32_t registers = 0;                // of a thread; 0: as estimated
  std::vector<std::byte> parameters;          // as many as the entry's parameter_bytes
  std::map<std::uint32_t, Texture> textures;  // references: by Module::variables
  // Textures and surfaces by handle, as programs pass them; null: none.
  std::shared_ptr<const std::map<std::uint64_t, Texture>> handles;
  Console* console = nullptr;  // null: what is printed is dropped
};

// Why it cannot be launched: dimensions, parameters, what .reqntid or .maxntid say. Empty: it can.
std::string launch_problem(const Launch& launch);
BlockShape shape_of(const Launch& launch);

// Execution went wrong: an access out of range or misaligned, a failed assertion, a trap. The message names
// kernel, block, thread, place in the text, address and nearest allocation.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `memory`: the context's, where the image lies; it outlives the program. Streams throw Fault.
std::unique_ptr<KernelProgram> make_program(Launch launch, DeviceMemory& memory);

}  // namespace heddle::ptx
