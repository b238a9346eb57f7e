#pragma once
// A DMA engine: holds transfers of several contexts and moves them burst by burst between system memory and
// device memory. At every burst boundary the arbiter says which transfer goes on.

#include <vector>

#include "models/core/memory_port.h"
#include "models/core/message_port.h"
#include "models/core/messages.h"
#include "models/core/observer.h"
#include "models/core/payload_pool.h"
#include "models/core/sparse_memory.h"
#include "models/host/host_spec.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"

namespace heddle {

class DmaEngine : public sc_core::sc_module, public Clocked {
 public:
  struct Deps {
    ClockDomain& pcie;
    DmaArbiter& arbiter;
    SparseMemory& device_memory;
  };
  DmaEngine(sc_core::sc_module_name name, const DmaSpec& spec, std::uint32_t burst_bytes, const Deps& deps);

  ReplySocket<Transfer, TransferDone> transfers{"transfers"};
  tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }

  void observe(TransferObserver& observer) { observers_.push_back(&observer); }
  void tick(Cycle now) override;
  bool idle() const { return inbox_.empty() && active_.empty(); }
  Group& stats() { return stats_; }

 private:
  struct Active {
    Transfer transfer;
    std::uint64_t requested = 0;  // bytes
    std::uint64_t answered = 0;   // bytes
    Cycle begin;                  // its first burst was requested
  };

  void collect(Cycle now);
  void finish(Active& active, Cycle now);
  void request_burst(Cycle now);

  const std::uint32_t burst_bytes_;
  ClockDomain& pcie_;
  ClockDomain::Sleeper sleeper_;
  DmaArbiter& arbiter_;
  SparseMemory& device_memory_;
  Inbox<Transfer> inbox_;
  PayloadPool pool_;
  MemoryInitiator memory_;
  std::vector<Active> active_;            // in order of arrival
  std::vector<TransferView> candidates_;  // those with bytes left to request
  std::vector<TransferObserver*> observers_;

  Group stats_;
  Counter transfers_done_;
  Counter bytes_up_;
  Counter bytes_down_;
  Counter bursts_;
  Counter takeovers_;
  std::uint64_t last_number_ = ~std::uint64_t{0};  // transfer of the last burst
};

}  // namespace heddle
