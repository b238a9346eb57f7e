#pragma once
// The SmArray has the SMs of a GPU: it makes each of them by its model, binds them to the memory path, and
// has the statistics over all of them. It is a part of models/gpu/gpu.

#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/program_library.h"
#include "models/core/time/watchdog.h"
#include "models/gpu/gpu_spec.h"
#include "models/gpu/memory_path.h"
#include "models/gpu/sm_totals.h"
#include "models/gpu/utilisation.h"
#include "models/noc/cluster_network.h"
#include "models/rtl/roles/rtl_policies.h"
#include "models/sm/sm_core.h"
#include "models/sm/sm_module.h"
#include "models/stats/group.h"

namespace heddle {

class CycleSm;

// Returns the resource manager of an SM, or null if the SMs execute nothing.
std::unique_ptr<ResourceManager> make_resource_manager(const GpuSpec& spec);

class SmArray {
 public:
  struct Deps {
    ClockDomain& core;
    RtlPolicies& policies;           // makes the warp schedulers
    ProgramLibrary* programs;        // null: there is none, which only SMs that execute nothing allow
    InstructionMeter& meter;         // counts the instructions of each context
    std::uint64_t shares_in_flight;  // the most shares of bandwidth in flight to an SM; 0: none is sent
  };
  // `spec` has the limits of the resource manager and must outlive the SMs. `physical` are the limits of the
  // SM itself.
  SmArray(const GpuSpec& spec, const SmLimits& physical, const Deps& deps);

  // Makes an SM. It is called once for each SM, in any order, inside the constructor of a module.
  void make(std::uint32_t sm);
  SmModule& operator[](std::uint32_t sm) { return *sms_[sm]; }
  // Binds the SMs that execute instructions to the memory path, and adds them to the watchdog. All SMs have
  // been made.
  void bind(MemoryPath& memory, Watchdog& watchdog);
  void trace(TraceObserver& observer);
  // The logic of the SMs that execute instructions, valid after bind(); empty if they are timed.
  const std::vector<SmCore*>& cores() const { return cores_; }

  void reset();
  bool idle() const;

  // Adds the statistics to those of the GPU. `active` counts the cycles with a resident kernel.
  void add_stats(Group& gpu, const Counter& active);
  void update_stats(Cycle now);
  CounterList instructions() const;  // counters whose sum is the warp instructions of the GPU
  const Formula& occupancy() const { return *occupancy_; }
  const Formula& fill() const { return *fill_; }
  const SmTotals* totals() const { return totals_.get(); }               // null if the SMs are timed
  const Utilisation* utilisation() const { return utilisation_.get(); }  // null if the SMs are timed

 private:
  // Makes the network of each GPC, if there is one, and binds its SMs to it.
  void bind_clusters();
  // What the GPU binds and reads of an SM that executes instructions.
  struct Executor {
    SmCore* core = nullptr;
    LinkInitiator* memory = nullptr;
    CycleSm* unit = nullptr;
    Watchdog::Component watched;
  };

  // Each model of SmSpec::model has its function. One whose SM executes instructions sets its executor.
  std::unique_ptr<SmModule> make(const TimedSmSpec& model, std::uint32_t sm);
  std::unique_ptr<SmModule> make(const Boxed<CycleSmSpec>& model, std::uint32_t sm);

  const GpuSpec& spec_;
  const SmLimits physical_;
  const Deps deps_;
  std::vector<std::unique_ptr<SmModule>> sms_;
  std::vector<Executor> executors_;                        // by SM, empty if the SMs are timed
  std::vector<std::unique_ptr<ClusterNetwork>> networks_;  // by GPC, empty if there are none
  std::vector<SmCore*> cores_;
  const Formula* occupancy_ = nullptr;
  const Formula* fill_ = nullptr;
  std::unique_ptr<SmTotals> totals_;
  std::unique_ptr<Utilisation> utilisation_;
};

}  // namespace heddle
