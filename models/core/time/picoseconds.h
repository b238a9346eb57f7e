#pragma once
// Times of the simulation as numbers of picoseconds, which specs and results have.

#include <cmath>
#include <cstdint>
#include <systemc>

namespace heddle {

inline std::uint64_t to_ps(const sc_core::sc_time& time) {
  return static_cast<std::uint64_t>(std::llround(time.to_seconds() * 1e12));
}

inline sc_core::sc_time from_ps(std::uint64_t ps) {
  return sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS);
}

}  // namespace heddle
