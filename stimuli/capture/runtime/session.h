#pragma once
// The GPU as a program under capture sees it: every call is performed at once, functionally, and recorded.
// Pure logic.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/core/memory/device_memory.h"
#include "models/gpu/gpu_spec.h"
#include "stimuli/capture/format/capture.h"
#include "stimuli/capture/format/capture_file.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

// A launch as the host makes it; textures are bound to references of the module.
struct Call {
  std::uint32_t module = 0;
  std::uint32_t entry = 0;  // of ptx::Module::functions
  ptx::Dim3 grid;
  ptx::Dim3 block;
  std::uint32_t shared = 0;
  std::vector<std::byte> parameters;
  std::vector<BoundTexture> textures;
};

class Session {
 public:
  // Where and how a copy goes.
  struct Order {
    std::uint32_t stream = 0;
    bool asynchronous = false;
  };

  Session(GpuSpec spec, CaptureWriter& writer, ptx::Console& console);

  const GpuSpec& spec() const { return spec_; }
  const DeviceMemory& memory() const { return memory_; }
  std::uint64_t free_bytes() const { return spec_.device_bytes - used_; }

  Address allocate(std::uint64_t bytes, const std::string& name);  // 0: there is not so much
  void free(Address address);                                      // of an allocation

  // Rows lie in one allocation each. Throws std::out_of_range.
  void upload(const Rows& to, const void* from, std::uint64_t from_pitch, Order order);
  void download(void* to, std::uint64_t to_pitch, const Rows& from, Order order);
  void copy(const Rows& to, const Rows& from, Order order);
  void fill(const Rows& rows, std::uint8_t value, Order order);

  // Throws config::Error for what cannot be read, std::runtime_error where there is no memory for it.
  std::uint32_t load(const std::string& text, const std::string& name);
  const ptx::Image& image(std::uint32_t module) const { return image_of(*modules_[module]); }

  // What the launch would be, for its shape and its problems.
  ptx::Launch prepare(const Call& call) const;
  // Throws ptx::Fault and std::runtime_error where the kernel goes wrong.
  void launch(const Call& call, std::uint32_t stream);

  std::uint64_t add_texture(const ptx::Texture& texture);  // its handle
  bool drop_texture(std::uint64_t handle);

  std::uint32_t create_stream(bool waits_for_none);
  // Calls on streams and events that change nothing here.
  void note(CapturedCall::Kind kind, std::uint32_t stream, std::uint32_t event = 0);

  // Time on the GPU, which depends on nothing but the calls: kernels take a cycle for a warp instruction on
  // each SM, after the launch latency, copies over PCIe what their bytes take at its bandwidth.
  std::uint64_t now_ps() const { return now_ps_; }

 private:
  CapturedCall copy_call(CapturedCall::Kind kind, const Rows& rows, Order order) const;
  void spend_copy(std::uint64_t bytes);

  const GpuSpec spec_;
  CaptureWriter& writer_;
  ptx::Console& console_;
  DeviceMemory memory_;
  std::uint64_t used_ = 0;
  std::vector<std::shared_ptr<const ptx::Executable>> modules_;
  std::shared_ptr<const std::map<std::uint64_t, ptx::Texture>> handles_;
  std::uint64_t last_handle_ = 0;
  std::uint32_t streams_ = 1;
  std::uint64_t now_ps_ = 0;
};

}  // namespace heddle::capture
