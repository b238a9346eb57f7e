#pragma once
// The way from the SMs to DRAM: crossbar, L2 slices and memory controllers, in three clock domains of their
// own, built from a platform's spec and bound to each other. Belongs to models/gpu/gpu.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/core/memory/page_table.h"
#include "models/core/time/watchdog.h"
#include "models/dram/memory_controller.h"
#include "models/gpu/clock_stats.h"
#include "models/gpu/gpu_spec.h"
#include "models/gpu/ratio.h"
#include "models/l2/l2_slice.h"
#include "models/noc/crossbar.h"
#include "models/stats/group.h"

namespace heddle {

class MemoryPath {
 public:
  // Inside a module's constructor. Its clocks share the method of `core`. reversed: builds the blocks in
  // reverse order.
  MemoryPath(const GpuSpec& spec, ClockDomain& core, bool reversed);

  tlm::tlm_target_socket<>& sm(std::uint32_t i) { return crossbar_->sm(i); }

  bool idle() const;
  void watch(Watchdog& watchdog) const;  // every block
  // instructions: those of the whole GPU, warp by warp, for misses per thousand of them.
  void add_stats(Group& gpu, const CounterList& instructions);
  void settle_stats();
  const ClockDomain& icnt() const { return *icnt_; }
  const ClockDomain& l2() const { return *l2_; }
  const ClockDomain& dram() const { return *dram_; }
  const CounterRatio& l2_miss_rate() const { return l2_miss_rate_; }
  const CounterRatio& l2_mpki() const { return l2_mpki_; }

 private:
  std::uint32_t slice_of(Address physical) const;
  void build(const GpuSpec& spec, bool reversed);

  const MemoryPathSpec spec_;
  const ChannelMap channels_;
  PageTables pages_;
  std::unique_ptr<ClockDomain> icnt_;
  std::unique_ptr<ClockDomain> l2_;
  std::unique_ptr<ClockDomain> dram_;
  std::vector<std::unique_ptr<ClockStats>> clock_stats_;
  std::unique_ptr<Crossbar> crossbar_;
  std::vector<std::unique_ptr<L2Slice>> slices_;  // channel by channel
  std::vector<std::unique_ptr<MemoryController>> controllers_;
  CounterRatio l2_miss_rate_;
  CounterRatio l2_mpki_;
};

}  // namespace heddle
