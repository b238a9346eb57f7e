// This file has the parts of the runtime that differ between versions. It is compiled once for each version,
// and HEDDLE_CUDART is the major number. Layouts are those of NVIDIA's driver_types.h 11.8, 12.0 and 13.0.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/runtime/device_attributes.h"

namespace heddle::capture {

namespace {

#if HEDDLE_CUDART == 11
constexpr int kVersion = 11080;
#elif HEDDLE_CUDART == 12
constexpr int kVersion = 12090;
#else
constexpr int kVersion = 13000;
#endif

// The layout of cudaDeviceProp. Version 13 dropped the fields that are conditional on HEDDLE_CUDART < 13.
struct Properties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_mask;
  std::size_t global_bytes, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t pitch;
  int threads_per_block, block[3], grid[3];
#if HEDDLE_CUDART < 13
  int core_khz;
#endif
  std::size_t constant_bytes;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
#if HEDDLE_CUDART < 13
  int overlap;
#endif
  int sms;
#if HEDDLE_CUDART < 13
  int timeout;
#endif
  int integrated, maps_host;
#if HEDDLE_CUDART < 13
  int compute_mode;
#endif
  int texture_1d, texture_1d_mipmap;
#if HEDDLE_CUDART < 13
  int texture_1d_linear;
#endif
  int texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3], other_textures[16];
  int surfaces[14];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci[3], tcc, copy_engines, unified;
#if HEDDLE_CUDART < 13
  int memory_khz;
#endif
  int bus_bits, l2_bytes, l2_persisting, threads_per_sm, priorities, l1_global, l1_local;
  std::size_t shared_per_sm;
  int registers_per_sm, managed, multi_board, board_group, native_atomics;
#if HEDDLE_CUDART < 13
  int single_to_double;
#endif
  int pageable, concurrent_managed, preemption, registered_pointers, cooperative;
#if HEDDLE_CUDART < 13
  int cooperative_multi;
#endif
  std::size_t shared_per_block_optin;
  int host_page_tables, direct_managed, blocks_per_sm, window;
  std::size_t shared_reserved;
#if HEDDLE_CUDART > 11
  int host_registers, sparse_arrays, host_registers_read_only, timeline_semaphores, memory_pools;
  int remote_access[3], pool_handles, deferred_arrays, shared_events, cluster_launch;
  int more[64];
#endif
};

#if HEDDLE_CUDART == 12
static_assert(sizeof(Properties) == 1032);
#elif HEDDLE_CUDART == 13
static_assert(sizeof(Properties) == 1008);
static_assert(offsetof(Properties, major) == 360 && offsetof(Properties, sms) == 384);
static_assert(offsetof(Properties, concurrent_kernels) == 560 && offsetof(Properties, l2_bytes) == 596);
static_assert(offsetof(Properties, threads_per_sm) == 604 && offsetof(Properties, blocks_per_sm) == 688);
#endif

void fill(Properties& to, const GpuSpec& spec) {
  const SmLimits& sm = spec.sm.limits;
  to = {};
  const std::string name = fmt::format("Heddle {}", spec.name).substr(0, sizeof to.name - 1);
  std::copy(name.begin(), name.end(), to.name);
  const auto number = [](std::uint64_t value) { return static_cast<int>(value); };
  to.global_bytes = spec.device_bytes;
  to.shared_per_sm = sm.shared_bytes;
  to.shared_per_block = to.shared_per_block_optin = sm.shared_bytes - sm.shared_reserved;
  to.registers_per_block = to.registers_per_sm = number(sm.registers);
  to.warp_size = number(sm.warp_size);
  to.pitch = 0x7fffffff;
  to.threads_per_block = number(sm.threads_per_block);
  std::copy(std::begin(kMostBlock), std::end(kMostBlock), to.block);
  std::copy(std::begin(kMostGrid), std::end(kMostGrid), to.grid);
  to.constant_bytes = kConstantBytes;
  to.major = number(spec.compute_capability / 10);
  to.minor = number(spec.compute_capability % 10);
  to.texture_alignment = kTextureAlignment;
  to.texture_pitch_alignment = kTexturePitchAlignment;
  to.sms = number(spec.sm.count);
  to.texture_1d = to.texture_2d[0] = to.texture_2d[1] = kMostTexels;
  to.concurrent_kernels = 1;
  to.copy_engines = number(spec.dma.engines);
  to.unified = to.maps_host = to.managed = to.cooperative = to.priorities = 1;
  to.l2_bytes = number(capture::l2_bytes(spec));
  to.threads_per_sm = number(sm.threads);
  to.blocks_per_sm = number(sm.block_slots);
#if HEDDLE_CUDART > 11
  to.memory_pools = 1;
  to.cluster_launch = capture::has_clusters(spec) ? 1 : 0;
#endif
#if HEDDLE_CUDART < 13
  to.core_khz = *device_attribute(spec, 13);
  to.memory_khz = *device_attribute(spec, 36);
  to.overlap = 1;
#endif
}

int properties(void* to, int device) {
  if (device != 0) return remember(kInvalidDevice);
  return guarded("cudaGetDeviceProperties", [&](Runtime& runtime) -> int {
    fill(*static_cast<Properties*>(to), runtime.session().spec());
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

#if HEDDLE_CUDART == 12
int cudaGetDeviceProperties_v2(void* to, int device) {
  return properties(to, device);
}
#else
int cudaGetDeviceProperties(void* to, int device) {
  return properties(to, device);
}
#endif

int cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}

int cuDriverGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}

int cudaDriverGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}
}
