#pragma once
// An RtlMemoryBlock is a block in RTL in the place of an L2 slice or a DRAM channel. It passes requests from
// its sockets to the pins, and answers back, in the cycle in which the pins take or give them: a request that
// the model would see in a cycle is on the pins in that cycle, and an answer that the RTL gives in a cycle
// leaves in that cycle.
//
// A request of the RTL to memory counts for the launch whose request the RTL has taken last.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/account_table.h"
#include "models/core/link/memory_block.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"
#include "models/rtl/interfaces/rtl_deadlines.h"
#include "models/rtl/interfaces/rtl_interface.h"
#include "models/rtl/interfaces/rtl_memory_counts.h"

namespace heddle {

// Where a block of the memory path stands.
struct MemoryPlace {
  ClockDomain& clock;
  std::uint32_t ports = 1;
  std::size_t queue = 0;           // requests that wait at a port, beside those in the delay before the pins
  std::uint32_t burst_bytes = 0;   // of DRAM
  std::uint64_t latency = 1;       // of the links at the ports: LinkSpec::latency
  std::uint64_t dram_latency = 1;  // of the link to DRAM
  // The address within the slice or the channel, and back.
  std::function<Address(Address physical)> local;
  std::function<Address(Address local)> physical;
  // Whether a physical address belongs to the block.
  std::function<bool(Address physical)> owns;
};

// Returns the request of a payload as the block sees it.
RtlRequest rtl_request_of(const tlm::tlm_generic_payload& payload, const RtlInterfaceSpec& spec,
                          const MemoryPlace& place);

class RtlMemoryBlock : public sc_core::sc_module, public Clocked, public L2Block {
 public:
  RtlMemoryBlock(sc_core::sc_module_name name, RtlBlock& block, const MemoryPlace& place);

  tlm::tlm_target_socket<>& port(std::uint32_t i) override { return ports_[i]->socket; }
  tlm::tlm_initiator_socket<>& dram() override { return dram_->socket; }
  void reset() override;
  void tick(Cycle now) override;
  bool idle() const override;
  std::string waiting_for() const override;
  void update_stats(Cycle /*now*/) override {}
  Group& stats() override { return counts_.stats(); }
  void attach_stats(Group& parent) override { parent.attach(counts_.stats()); }
  void add_counts(AccountId account, LaunchCounts& counts) const override { counts_.add_to(counts, account); }
  bool holds(AccountId account) const override { return in_flight_.at(account) > 0; }
  void close(AccountId account) override { counts_.close(account); }
  const Counter& requests() const override { return counts_.requests(); }
  const Counter& lines_missed() const override { return counts_.lines_missed(); }

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr std::size_t kPayloads = 128;  // bursts for DRAM at once

  struct Pending {  // a request in the RTL, by its number
    Payload* payload = nullptr;
    std::uint32_t port = 0;
    bool missed = false;
  };

  void fault(const std::string& output, const std::string& expected, const std::string& got);
  void collect_responses(Cycle now);
  void give(Cycle now);
  void take_offered();
  void answer(Cycle now);
  void count(const Pending& pending, const RtlAnswer& answer);
  void send(Cycle now);
  void wake(Cycle now);

  const MemoryPlace place_;
  ClockDomain::Sleeper sleeper_;
  const bool is_slice_;
  const std::uint64_t latency_;  // the most cycles from a request to its answer
  RtlInterface rtl_;
  PayloadPool pool_;
  std::vector<std::unique_ptr<MemoryTarget>> ports_;
  std::unique_ptr<MemoryInitiator> dram_;  // null: a channel
  PortSet requesting_;                     // ports with a request
  std::uint32_t next_port_ = 0;            // the port that is tried first
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_;  // numbers
  RtlDeadlines deadlines_;
  std::optional<std::uint32_t> offered_;  // the request whose transfers the RTL has not all taken
  std::optional<std::uint32_t> last_;     // the request that it has taken last and not answered
  RequestInfo last_info_;                 // of the request that it has taken last

  RtlMemoryCounts counts_;
  AccountTable<std::uint32_t> in_flight_;  // requests and bursts that are not answered
};

}  // namespace heddle
