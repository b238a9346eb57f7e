#pragma once
// The tables of what costs energy: events, each with its energy, and parts that draw power as long as they
// are on. Energy is arithmetic over counters: each row names the counters of the machine that count it, and
// those of a kernel, so that a finished run can be priced again. Pure logic.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class EnergyPart : std::uint8_t {
  kSm,
  kL1,
  kSharedMemory,
  kRegisterFile,
  kCrossbar,
  kL2,
  kDram,
  kPcie,
  kOther
};
constexpr std::size_t kEnergyParts = static_cast<std::size_t>(EnergyPart::kOther) + 1;
const char* name_of(EnergyPart part);
const char* description_of(EnergyPart part);

// The counters of the machine are patterns of paths: sm*, l2_* and dram* stand for every SM, L2 slice and
// channel. The counters of a kernel stand below applications.<application>.<kernel>; a row without any is
// caused by no kernel alone.
struct EnergyEvent {
  std::string name;  // the key in a set of coefficients
  EnergyPart part;
  std::string description;
  std::vector<std::string> machine;
  std::vector<std::string> kernel;
  // Only of machines whose DRAM refreshes bank by bank. A set of energies for other machines leaves it out.
  bool of_bank_refresh = false;
};
constexpr std::size_t kEnergyEvents = 30;
using EnergyEvents = std::array<EnergyEvent, kEnergyEvents>;
const EnergyEvents& energy_events();

enum class EnergyClock : std::uint8_t { kCore, kIcnt, kL2, kDram };
constexpr std::size_t kEnergyClocks = static_cast<std::size_t>(EnergyClock::kDram) + 1;

// A StaticPower is drawn in every cycle of a clock that its counters count.
struct StaticPower {
  std::string name;  // the key in a set of coefficients
  EnergyPart part;
  std::string description;
  EnergyClock clock;
  std::vector<std::string> machine;
  std::vector<std::string> kernel;  // in thousandths of a cycle
  bool each_slice = false;          // the power is that of one L2 slice, and the counter counts for all
};
constexpr std::size_t kStaticPowers = 7;
using StaticPowers = std::array<StaticPower, kStaticPowers>;
const StaticPowers& static_powers();

// Return the row's index. They throw std::invalid_argument for an unknown name.
std::size_t event_number(const std::string& name);
std::size_t static_number(const std::string& name);

}  // namespace heddle
