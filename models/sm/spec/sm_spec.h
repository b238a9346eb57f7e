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
