#pragma once
// A Capture records a CUDA program: the calls that it made to the runtime, in order, with all data that it
// sent to the GPU. It is stored as an .hcap file; see capture_file.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/kernel.h"
#include "stimuli/functional/functional_run.h"
#include "stimuli/ptx/execute/launch.h"
#include "stimuli/ptx/textures/texture.h"

namespace heddle::capture {

// The version of the files that are written. Those of version 1, which have no kRegisters, and of version 2,
// whose textures have two dimensions and which lack Capture::lenient and Capture::order, are read too, and so
// are those of version 3, whose launches have no priority, of version 4, whose streams have no SMs, of
// version 5, whose launches have no preferred carve-out, and of version 6, whose launches have no clusters.
constexpr std::uint32_t kCaptureVersion = 7;

// The priorities of CUDA's streams: a lower number is a higher priority. The range is that of a Turing card
// and of an A100 (pull request 830 of ExtremeFLOW/neko); cards before them have fewer: a guess for those.
constexpr std::int32_t kLeastPriority = 0;
constexpr std::int32_t kGreatestPriority = -5;

// Rows are rows of bytes on the device at a constant pitch. Contiguous bytes are one row.
struct Rows {
  Address address = 0;
  std::uint64_t pitch = 0;  // bytes from row to row; unused with one row
  std::uint64_t bytes = 0;  // bytes of a row
  std::uint64_t count = 1;

  std::uint64_t total() const { return bytes * count; }
  // Returns the bytes from the first byte to the end of the last row.
  std::uint64_t extent() const { return count == 0 || bytes == 0 ? 0 : (count - 1) * pitch + bytes; }
};

struct BoundTexture {
  std::uint32_t variable = 0;  // index of a texture reference of the module
  ptx::Texture texture;
};

constexpr std::uint64_t kWorkspaceBytes = 8;  // by which the blocks of a cooperative launch meet

struct CapturedCall {
  enum class Kind : std::uint8_t {
    kModule,         // blob: the PTX; rows.address: its image. Modules are numbered in this order
    kAllocate,       // rows.bytes at rows.address
    kFree,           // rows.address
    kUpload,         // blob: rows.total() bytes, copied to rows
    kDownload,       // rows; digest: the bytes that were read
    kCopy,           // copied from `other` to `rows`, both on the device
    kFill,           // rows are filled with `value`
    kLaunch,         // module, entry, grid, block, cluster, shared, blob: parameters, priority, carve_out,
                     // textures; flag: a cluster may have a size that is not portable
    kCreateStream,   // stream; flag: it and the default stream do not wait for each other; sms
    kDestroyStream,  // stream
    kRecord,         // event, stream
    kWait,           // stream, event for which it waits
    kDestroyEvent,   // event
    kSynchronise,    // the host waits for all streams
    kSynchroniseStream,
    kSynchroniseEvent,
    kTexture,      // handle, which names textures[0].texture
    kDropTexture,  // handle
    kRegisters,    // module, entry, registers: of a thread in the machine code that the program holds
    kCooperate,    // handle: the workspace of the next launch, which is cooperative
  };
  static constexpr std::uint8_t kKinds = 20;
  using Digest = std::array<std::uint32_t, 4>;  // XXH3, 128 bits

  Kind kind = Kind::kSynchronise;
  bool asynchronous = false;  // for copies
  bool flag = false;
  std::uint8_t value = 0;
  std::uint32_t stream = 0;  // 0: the default stream
  std::uint32_t event = 0;
  std::uint32_t blob = 0;  // index of Capture::blobs
  std::uint32_t module = 0;
  std::uint32_t entry = 0;  // index of ptx::Module::functions
  std::uint32_t shared = 0;
  std::uint32_t registers = 0;
  std::int32_t priority = 0;  // kGreatestPriority .. kLeastPriority
  std::int32_t carve_out = BlockShape::kAnyCarveOut;
  std::uint64_t handle = 0;
  Rows rows;
  Rows other;
  ptx::Dim3 grid;
  ptx::Dim3 block;
  ptx::Dim3 cluster{0, 0, 0};  // blocks; zeros: the launch does not state them
  Digest digest{};
  std::vector<BoundTexture> textures;
  std::vector<std::uint32_t> sms;  // on which the stream's launches run, ascending; empty: every SM
};

struct Capture {
  using Blob = std::shared_ptr<const std::vector<std::byte>>;

  std::string program;   // name of the program
  std::string platform;  // platform whose properties it saw
  bool exact = true;     // true: a replay must read the same bytes back
  bool lenient = false;  // true: accesses outside of allocations pass in pages that have one
  FunctionalOrder order = FunctionalOrder::kBlocks;  // in which its kernels were executed
  std::vector<Blob> blobs;
  std::vector<CapturedCall> calls;
};

CapturedCall::Digest digest_of(const void* bytes, std::size_t count);

}  // namespace heddle::capture
