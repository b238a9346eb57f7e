#pragma once
// A DMA engine holds transfers of several contexts and moves them burst by burst between system memory and
// device memory, or within device memory. At every burst boundary the arbiter chooses the transfer that
// continues. A boundary is when the link takes another burst, or when a burst within device memory has ended.
// Such a burst takes the time of its bytes in whole PCIe cycles.
//
// Where bandwidth is shared, a burst takes its time over the rate of the engine's share (copy_pace.h): within
// device memory until it ends, over the link until the next one may start.

#include <vector>

#include "models/core/kernel/messages.h"
#include "models/core/kernel/observer.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/message_port.h"
#include "models/core/link/payload_pool.h"
#include "models/core/memory/device_memory.h"
#include "models/host/copy_pace.h"
#include "models/host/host_spec.h"
#include "models/stats/group.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

class DmaEngine : public sc_core::sc_module, public Clocked {
 public:
  struct Deps {
    ClockDomain& pcie;
    DmaArbiter& arbiter;
    std::vector<DeviceMemory>& device_memory;  // by context
    // The most answers to bandwidth demands in flight, 1 or more; 0: bandwidth is not shared.
    std::size_t shares = 0;
    std::uint32_t link_bytes_per_cycle = 0;  // of one direction, where bandwidth is shared
    std::uint32_t number = 0;                // of the engine, for its observers
  };
  DmaEngine(sc_core::sc_module_name name, const DmaSpec& spec, std::uint32_t burst_bytes, const Deps& deps);

  ReplySocket<Transfer, TransferDone> transfers{"transfers"};
  // Null if bandwidth is not shared.
  RequestSocket<CopyDemand, CopyShare>* bandwidth() { return pace_.bandwidth(); }
  tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }

  void observe(TransferObserver& observer) { observers_.push_back(&observer); }
  void reset();  // The observers stay.
  void tick(Cycle now) override;
  bool idle() const { return inbox_.empty() && active_.empty(); }
  Group& stats() { return stats_; }

 private:
  struct Active {
    Transfer transfer;
    std::uint64_t requested = 0;  // bytes
    std::uint64_t answered = 0;   // bytes
    Cycle begin;                  // the cycle in which its first burst was requested
  };
  struct DeviceBurst {  // within device memory
    std::uint64_t number = 0;
    std::uint32_t bytes = 0;  // 0: no burst is in flight
  };

  void take(const Transfer& transfer, Cycle now);
  void check_allocated(const Transfer& transfer, Address address, Cycle now) const;
  void collect(Cycle now);
  void end_device_burst(Cycle now);
  void finish(Active& active, Cycle now);
  void start_burst(Cycle now);
  std::uint64_t bandwidth_demand() const;
  bool may_start(Cycle now) const;
  void request(const Active& active, std::uint32_t bytes, Cycle now);
  std::uint64_t device_cycles(const Transfer& transfer, std::uint32_t bytes) const;
  std::vector<Active>::iterator find(std::uint64_t number);

  const std::uint32_t number_;
  const std::uint32_t burst_bytes_;
  ClockDomain& pcie_;
  ClockDomain::Sleeper sleeper_;
  DmaArbiter& arbiter_;
  const double device_bytes_per_cycle_;
  std::vector<DeviceMemory>& device_memory_;
  Inbox<Transfer> inbox_;
  PayloadPool pool_;
  MemoryInitiator memory_;
  std::vector<Active> active_;            // in order of arrival
  std::vector<TransferView> candidates_;  // the transfers with bytes left to request
  DeviceBurst device_burst_;
  const std::uint32_t link_bytes_per_cycle_;
  CopyPace pace_;
  std::vector<std::byte> device_data_;  // the data of a burst within device memory
  std::vector<TransferObserver*> observers_;

  Group stats_;
  struct Counts {
    Counter transfers, bytes_up, bytes_down, bursts, takeovers;
  };
  Counts counts_;
  static constexpr std::uint64_t kNoTransfer = ~std::uint64_t{0};
  std::uint64_t last_number_ = kNoTransfer;  // of the last burst
};

}  // namespace heddle
