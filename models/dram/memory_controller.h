#pragma once
// One memory channel behind base-protocol sockets, one for each L2 slice: the ports, a fixed latency, the
// GDDR5 controller, and the way back.
//
// Requests carry physical addresses of this channel and at most one burst, within which they lie. Ports take
// turns, one request a command clock. A read is answered when its last data beat has come, a write when the
// controller's queue has taken it. Data are not kept here.

#include <memory>
#include <vector>

#include "models/core/link/memory_port.h"
#include "models/dram/dram_controller.h"
#include "models/stats/group.h"

namespace heddle {

class MemoryController : public sc_core::sc_module, public Clocked {
 public:
  // `channel` of `spec.map`, in the clock domain of its command clock.
  MemoryController(sc_core::sc_module_name name, const DramSpec& spec, std::uint32_t channel,
                   std::uint32_t ports, std::unique_ptr<DramScheduler> scheduler,
                   std::unique_ptr<PagePolicy> page_policy, ClockDomain& clock);

  tlm::tlm_target_socket<>& port(std::uint32_t i) { return ports_[i]->socket; }

  void reset();
  void tick(Cycle now) override;
  bool idle() const;                                               // nothing is waiting or on its way
  std::uint64_t progress() const { return controller_.bursts(); }  // grows with every burst
  void settle_stats();  // accounts the cycles up to the present; call before reading counters
  Group& stats() { return controller_.stats(); }
  void observe(DramObserver& observer) { controller_.observe(observer); }

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr std::size_t kPortRequests = 8;  // wait at a port with END_REQ given

  struct Transit {
    Payload* payload = nullptr;
    std::uint32_t port = 0;
    Cycle due;
  };

  void free_all_tokens();
  void answer(Ring<Transit>& done, Cycle now);
  void accept(Cycle now);
  void take(Cycle now);
  bool can_accept() const;
  bool can_answer(const Ring<Transit>& done, Cycle now) const {
    return !done.empty() && ports_[done.front().port]->respond_free() <= now;
  }
  Address local_of(const Payload& payload, Cycle now) const;
  Cycle next_wake(Cycle now) const;

  const DramSpec spec_;
  const ChannelMap map_;
  const std::uint32_t channel_;
  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  DramController controller_;
  std::vector<std::unique_ptr<MemoryTarget>> ports_;
  PortSet calling_;         // with a request at the port
  std::uint32_t turn_ = 0;  // the port that goes first

  Ring<Transit> arriving_;             // until `latency` is over, and while the queue is full
  std::vector<Transit> reads_;         // by token: accepted
  std::vector<std::uint32_t> tokens_;  // not in use
  Ring<Transit> read_;                 // their data come or have come, in order
  Ring<Transit> written_;
};

}  // namespace heddle
