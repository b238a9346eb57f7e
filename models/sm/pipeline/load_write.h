#pragma once

#include <cstdint>

namespace heddle {

// What the units say of the data of a load that have arrived.
enum class LoadWrite : std::uint8_t {
  kWaits,  // they cannot be taken in this cycle
  kDone,   // they are in their registers
  kLater,  // they have been taken, and their result is written in a later cycle
};

}  // namespace heddle
