#pragma once
// The reader of a platform's `dram` section. Only platforms with a memory system have this section.

#include "models/core/config/config.h"
#include "models/dram/dram_spec.h"

namespace heddle {

// Returns the DRAM. Problems, contradictions included, are recorded in the section's document; the returned
// value must not be used then.
DramSpec read_dram(const config::Section& section);

// Sets DramMapSpec::channel_bytes if contexts have channels of their own. The function reports a problem if a
// channel holds less than a page.
void set_channel_bytes(const config::Section& section, std::uint64_t device_bytes, std::uint64_t page_bytes,
                       DramMapSpec& map);

}  // namespace heddle
