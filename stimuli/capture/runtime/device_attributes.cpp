#include "stimuli/capture/runtime/device_attributes.h"

#include <map>
#include <vector>

namespace heddle::capture {

namespace {

int khz(double hz) {
  return static_cast<int>(hz / 1e3);
}

constexpr std::uint32_t kFirstWithClusters = 90;  // compute capability

std::map<int, int> attributes_of(const GpuSpec& spec) {
  const SmLimits& sm = spec.sm.limits;
  const ExecutionSpec* const execution = spec.sm.execution();
  const auto number = [](std::uint64_t value) { return static_cast<int>(value); };
  return {
      {1, number(sm.threads_per_block)},
      {2, kMostBlock[0]},
      {3, kMostBlock[1]},
      {4, kMostBlock[2]},
      {5, kMostGrid[0]},
      {6, kMostGrid[1]},
      {7, kMostGrid[2]},
      {8, number(sm.shared_bytes - sm.shared_reserved)},
      {9, number(kConstantBytes)},
      {10, number(sm.warp_size)},
      {11, 0x7fffffff},  // largest pitch
      {12, number(sm.registers)},
      {13, khz(spec.core_hz)},
      {14, kTextureAlignment},
      {15, 1},  // copies run concurrently with kernels
      {16, number(spec.sm.count)},
      {19, 1},  // host memory is mapped
      {21, kMostTexels},
      {22, kMostTexels},
      {23, kMostTexels},
      {31, 1},  // kernels run concurrently
      {36, khz(spec.memory ? spec.memory->dram_hz : 0)},
      {38, number(l2_bytes(spec))},
      {39, number(sm.threads)},
      {40, number(spec.dma.engines)},
      {41, 1},  // unified addressing with the host
      {51, kTexturePitchAlignment},
      {75, number(spec.compute_capability / 10)},
      {76, number(spec.compute_capability % 10)},
      {78, 1},  // priorities of streams
      {79, execution != nullptr && execution->l1_caches_global ? 1 : 0},
      {80, execution != nullptr ? 1 : 0},
      {81, number(sm.shared_bytes)},
      {82, number(sm.registers)},
      {83, 1},  // managed memory
      {95, 1},  // cooperative launches
      {97, number(sm.shared_bytes - sm.shared_reserved)},
      {106, number(sm.block_slots)},
      {111, number(sm.shared_reserved)},
      {115, 1},  // memory pools
      {120, has_clusters(spec) ? 1 : 0},
  };
}

}  // namespace

std::uint64_t l2_bytes(const GpuSpec& spec) {
  if (!spec.memory) return 0;
  return std::uint64_t{spec.memory->l2.sets} * spec.memory->l2.ways * L2Spec::kLineBytes *
         spec.memory->slices();
}

bool has_clusters(const GpuSpec& spec) {
  return spec.compute_capability >= kFirstWithClusters;
}

std::uint64_t resident_clusters(const GpuSpec& spec, const BlockShape& shape) {
  const SmLimits& limits = spec.sm.limits;
  if (!can_reside(shape, limits)) return 0;
  const std::uint64_t blocks = residency_of(shape, limits).blocks;
  if (shape.cluster == 1) return blocks * spec.sm.count;
  const GpcMap gpcs = spec.sm.gpcs();
  std::vector<std::uint64_t> sms(gpcs.gpcs);
  for (std::uint32_t sm = 0; sm < spec.sm.count; ++sm) ++sms[gpcs.gpc_of(SmId{sm})];
  std::uint64_t clusters = 0;
  for (const std::uint64_t count : sms)
    if (count >= shape.cluster) clusters += count * blocks / shape.cluster;
  return clusters;
}

std::optional<int> device_attribute(const GpuSpec& spec, int attribute) {
  constexpr int kLast = 147;  // last attribute of CUDA 13.0
  if (attribute < 1 || attribute > kLast) return std::nullopt;
  const std::map<int, int> known = attributes_of(spec);
  const auto found = known.find(attribute);
  return found == known.end() ? 0 : found->second;
}

}  // namespace heddle::capture
