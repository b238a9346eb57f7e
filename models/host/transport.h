#pragma once
// One access of a host process over a TLM-2.0 socket.

#include <tlm>

#include "models/core/base/ids.h"

namespace heddle {

// Returns the time that the access takes, which has not passed yet. Throws std::runtime_error if the target
// answers with an error.
sc_core::sc_time transport(tlm::tlm_initiator_socket<>& socket, tlm::tlm_command command, Address address,
                           unsigned char* bytes, std::uint32_t count);

}  // namespace heddle
