#pragma once
// The idle and the peak power of a GPU with an EnergySpec, by arithmetic: bounds against which the set of
// energies can be compared with a card. Pure logic.

#include <string>

#include "models/energy/energy_model.h"
#include "models/gpu/gpu_spec.h"

namespace heddle {

// Returns what the prices of this GPU depend on. The GPU has cycle SMs.
EnergyMachine energy_machine(const GpuSpec& spec);

// Returns why a GPU with this DRAM cannot be priced with the energies; empty if it can.
std::string energy_misfit(const EnergySpec& energy, const DramSpec& dram);

// Returns what the user is told of energies that are those of another card than the GPU; empty if nothing
// says so.
std::string foreign_energies(const EnergySpec& energy, const GpuSpec& spec);

// Returns the watts of a GPU on which nothing runs: every SM is asleep, every bank of the DRAM is precharged,
// and its rows are refreshed.
double idle_watts(const GpuSpec& spec);

// Returns the watts of a GPU on which everything is at its maximum at once, which no program reaches. Every
// SM is awake. In each of its cycles each pipeline takes as many instructions as its fastest operation
// allows, with all lanes; an instruction is fetched, every register bank is read, every result bus writes a
// register, and the load/store unit makes its dearest access. Every switch of the crossbar passes as many
// flits as it has ports, every L2 slice accesses a sector, every channel of the DRAM is full of the dearer
// bursts, opens rows as fast as its timing allows and is refreshed, and the PCIe link is full both ways.
double peak_watts(const GpuSpec& spec);

}  // namespace heddle
