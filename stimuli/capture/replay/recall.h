#pragma once
// What a captured program had read back from the device, which its capture has as digests only.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

// Returns the bytes that a call copied to the host under capture, by executing the program up to there as it
// was executed under capture. Returns none if that fails or brings other bytes. `name` is for messages.
std::vector<std::byte> bytes_under_capture(const std::shared_ptr<const Capture>& capture,
                                           const std::string& name, std::size_t call);

}  // namespace heddle::capture
