#pragma once
// Streams of two green contexts, which have a part of the SMs each.

#include <cuda_runtime.h>

#include <optional>
#include <string>

namespace harvest {

struct GreenStreams {
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  std::string way;  // "green:66:66", the SMs of each
};

// Returns nothing where the toolkit or the driver is older than green contexts, or the GPU has too few SMs.
std::optional<GreenStreams> make_green_streams();

}  // namespace harvest
