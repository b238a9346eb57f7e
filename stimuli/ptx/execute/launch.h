#pragma once
// Describes one launch of a PTX entry and makes the kernel program that an SM or a functional run executes.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/core/kernel/code_options.h"
#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/steps/image.h"
#include "stimuli/ptx/textures/texture.h"

namespace heddle::ptx {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// Receives the text that kernels print.
class Console {
 public:
  virtual ~Console() = default;
  virtual void print(std::string_view text) = 0;
};

// A StreamConsole writes the text to a stream, or drops it.
class StreamConsole final : public Console {
 public:
  // Sets the stream, which must outlive the kernels that run. Null drops the text.
  void print_to(std::ostream* out) { out_ = out; }
  void print(std::string_view text) override {
    if (out_ != nullptr) *out_ << text;
  }

 private:
  std::ostream* out_ = nullptr;
};

// Something that lanes did and that may be a fault of the program, but ends no kernel.
struct Finding {
  std::uint64_t count = 0;
  std::string first;  // its message is that of a fault
  // The time of the first one and the number of its block. Of two at the same time the one of the lower block
  // is the first.
  std::pair<std::uint64_t, std::uint64_t> first_at;

  // Counts one more. `message` is called if it is the first one.
  template <typename Message>
  void add(std::pair<std::uint64_t, std::uint64_t> at, const Message& message) {
    if (count++ != 0 && at >= first_at) return;
    first_at = at;
    first = message();
  }
};

// Accesses of lanes outside of allocations, but in a page in which an allocation lies, as hardware lets them
// pass.
struct StrayAccesses : Finding {};
// Arrivals of warps at barriers of the block without lanes that have not ended: the barrier stands in code in
// which the lanes diverge. A warp arrives for all of its lanes, as on hardware before Volta; from Volta on
// the other lanes are waited for.
struct DivergentBarriers : Finding {};

// Returns "2 accesses outside of allocations have passed, the first: ...".
std::string describe(const StrayAccesses& strays);
// Returns "2 arrivals at barriers in divergent code, the first: ...".
std::string describe(const DivergentBarriers& arrivals);

// A module that is loaded in a context. All its launches in the context share it.
class Executable;
struct RestartAnalysis;
std::shared_ptr<const Executable> make_executable(Image image);
const Image& image_of(const Executable& executable);
// What the entry reads and writes (stimuli/ptx/analysis/restart.h); it is analysed at the first call.
const RestartAnalysis& restart_of(const Executable& executable, std::uint32_t entry);

struct Launch {
  std::shared_ptr<const Executable> code;
  std::uint32_t entry = 0;  // index in Module::functions
  Dim3 grid;
  Dim3 block;
  std::optional<Dim3> cluster;       // blocks of a cluster; absent: those that the entry states, or one
  bool is_any_cluster_size = false;  // a cluster may have more than 8 blocks, which not every GPU can hold
  std::uint32_t dynamic_shared = 0;  // bytes
  std::int32_t carve_out = BlockShape::kAnyCarveOut;  // see BlockShape
  std::uint32_t registers = 0;                        // per thread; 0: the estimate of register_estimates
  std::vector<std::byte> parameters;                  // the entry's parameter_bytes
  // Of a cooperative launch: the memory by which its blocks meet, which %envreg1 (the upper half) and
  // %envreg2 name; 0: none. It holds zeros, or what the last launch has left there.
  Address workspace = 0;
  std::map<std::uint32_t, Texture> textures;  // texture references by index in Module::variables
  // Textures and surfaces by the handles that programs pass; null: none.
  std::shared_ptr<const std::map<std::uint64_t, Texture>> handles;
  Console* console = nullptr;                       // null: printed text is discarded
  StrayAccesses* strays = nullptr;                  // counts stray accesses; null: they are faults
  DivergentBarriers* divergent_barriers = nullptr;  // counts them; null: they are not told
};

// Throws config::Error if the entry or a function that it may call could not be read (Refusal::kFunction).
void check_is_read(const Launch& launch);

// Returns the first product of matrices in the entry and the functions that it may call, with its line:
// "mma.sync at a.ptx:12"; empty: there is none.
std::string matrix_product_of(const Executable& code, std::uint32_t entry);
// Returns the first product of a warpgroup in the same way: "wgmma.mma_async at a.ptx:12".
std::string group_product_of(const Executable& code, std::uint32_t entry);
// Returns the first copy in bulk in the entry and the functions that it may call, with its line:
// "cp.async.bulk at a.ptx:12"; empty: there is none.
std::string bulk_copy_of(const Executable& code, std::uint32_t entry);

// Returns the blocks of a cluster in each dimension of the grid.
Dim3 cluster_of(const Launch& launch);
// Returns the position of a block in the grid. The blocks of a cluster have consecutive numbers, and the
// clusters follow each other as blocks do that are the only ones of their clusters.
Dim3 position_of(const Dim3& grid, const Dim3& cluster, BlockId block);

// Returns why the launch is invalid (dimensions, parameters, .reqntid, .maxntid, memory); empty: it is valid.
std::string launch_problem(const Launch& launch);
// Returns those of these reasons that are about clusters.
std::string cluster_problem(const Launch& launch);
// Returns the registers of a thread when a block starts whose warps pass registers to each other by
// setmaxnreg; 0: the entry has no setmaxnreg, or it has no effect.
std::uint32_t registers_to_share(const Launch& launch);
BlockShape shape_of(const Launch& launch);

// The kernel accessed memory out of range or misaligned, failed an assertion, or trapped. The message names
// the kernel, the block, the thread, the line of the text, the address and the nearest allocation.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An access outside of allocations that Launch::strays would let pass.
class StrayFault : public Fault {
 public:
  using Fault::Fault;
};

// `memory` is the context's device memory, which holds the image; it outlives the program. The program's
// streams throw Fault.
std::unique_ptr<KernelProgram> make_program(Launch launch, DeviceMemory& memory,
                                            const CodeOptions& options = {});

}  // namespace heddle::ptx
