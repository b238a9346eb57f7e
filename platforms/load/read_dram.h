#pragma once
// The reader of a platform's `dram` section. Only platforms with a memory system have this section.

#include "models/core/config/config.h"
#include "models/dram/dram_spec.h"

namespace heddle {

// Returns the DRAM. Problems, contradictions included, are recorded in the section's document; the returned
// value must not be used then.
DramSpec read_dram(const config::Section& section);

// Sets the bytes that each channel of the section holds of device memory, in whole pages, if contexts have
// channels of their own. A channel that holds no page is a problem.
void set_channel_bytes(const config::Section& section, std::uint64_t device_bytes, std::uint64_t page_bytes,
                       DramMapSpec& map);

}  // namespace heddle
