#pragma once
// The reader of the section `contention`: the bandwidths that timed SMs and copies share.

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// What the section does not state follows from `spec`, whose memory path and DMA have been read. Problems are
// recorded at their place.
BandwidthSpec read_bandwidth(const config::Section& section, const GpuSpec& spec, bool cycle);

}  // namespace heddle
