#pragma once
// A Session is the GPU that a program under capture uses. Every call is executed at once, functionally, and
// recorded. This class is pure logic.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/memory/device_memory.h"
#include "models/gpu/gpu_spec.h"
#include "stimuli/capture/format/capture.h"
#include "stimuli/capture/format/capture_file.h"
#include "stimuli/capture/runtime/launch_watch.h"
#include "stimuli/functional/execution_guard.h"
#include "stimuli/functional/functional_run.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

// A launch with its parameters in host order. Textures are bound to references of the module.
struct Call {
  std::uint32_t module = 0;
  std::uint32_t entry = 0;  // index of ptx::Module::functions
  ptx::Dim3 grid;
  ptx::Dim3 block;
  std::optional<ptx::Dim3> cluster;  // see ptx::Launch, as the next one
  bool is_any_cluster_size = false;
  std::uint32_t shared = 0;
  std::vector<std::byte> parameters;
  std::vector<BoundTexture> textures;
  Address workspace = 0;      // of a cooperative launch, kWorkspaceBytes; 0: none
  std::int32_t priority = 0;  // see CapturedCall
  std::int32_t carve_out = BlockShape::kAnyCarveOut;
};

// How kernels are executed.
struct SessionRules {
  FunctionalOrder order = FunctionalOrder::kBlocks;
  bool lenient = false;  // accesses outside of allocations pass in pages that have one
  RunLimit limit;        // of all launches together; without cycles, which there are none
  LaunchWatch* watch = nullptr;
  bool is_interruptible = false;  // SIGINT tells where the warps are; see InterruptedRun
};

class Session {
 public:
  // The stream of a copy and whether the copy is asynchronous.
  struct Order {
    std::uint32_t stream = 0;
    bool asynchronous = false;
  };

  // What a fill repeats: the lowest bytes of a value.
  struct Pattern {
    std::uint32_t value = 0;
    std::uint32_t bytes = 1;  // 1, 2 or 4
  };

  Session(GpuSpec spec, CaptureWriter& writer, ptx::Console& console, const SessionRules& rules = {});

  const GpuSpec& spec() const { return spec_; }
  const DeviceMemory& memory() const { return memory_; }
  std::uint64_t free_bytes() const { return spec_.device_bytes - used_; }

  // Messages call the allocation by the name and its number, as in "memory 3". Returns 0 without enough
  // memory.
  Address allocate(std::uint64_t bytes, const std::string& name);
  void free(Address address);  // start of an allocation

  // The rows of each side must lie in one allocation; otherwise these functions throw std::out_of_range.
  // Pitches are in bytes.
  void upload(const Rows& to, const void* from, std::uint64_t from_pitch, Order order);
  void download(void* to, std::uint64_t to_pitch, const Rows& from, Order order);
  void copy(const Rows& to, const Rows& from, Order order);
  // A row of a fill has a whole number of patterns. The GPU fills with bytes: a pattern of different bytes is
  // copied to the first bytes of a row, and from there to the others.
  void fill(const Rows& rows, Pattern pattern, Order order);

  // Loads a module from its PTX and returns its number. Throws config::Error if the text cannot be read,
  // except for its functions, which refuse their launches; and std::runtime_error if there is no memory for
  // the module. `registers` gives those of a thread by entry, where the program's machine code tells them.
  std::uint32_t load(const std::string& text, const std::string& name,
                     const std::map<std::string, std::uint32_t>& registers = {});
  const ptx::Image& image(std::uint32_t module) const { return image_of(*modules_[module]); }

  // Returns the launch without executing it, so that a caller can check its shape.
  ptx::Launch prepare(const Call& call) const;
  // Executes a launch and records it. Throws ptx::Fault or std::runtime_error if the kernel fails or exceeds
  // the limit of the session, InterruptedRun, and config::Error if its code could not be read.
  void launch(const Call& call, std::uint32_t stream);

  std::uint64_t add_texture(const ptx::Texture& texture);  // returns its handle
  bool drop_texture(std::uint64_t handle);

  // Launches of the stream run on these SMs alone, ascending numbers; empty: on every SM. It makes no
  // difference before a replay.
  std::uint32_t create_stream(bool waits_for_none, const std::vector<std::uint32_t>& sms = {});
  // Records a call on a stream or an event. Such a call changes nothing in the session.
  void note(CapturedCall::Kind kind, std::uint32_t stream, std::uint32_t event = 0);

  const ptx::StrayAccesses& strays() const { return strays_; }  // of a lenient session
  const ptx::DivergentBarriers& divergent_barriers() const { return divergent_barriers_; }

  // Returns the time on the GPU, which depends only on the calls. A kernel takes the launch latency plus the
  // core cycles in which each SM issues one of its warp instructions a cycle. A copy over PCIe takes the time
  // of its bytes at the bandwidth of the link.
  std::uint64_t now_ps() const { return now_ps_; }

 private:
  CapturedCall copy_call(CapturedCall::Kind kind, const Rows& rows, Order order) const;
  void spend_copy(std::uint64_t bytes);
  void fill_row(const Rows& row, Pattern pattern, Order order);
  FunctionalCounts execute(ptx::Launch launch);

  const GpuSpec spec_;
  CaptureWriter& writer_;
  ptx::Console& console_;
  const SessionRules rules_;
  const ExecutionGuard guard_;
  DeviceMemory memory_;
  std::uint64_t used_ = 0;
  std::uint64_t allocations_ = 0;  // so far
  std::vector<std::shared_ptr<const ptx::Executable>> modules_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> registers_;  // by module and entry
  std::shared_ptr<const std::map<std::uint64_t, ptx::Texture>> handles_;
  std::uint64_t last_handle_ = 0;
  std::uint32_t streams_ = 1;
  std::uint64_t now_ps_ = 0;
  std::uint64_t launches_ = 0;
  std::uint64_t warp_instructions_ = 0;  // of all launches
  ptx::StrayAccesses strays_;
  ptx::DivergentBarriers divergent_barriers_;
};

}  // namespace heddle::capture
