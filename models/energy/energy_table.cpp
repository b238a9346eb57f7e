#include "models/energy/energy_table.h"

#include <stdexcept>

namespace heddle {

namespace {

using Part = EnergyPart;

// Returns a row whose counter has the same name on an SM and in the table of a kernel's counts.
EnergyEvent on_sm(const std::string& name, Part part, const std::string& description,
                  const std::string& counter) {
  return {name, part, description, {"gpu.sm*." + counter}, {"sm." + counter}};
}

EnergyEvent instruction(const std::string& unit) {
  return on_sm(unit + "_instruction", Part::kSm,
               "a warp instruction of the unit " + unit + ", whatever its lanes", unit + "_instructions");
}

EnergyEvent lane(const std::string& unit) {
  return on_sm(unit + "_lane", Part::kSm, "a lane that takes part in an instruction of the unit " + unit,
               unit + "_lanes");
}

EnergyEvent crossbar(const std::string& name, const std::string& description) {
  return {name,
          Part::kCrossbar,
          description,
          {"gpu.crossbar.requests.flits", "gpu.crossbar.replies.flits"},
          {"crossbar.request_flits", "crossbar.reply_flits"}};
}

EnergyEvents make_events() {
  return {{
      instruction("sp"),
      instruction("int"),
      instruction("dp"),
      instruction("sfu"),
      instruction("tensor"),
      instruction("memory"),
      lane("sp"),
      lane("int"),
      lane("dp"),
      lane("sfu"),
      lane("tensor"),
      lane("memory"),
      on_sm("tensor_product", Part::kSm,
            "a warp's product of matrices m16n8k8 of f16, 1024 multiply-adds, or of as many bits",
            "tensor_products"),
      on_sm("fetch", Part::kSm, "an access of the instruction cache", "fetches"),
      on_sm("constant_access", Part::kSm, "a line looked for in the constant cache", "constant_accesses"),
      on_sm("operand_collector", Part::kRegisterFile, "an instruction that collects its operands",
            "warp_instructions"),
      on_sm("register_read", Part::kRegisterFile, "a register of a whole warp that is read",
            "register_reads"),
      on_sm("register_write", Part::kRegisterFile, "a register of a whole warp that is written",
            "register_writes"),
      on_sm("shared_pass", Part::kSharedMemory, "a pass over the banks of shared memory", "shared_passes"),
      {"l1_access",
       Part::kL1,
       "a line that a load looks for in L1, or in swap space through it",
       {"gpu.sm*.l1_accesses", "gpu.sm*.swap_loads"},
       {"sm.l1_accesses", "sm.swap_loads"}},
      on_sm("texture_access", Part::kL1, "a line looked for in the texture cache", "texture_accesses"),
      crossbar("crossbar_flit", "a flit in a buffer of the crossbar, written and read"),
      crossbar("crossbar_hop", "a flit's way through a switch; in a crossbar each flit takes one"),
      {"l2_sector", Part::kL2, "a sector accessed in an L2 slice", {"gpu.l2_*.accesses"}, {"l2.accesses"}},
      {"dram_activate",
       Part::kDram,
       "a row opened, and closed later",
       {"gpu.dram*.commands.ACT"},
       {"dram.row_misses", "dram.row_conflicts"}},
      {"dram_read", Part::kDram, "a burst read", {"gpu.dram*.reads"}, {"dram.reads"}},
      {"dram_write", Part::kDram, "a burst written", {"gpu.dram*.writes"}, {"dram.writes"}},
      {"dram_refresh", Part::kDram, "a refresh of a channel", {"gpu.dram*.commands.REF"}, {}},
      {"dram_refresh_bank",
       Part::kDram,
       "a refresh of one bank, or of the same bank of each group",
       {"gpu.dram*.commands.REFSB"},
       {},
       true},
      {"pcie_byte",
       Part::kPcie,
       "a byte of data that crosses the PCIe link",
       {"gpu.link.to_gpu.bytes", "gpu.link.to_host.bytes"},
       {}},
  }};
}

StaticPowers make_powers() {
  using Clock = EnergyClock;
  return {{
      {"sm_awake", Part::kSm, "an SM with a block", Clock::kCore, {"gpu.sm*.busy_cycles"}, {"held_time"}},
      {"sm_asleep", Part::kSm, "an SM without a block", Clock::kCore, {"gpu.sm*.idle_cycles"}, {}},
      {"crossbar", Part::kCrossbar, "the crossbar", Clock::kIcnt, {"gpu.icnt.cycles"}, {}},
      {"l2_slice", Part::kL2, "a slice of the L2", Clock::kL2, {"gpu.l2.cycles"}, {}, true},
      {"dram_open", Part::kDram, "a channel with an open row", Clock::kDram, {"gpu.dram*.open_cycles"}, {}},
      {"dram_closed",
       Part::kDram,
       "a channel with every bank precharged",
       Clock::kDram,
       {"gpu.dram*.closed_cycles"},
       {}},
      {"other", Part::kOther, "the rest of the board", Clock::kCore, {"gpu.core.cycles"}, {}},
  }};
}

template <class Rows>
std::size_t number_of(const Rows& rows, const std::string& name) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == name) return i;
  throw std::invalid_argument("no event or static power of the name " + name);
}

struct PartText {
  const char* name;
  const char* description;
};

constexpr std::array<PartText, kEnergyParts> kParts{{
    {"sm", "instructions, their lanes and fetches, the constant cache; SMs awake and asleep"},
    {"l1", "L1 and texture caches"},
    {"shared_memory", "shared memory"},
    {"register_file", "registers and operand collectors"},
    {"crossbar", "the crossbar"},
    {"l2", "the L2 slices"},
    {"dram", "DRAM: activates, bursts, refreshes; channels with and without an open row"},
    {"pcie", "data over the PCIe link"},
    {"other", "the rest of the board"},
}};

}  // namespace

const char* name_of(EnergyPart part) {
  return kParts[static_cast<std::size_t>(part)].name;
}

const char* description_of(EnergyPart part) {
  return kParts[static_cast<std::size_t>(part)].description;
}

const EnergyEvents& energy_events() {
  static const EnergyEvents events = make_events();
  return events;
}

const StaticPowers& static_powers() {
  static const StaticPowers powers = make_powers();
  return powers;
}

std::size_t event_number(const std::string& name) {
  return number_of(energy_events(), name);
}

std::size_t static_number(const std::string& name) {
  return number_of(static_powers(), name);
}

}  // namespace heddle
