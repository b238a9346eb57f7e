#pragma once
// A GpuSpec describes one GPU by the specs of its blocks. It is plain data, which the platform loader
// validates.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "models/core/kernel/bandwidth.h"
#include "models/core/link/link_spec.h"
#include "models/dram/dram_spec.h"
#include "models/energy/energy_spec.h"
#include "models/engine/engine_spec.h"
#include "models/gpu/arithmetic_spec.h"
#include "models/host/host_spec.h"
#include "models/l2/l2_spec.h"
#include "models/noc/noc_spec.h"
#include "models/rtl/rtl_spec.h"
#include "models/sm/spec/sm_spec.h"
#include "policies/gpu_description.h"
#include "policies/registry.h"

namespace heddle {

// A MemoryPathSpec describes the blocks from the crossbar to the DRAM.
struct MemoryPathSpec {
  NocSpec noc;
  L2Spec l2;
  DramSpec dram;
  LinkSpec sm_link;    // SMs to crossbar
  LinkSpec l2_link;    // crossbar to L2 slices
  LinkSpec dram_link;  // L2 slices to DRAM channels
  std::uint64_t page_bytes = 0;
  double icnt_hz = 0;
  double l2_hz = 0;
  double dram_hz = 0;  // frequency of the command clock

  std::uint32_t slices() const { return dram.map.channels * l2.slices_per_channel; }
  void set_gpcs(const GpcMap& gpcs) { noc.merge.gpcs = l2.gpcs = gpcs; }
  bool has_shares() const {
    return !l2.ways_of.empty() || !noc.outstanding_of.empty() || !dram.map.channels_of.empty();
  }
  // Removes all shares, so that every context may use every way of L2 and every channel, and may have any
  // number of outstanding requests.
  void clear_shares() {
    l2.ways_of.clear();
    noc.outstanding_of.clear();
    dram.map.channels_of.clear();
  }
  // Returns the peak bandwidth of all channels, or 0 while `dram` is not valid.
  double peak_bytes_per_second() const {
    return dram.timing.burst() == 0
               ? 0
               : dram.pseudo_channels() * dram.map.burst_bytes * dram_hz / dram.timing.burst();
  }
};

struct GpuSpec {
  std::string name;
  std::string caution;                   // what of the timing of its cycle SMs is not validated, or empty
  std::uint32_t compute_capability = 0;  // ten times the number that programs query: 35 is 3.5; 0: not stated
  double core_hz = 0;
  double pcie_hz = 0;
  HostSpec host;
  QueueSpec queues;
  PcieSpec pcie;
  DmaSpec dma;
  EngineSpec engine;
  SmSpec sm;
  std::uint64_t device_bytes = 0;        // size of device memory
  std::uint64_t stall_limit = 200000;    // core cycles without progress that count as a deadlock, 1 or more
  std::optional<MemoryPathSpec> memory;  // required by cycle SMs
  BandwidthSpec bandwidth;               // of timed SMs, which have no model of their memory
  ArithmeticSpec arithmetic;             // of kernels on timed SMs that state their work
  InstanceProfiles instances;            // into which the GPU can be split
  std::optional<EnergySpec> energy;      // empty: the GPU has no statistics of energy; always for timed SMs
  std::map<std::string, PolicyChoice> policies;  // the choice for each decision
  PolicyDefaults policy_defaults;                // what choices without these parameters take
  std::map<std::string, RtlSpec> rtl;            // the blocks in RTL that a choice may name, by name

  // The names of the blocks in RTL that the GPU has: those that policies name, and those in the memory path.
  std::set<std::string> rtl_in_use() const {
    std::set<std::string> names;
    for (const auto& [decision, choice] : policies) names.insert(rtl_block_of(choice.name));
    if (memory) names.insert({memory->l2.block, memory->dram.block});
    names.erase("");
    return names;
  }

  // The frequency of each clock domain by its name.
  std::map<std::string, double> clocks() const {
    std::map<std::string, double> clocks{{"core", core_hz}, {"pcie", pcie_hz}};
    if (memory) clocks.insert({{"icnt", memory->icnt_hz}, {"l2", memory->l2_hz}, {"dram", memory->dram_hz}});
    return clocks;
  }
};

}  // namespace heddle
