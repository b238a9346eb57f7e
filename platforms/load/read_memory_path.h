#pragma once
// The readers of the sections of a platform that describe the path from the SMs to DRAM. Problems are
// recorded at their place; the returned value must not be used then.

#include <cstdint>

#include "models/core/config/config.h"
#include "models/core/link/link_spec.h"
#include "models/l2/l2_spec.h"
#include "models/noc/noc_spec.h"

namespace heddle {

// `blocks` says between which blocks the links of the key are.
LinkSpec read_link(const config::Section& links, const std::string& key, const std::string& blocks);
NocSpec read_crossbar(const config::Section& section);
L2Spec read_l2(const config::Section& section);
// Returns the page size in bytes. The pages divide the device memory, `device_bytes`.
std::uint64_t read_page_size(const config::Section& section, std::uint64_t device_bytes);

}  // namespace heddle
