#pragma once
// A captured CUDA program: what it asked of the GPU, in order, with all data that went there. It lies in an
// .hcap file; see capture_file.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/core/base/ids.h"
#include "stimuli/ptx/execute/launch.h"
#include "stimuli/ptx/execute/texture.h"

namespace heddle::capture {

// Rows of bytes on the device. What is contiguous is one row.
struct Rows {
  Address address = 0;
  std::uint64_t pitch = 0;  // bytes from row to row, where there are several
  std::uint64_t bytes = 0;  // of a row
  std::uint64_t count = 1;

  std::uint64_t total() const { return bytes * count; }
  // From the first byte to behind the last.
  std::uint64_t extent() const { return count == 0 || bytes == 0 ? 0 : (count - 1) * pitch + bytes; }
};

struct BoundTexture {
  std::uint32_t variable = 0;  // of the module: a reference
  ptx::Texture texture;
};

struct CapturedCall {
  enum class Kind : std::uint8_t {
    kModule,         // blob: the text; rows.address: where its image lies. Numbered in this order
    kAllocate,       // rows.bytes at rows.address
    kFree,           // rows.address
    kUpload,         // blob: total() bytes, to rows
    kDownload,       // rows; digest of what came back
    kCopy,           // from other to rows, both on the device
    kFill,           // rows become `value`
    kLaunch,         // module, entry, grid, block, shared, blob: parameters, textures
    kCreateStream,   // flag: it does not wait for the default stream, nor that for it
    kDestroyStream,  //
    kRecord,         // event in stream
    kWait,           // stream waits for event
    kDestroyEvent,   //
    kSynchronise,    // the host waits for everything
    kSynchroniseStream,
    kSynchroniseEvent,
    kTexture,      // handle stands for textures[0].texture
    kDropTexture,  // handle
  };
  static constexpr std::uint8_t kKinds = 18;
  using Digest = std::array<std::uint32_t, 4>;  // XXH3, 128 bits

  Kind kind = Kind::kSynchronise;
  bool asynchronous = false;  // copies
  bool flag = false;
  std::uint8_t value = 0;
  std::uint32_t stream = 0;  // 0: the default stream
  std::uint32_t event = 0;
  std::uint32_t blob = 0;  // of Capture::blobs
  std::uint32_t module = 0;
  std::uint32_t entry = 0;  // of ptx::Module::functions
  std::uint32_t shared = 0;
  std::uint64_t handle = 0;
  Rows rows;
  Rows other;
  ptx::Dim3 grid;
  ptx::Dim3 block;
  Digest digest{};
  std::vector<BoundTexture> textures;
};

struct Capture {
  using Blob = std::shared_ptr<const std::vector<std::byte>>;

  std::string program;   // its name
  std::string platform;  // whose properties it was shown
  bool exact = true;     // a replay must bring down the same bytes
  std::vector<Blob> blobs;
  std::vector<CapturedCall> calls;
};

CapturedCall::Digest digest_of(const void* bytes, std::size_t count);

}  // namespace heddle::capture
