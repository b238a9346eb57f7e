#pragma once
// The crossbar between SMs and L2 slices: a switch for requests, a switch for replies, nothing shared between
// them, so that replies always drain. SMs send virtual addresses; they become physical where a request enters
// the request switch, in order of ports.
//
// Payloads are passed on, not copied. Each carries a RequestInfo whose `sm` is the port it came in at. What a
// packet carries: a read one header, a write header and data, an atomic header and operands (as many bytes as
// its range); a reply to a read header and data, to a write one header. Beyond its input buffer each port
// holds one packet that has come and two at most that wait for room.
//
// Order: packets from one SM to one slice, and from one slice to one SM, stay in order.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"
#include "models/core/memory/page_table.h"
#include "models/noc/switch.h"
#include "models/stats/group.h"

namespace heddle {

class Crossbar : public sc_core::sc_module, public Clocked {
 public:
  using SliceOf = std::function<std::uint32_t(Address physical)>;  // number of the L2 slice
  struct Deps {
    ClockDomain& icnt;
    PageTables& pages;
    SliceOf slice_of;
  };
  Crossbar(sc_core::sc_module_name name, const NocSpec& spec, std::uint32_t sms, std::uint32_t slices,
           const Deps& deps);

  tlm::tlm_target_socket<>& sm(std::uint32_t i) { return sms_[i]->socket; }
  tlm::tlm_initiator_socket<>& slice(std::uint32_t i) { return slices_[i]->socket; }

  void reset();  // The page tables are their owner's to reset.
  void tick(Cycle now) override;
  bool idle() const;                // no packet in it or at its ports
  std::uint64_t progress() const;   // grows with every packet that leaves
  std::string waiting_for() const;  // what it holds, and which neighbours it waits for
  Group& stats() { return stats_; }

 private:
  using Payload = tlm::tlm_generic_payload;

  void eject_requests(Cycle now);
  void eject_replies(Cycle now);
  void inject_requests(Cycle now);
  void inject_replies(Cycle now);
  bool take_request(std::uint32_t sm, Cycle now);
  bool take_reply(std::uint32_t slice, Cycle now);
  void look_again(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  // After arbitration: packets that did not fit enter when flits before them have left.
  void await_room(const Switch& way, const PortSet& refused, Cycle now);
  static const RequestInfo& info_of(const Payload& payload);

  const NocSpec spec_;
  ClockDomain& icnt_;
  ClockDomain::Sleeper sleeper_;
  PageTables& pages_;
  const SliceOf slice_of_;
  std::vector<std::unique_ptr<MemoryTarget>> sms_;
  std::vector<std::unique_ptr<MemoryInitiator>> slices_;
  std::vector<PageTables::Recent> recent_;  // by SM
  Switch requests_;
  Switch replies_;
  PortSet calling_sms_;     // with a request at the port
  PortSet calling_slices_;  // with a response at the port
  PortSet refused_sms_;     // of these, whose packet does not fit
  PortSet refused_slices_;
  PortSet blocked_slices_;                    // that have not taken the last request
  PortSet blocked_sms_;                       // that have not taken the last reply
  std::vector<std::uint32_t> refused_flits_;  // by SM: of the packet that does not fit
  Cycle next_;                                // wake, as known so far in this tick

  Group stats_;
  Counter request_refused_cycles_;
  Counter reply_refused_cycles_;
};

}  // namespace heddle
