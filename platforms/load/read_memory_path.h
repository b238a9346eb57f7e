#pragma once
// The sections of a platform that describe the way from the SMs to DRAM.
//
//   crossbar: flit, header, input_buffer, output_buffer, latency, arbitration
//   l2:       slices_per_channel, slice_bit, slice_hash, sets, ways, hash, replacement (default lru),
//             mshrs, merges, fill, request_latency, hit_latency, request_queue, reply_queue, dram_queue,
//             return_queue, write_backs, atomic_cycles
//   memory:   page_size
//
// Problems are recorded at their place; what is returned then is not to be used.

#include <cstdint>

#include "models/core/config/config.h"
#include "models/l2/l2_spec.h"
#include "models/noc/noc_spec.h"

namespace heddle {

NocSpec read_crossbar(const config::Section& section);
L2Spec read_l2(const config::Section& section);
// The page size; device_bytes is what the pages are made from.
std::uint64_t read_page_size(const config::Section& section, std::uint64_t device_bytes);

}  // namespace heddle
