#pragma once
// An SmSpec describes the SMs of a GPU: what each of them holds, and the model that stands for it.

#include <algorithm>
#include <cstdint>
#include <variant>

#include "models/core/base/boxed.h"
#include "models/core/base/gpc_map.h"
#include "models/core/kernel/kernel.h"
#include "models/sm/spec/execution_spec.h"

namespace heddle {

struct CycleSmSpec;

// The blocks of a timed SM last a stated time. It executes nothing.
struct TimedSmSpec {};

// A ClusterNetworkSpec describes the network between the SMs of a GPC, by which the blocks of a cluster
// access each other's shared memory. All cycles are of the core clock.
struct ClusterNetworkSpec {
  std::uint32_t latency = 0;  // cycles from one SM to another, 2 or more; 0: there is no network
  std::uint32_t interval =
      1;  // cycles that a packet of 32 bytes takes at the port of an SM, in each direction
  bool exists() const { return latency > 0; }
};

struct SmSpec {
  std::uint32_t count = 0;
  SmLimits limits;
  std::variant<TimedSmSpec, Boxed<CycleSmSpec>> model;
  SmFaults faults{};
  bool may_flush = false;  // blocks may be flushed, which has a statistic then
  // The most SMs of a TPC, of a CPC and of a GPC. GPCs differ by at most one TPC.
  std::uint32_t tpc = 1;
  std::uint32_t cpc = 1;
  std::uint32_t gpc = 1;

  ClusterNetworkSpec cluster;

  // SmLimits::cluster_sms follows from the members above. Called when one of them has changed.
  void update_cluster_sms() {
    const std::uint32_t tpcs = (count + tpc - 1) / tpc;
    const std::uint32_t largest = (tpcs + gpcs().gpcs - 1) / gpcs().gpcs * tpc;
    limits.cluster_sms = cluster.exists() ? std::min(largest, count) : 0;
  }
  GpcMap gpcs() const { return {tpc, std::max(1u, (count + gpc - 1) / gpc), gpc / cpc}; }
  // Returns what the SM executes instructions with, or null: a timed SM executes none. Code that does not
  // build an SM asks for this and not for the model.
  const ExecutionSpec* execution() const;
  ExecutionSpec* execution();
  bool executes() const { return execution() != nullptr; }

  // Adds the cycles of a stage of the pipeline in which a mapping table is read: each access to a register or
  // to memory passes one. A timed SM has no pipeline.
  void add_mapping_stage(std::uint32_t cycles);

  // Returns the spec of a cycle SM, for those who build one or test its parts: they include cycle_spec.h. The
  // SM must be a cycle SM.
  const CycleSmSpec& cycle_sm() const { return *std::get<Boxed<CycleSmSpec>>(model); }
  CycleSmSpec& cycle_sm() { return *std::get<Boxed<CycleSmSpec>>(model); }
};

}  // namespace heddle
