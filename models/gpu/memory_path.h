#pragma once
// The MemoryPath has the blocks from the SMs to DRAM: crossbar, L2 slices and memory controllers, in three
// clock domains. It builds them from a platform's spec and binds them to each other. It is a part of
// models/gpu/gpu.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/core/link/memory_tap.h"
#include "models/core/memory/page_table.h"
#include "models/core/time/watchdog.h"
#include "models/gpu/clock_stats.h"
#include "models/gpu/gpu_spec.h"
#include "models/gpu/memory_blocks.h"
#include "models/noc/crossbar.h"
#include "models/rtl/roles/rtl_policies.h"
#include "models/stats/group.h"

namespace heddle {

// Who sees what passes the ports of a slice, "l2_0", or of a channel, "dram0". The place is in the machine.
struct MemoryTapPlace {
  std::string place;
  MemoryObserver* observer = nullptr;
};

class MemoryPath : public TransferObserver {
 public:
  // The constructor is called inside a module's constructor. The clocks of the memory path use the SC_METHOD
  // of `core`. `policies` makes
  // the policies of the blocks. `reversed` builds the blocks in reverse order.
  MemoryPath(const GpuSpec& spec, ClockDomain& core, RtlPolicies& policies, bool reversed,
             const std::vector<MemoryTapPlace>& taps = {});

  // From now on slices and channels work on the threads of the pool in cycles in which at least `fewest` are
  // due.
  void share(WorkerPool& pool, std::size_t fewest) {
    l2_->share(pool, fewest);
    dram_->share(pool, fewest);
  }
  void measure(WorkMeter& meter) {
    l2_->measure(meter);
    dram_->measure(meter);
  }

  void trace(TraceObserver& observer);  // gives each block of the model its sink

  void bind_sm(std::uint32_t i, LinkInitiator& sm);

  // Leaves the lines that the transfer has written in L2; of a transfer that is larger than L2, the last
  // lines. The DMA engines tell it where L2Spec::copies_stay is set.
  void transferred(Cycle begin, Cycle end, const Transfer& transfer) override;

  void reset();  // Resets every block and the page tables. The clocks are reset with the core clock.
  bool idle() const;
  // Adds every block to the watchdog. Progress is counted where requests are answered, at the SMs.
  void watch(Watchdog& watchdog) const;
  // `instructions` counts the warp instructions of the whole GPU, for misses per thousand instructions.
  void add_stats(Group& gpu, const CounterList& instructions);
  void update_stats();
  // Adds what crossbar, L2 and DRAM have counted for the launch.
  void add_counts(AccountId account, LaunchCounts& counts) const;
  // Returns whether a request to DRAM that the launch caused is not served. The SMs have the answers to all
  // requests of the launch.
  bool holds(AccountId account) const;
  void close(AccountId account);  // the counts of the launch start at zero again
  const Formula& l2_miss_rate() const { return *l2_miss_rate_; }  // both are valid after add_stats()
  const Formula& l2_mpki() const { return *l2_mpki_; }
  const ClockDomain& icnt() const { return *icnt_; }
  const ClockDomain& l2() const { return *l2_; }
  const ClockDomain& dram() const { return *dram_; }

 private:
  // From is where requests leave a block: its end of a memory link, or its socket if the block speaks the
  // base protocol alone.
  struct From {
    LinkInitiator* link = nullptr;
    tlm::tlm_initiator_socket<>* socket = nullptr;
    tlm::tlm_initiator_socket<>& base_protocol() const {
      return link != nullptr ? link->base_protocol() : *socket;
    }
  };
  // Binds a slice or a channel to the block before it, with a tap between them if somebody looks at the
  // place.
  void bind(const From& from, MemoryBlock& block, std::uint32_t port, const LinkSpec& link,
            const std::string& place, const std::vector<MemoryTapPlace>& taps);
  void build(const GpuSpec& spec, RtlPolicies& policies, bool reversed);

  const MemoryPathSpec spec_;
  const ChannelMap channels_;
  PageTables pages_;
  PageTables::Recent copied_;  // the page that copies touched last
  std::unique_ptr<ClockDomain> icnt_;
  std::unique_ptr<ClockDomain> l2_;
  std::unique_ptr<ClockDomain> dram_;
  std::vector<std::unique_ptr<ClockStats>> clock_stats_;
  std::unique_ptr<Crossbar> crossbar_;
  std::vector<std::unique_ptr<L2Block>> slices_;  // channel by channel
  std::vector<std::unique_ptr<MemoryBlock>> dram_channels_;
  std::vector<std::unique_ptr<MemoryTap>> taps_;
  const Formula* l2_miss_rate_ = nullptr;
  const Formula* l2_mpki_ = nullptr;
};

}  // namespace heddle
