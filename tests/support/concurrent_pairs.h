#pragma once
// The kernels and pairs of kernels of Cruz et al., and the GPU of their measurements.

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "platforms/estimate/concurrent_kernels.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/paths.h"

namespace heddle::test {

inline const YAML::Node& cruz() {
  static const YAML::Node tables = YAML::LoadFile(source_directory() + "/tests/data/cruz.yaml");
  return tables;
}

inline ConcurrentKernel cruz_kernel(const std::string& name) {
  const YAML::Node row = cruz()["kernels"][name];
  ConcurrentKernel kernel;
  kernel.shape = {row[2].as<std::uint32_t>(), row[0].as<std::uint32_t>(), row[3].as<std::uint32_t>()};
  kernel.blocks = row[1].as<std::uint64_t>();
  return kernel;
}

inline ConcurrentGpu k40() {
  static const GpuSpec platform = load_platform("k40");
  ConcurrentGpu gpu;
  gpu.limits = platform.sm.limits;
  gpu.sms = platform.sm.count;
  return gpu;
}

inline PairEstimate cruz_pair(const std::string& first, const std::string& second,
                              const ConcurrentGpu& gpu = k40()) {
  return estimate_pair(cruz_kernel(first), cruz_kernel(second), gpu);
}

// Returns the slowdown rounded to two decimals and padded with zeros to the length of `like`. The values of
// Table 5 have two decimals as well: where it prints a third one, that is zero.
inline std::string as_printed(double slowdown, const std::string& like) {
  const std::string text = fmt::format("{:.2f}", slowdown);
  return text + std::string(like.size() > text.size() ? like.size() - text.size() : 0, '0');
}

}  // namespace heddle::test
