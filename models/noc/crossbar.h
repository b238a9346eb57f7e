#pragma once
// The Crossbar connects SMs and L2 slices. It has a switch for requests and a switch for replies. They share
// nothing, so that replies always drain. SMs send virtual addresses. An address is translated when its
// request enters the request switch; ports are served in order of their number.
//
// Requests are passed on, not copied. MemoryRequest::sm is the number of the input port. A
// packet is a header, followed by the data of a write, the operands of an atomic (as many bytes as its range)
// or the data of the reply to a read. Beyond its input buffer each port holds one packet that has arrived and
// at most two that wait for room.
//
// With a MergeSpec the reads of neighbouring SMs are merged before the request switch
// (models/noc/merged_reads.h). Behind the reply switch an answer goes to all SMs that wait for it.
//
// Packets from one SM to one slice stay in order, and so do packets from one slice to one SM.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/launch_counts.h"
#include "models/core/kernel/trace.h"
#include "models/core/link/memory_link.h"
#include "models/core/memory/page_table.h"
#include "models/noc/answer_ports.h"
#include "models/noc/input_ports.h"
#include "models/noc/merged_reads.h"
#include "models/noc/switch.h"
#include "models/stats/group.h"

namespace heddle {

class Crossbar : public sc_core::sc_module, public Clocked {
 public:
  using SliceOf = std::function<std::uint32_t(Address physical)>;  // returns the number of the L2 slice
  using Arbiters = std::vector<std::unique_ptr<CrossbarArbiter>>;
  struct Deps {
    ClockDomain& icnt;
    PageTables& pages;
    SliceOf slice_of;
    Arbiters requests;  // one for each slice
    Arbiters replies;   // one for each SM
  };
  Crossbar(sc_core::sc_module_name name, const NocSpec& spec, std::uint32_t sms, std::uint32_t slices,
           Deps deps);

  // The ends of the memory links, and their sockets of the base protocol, which are bound instead.
  LinkTarget& sm_link(std::uint32_t i) { return *sms_[i]; }
  LinkInitiator& slice_link(std::uint32_t i) { return *slices_[i]; }
  tlm::tlm_target_socket<>& sm(std::uint32_t i) { return sms_[i]->base_protocol(); }
  tlm::tlm_initiator_socket<>& slice(std::uint32_t i) { return slices_[i]->base_protocol(); }

  void reset();  // Drops every packet. The owner of the page tables resets them.
  void tick(Cycle now) override;
  bool idle() const;                // whether no packet is in the crossbar or at its ports
  std::string waiting_for() const;  // describes the packets in the crossbar and the ports that block them
  void update_stats(Cycle now) {    // brings the counters up to this cycle
    requests_.update_stats(now);
    replies_.update_stats(now);
  }
  Group& stats() { return stats_; }
  // Returns the counts of a launch up to this cycle. close() starts them at zero again.
  CrossbarCounts counts(AccountId account, Cycle now) const {
    return {requests_.flits(account, now), replies_.flits(account, now)};
  }
  void close(AccountId account);
  void trace(TraceSink& sink) { trace_ = &sink; }

 private:
  void eject_requests(Cycle now);
  void eject_replies(Cycle now);
  void answer(std::uint32_t sm, MemoryRequest& request, Cycle now);
  void answer_merged(Cycle now);  // one merged read of each SM whose port is free
  void inject_requests(Cycle now);
  void inject_replies(Cycle now);
  // Both move the oldest message of a port into the switch, and return whether it found room.
  bool take_request(std::uint32_t sm, Cycle now);
  bool take_reply(std::uint32_t slice, Cycle now);
  void wake_by(Cycle cycle) {
    if (cycle < next_wake_) next_wake_ = cycle;
  }
  void ask_ports(Cycle now);
  // Called for a request that is followed, or, with a trace, for every request.
  [[gnu::cold]] void tell(TraceStage stage, const MemoryRequest& request, Cycle since, Cycle now);

  const NocSpec spec_;
  ClockDomain& icnt_;
  ClockDomain::Sleeper sleeper_;
  PageTables& pages_;
  const SliceOf slice_of_;
  std::vector<std::unique_ptr<LinkTarget>> sms_;
  std::vector<std::unique_ptr<LinkInitiator>> slices_;
  std::vector<PageTables::Recent> recent_;  // by SM
  Switch requests_;
  Switch replies_;
  InputPorts request_ports_;  // of the SMs
  InputPorts reply_ports_;    // of the slices
  PortSet blocked_slices_;    // slices that have not taken the last request
  PortSet blocked_sms_;       // SMs that have not taken the last reply
  PortSet asked_sms_;         // SMs whose ports the present tick asks when they are due
  PortSet asked_slices_;      // the same for slices
  AnswerPorts answer_ports_;
  MergedReads merged_reads_;
  Cycle next_wake_;             // the earliest wake that the present tick has found
  TraceSink* trace_ = nullptr;  // null: there is no trace
  Group stats_;
};

}  // namespace heddle
