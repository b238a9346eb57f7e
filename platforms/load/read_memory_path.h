#pragma once
// The sections of a platform that describe the way from the SMs to DRAM.
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
