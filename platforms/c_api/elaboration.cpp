#include "platforms/c_api/elaboration.h"

#include <fmt/format.h>

#include "platforms/c_api/handle.h"

namespace heddle {

namespace {

// Beyond it a time may not fit SystemC's 64 bits.
constexpr std::uint64_t kMostCycles = 1'000'000'000'000'000;

enum class Use : std::uint8_t { kNone, kMachine, kBoundaries };
Use use = Use::kNone;

}  // namespace

void claim_machine() {
  if (use != Use::kNone || sc_core::sc_start_of_simulation_invoked())
    throw BadCall(
        fmt::format("SystemC elaborates once in a process, and this process has had {}; heddle_reset() "
                    "runs the same again, and another one needs another process",
                    use == Use::kBoundaries ? "a boundary" : "a machine"));
  use = Use::kMachine;
}

void claim_boundary() {
  if (use == Use::kMachine) throw BadCall("this process has had a machine, and has no boundaries beside it");
  if (sc_core::sc_start_of_simulation_invoked())
    throw BadCall(
        "SystemC elaborates once in a process: boundaries are opened before the first step of the process");
  use = Use::kBoundaries;
}

void check_step(std::uint64_t cycles) {
  if (cycles > kMostCycles) throw BadCall(fmt::format("{} cycles are more than {}", cycles, kMostCycles));
  if (sc_core::sc_get_status() == sc_core::SC_RUNNING)
    throw BadCall("SystemC is simulating already: a process of SystemC cannot step it");
}

Cycle standing_at(const ClockDomain& clock) {
  return clock.edge_at(sc_core::sc_time_stamp());
}

}  // namespace heddle
