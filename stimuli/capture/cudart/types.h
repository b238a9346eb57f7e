#pragma once
// The types of the CUDA runtime's binary interface that Heddle uses. Layouts and numbers are those of
// NVIDIA's driver_types.h and texture_types.h. They are the same in versions 11.8, 12.0 and 13.0 unless a
// comment states otherwise.

#include <cstddef>
#include <cstdint>

#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

using ptx::Dim3;

enum Error : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidHostPointer = 16,
  kInvalidTexture = 18,
  kInvalidChannelDescriptor = 20,
  kInvalidMemcpyDirection = 21,
  kMissingConfiguration = 52,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kInvalidSurface = 37,
  kPeerAccessUnsupported = 217,
  kInvalidSource = 300,
  kInvalidResourceHandle = 400,
  kIllegalState = 401,
  kLaunchOutOfResources = 701,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureMerge = 902,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kStreamCaptureWrongThread = 908,
  kGraphUpdateFailure = 910,
  kInvalidClusterSize = 912,
};

constexpr std::size_t kPitch = 512;  // bytes; the pitch of rows that the runtime lays out is a multiple of it

inline std::size_t pitch_of(std::size_t row_bytes) {
  return (row_bytes + kPitch - 1) / kPitch * kPitch;
}

enum CopyKind : int {
  kHostToHost = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 3,
  kDefault = 4
};

struct ChannelFormat {
  int x, y, z, w;  // bits
  int kind;        // 0: signed, 1: unsigned, 2: float
};

struct Pitched {
  void* pointer;
  std::size_t pitch;
  std::size_t row_bytes, rows;  // of a slice, as they were allocated
};

struct Extent {
  std::size_t width, height, depth;
};

struct Position {
  std::size_t x, y, z;
};

struct Copy3D {
  void* from_array;
  Position from_position;
  Pitched from;
  void* to_array;
  Position to_position;
  Pitched to;
  Extent extent;  // its width is in texels if an array takes part, else in bytes
  int kind;
};

struct TextureReference {
  int normalized;
  int filter;      // 0: point, 1: linear
  int address[3];  // 0: wrap, 1: clamp, 2: mirror, 3: border
  ChannelFormat channel;
  // the remaining fields are not used
};

struct ResourceDescriptor {
  int kind;  // 0: array, 2: linear, 3: pitched
  union {
    void* array;
    struct {
      void* address;
      ChannelFormat channel;
      std::size_t bytes;
    } linear;
    struct {
      void* address;
      ChannelFormat channel;
      std::size_t width, height, pitch;
    } pitched;
  };
};

struct TextureDescriptor {
  int address[3];
  int filter;
  int read_mode;  // 0: element type, 1: normalised float
  int srgb;
  float border[4];
  int normalized;
  // the remaining fields are not used
};

struct FunctionAttributes {
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int threads_per_block, registers, ptx_version, binary_version, cache_mode, dynamic_shared_bytes, carveout;
};

struct PointerAttributes {
  int kind;  // 0: unregistered, 1: host, 2: device, 3: managed
  int device;
  void* device_pointer;
  void* host_pointer;
};

struct LaunchAttribute {
  int kind;
  char padding[4];
  union {
    int number;
    unsigned numbers[3];
    char bytes[64];
  };
};
// The attributes of a function that a program may set, and the percentages of a preferred carve-out.
constexpr int kDynamicSharedAttribute = 8;
constexpr int kCarveOutAttribute = 9;
constexpr int kClusterNeededAttribute = 10;  // a launch must have a valid cluster
constexpr int kClusterWidthAttribute = 11;   // the next ones are those of the height and the depth
constexpr int kClusterDepthAttribute = 13;
constexpr int kAnyClusterSizeAttribute = 14;
constexpr int kLastFunctionAttribute = 15;
constexpr int kDefaultCarveOut = BlockShape::kAnyCarveOut;  // the driver chooses
constexpr int kMostCarveOut = 100;

constexpr int kIgnoredAttribute = 0;
constexpr int kCooperativeAttribute = 2;
constexpr int kClusterAttribute = 4;        // `numbers` are the blocks of a cluster
constexpr int kClusterPolicyAttribute = 5;  // how blocks of clusters are spread over SMs
constexpr int kPriorityAttribute = 8;

struct LaunchConfiguration {
  Dim3 grid;
  Dim3 block;
  std::size_t shared;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

}  // namespace heddle::capture
