#pragma once
// A MemoryController is one memory channel at the end of memory links, one for each L2 slice. A request
// passes its port, a fixed latency and its DRAM controller. Its answer returns to the port.
//
// A request has a physical address of this channel and lies within one burst. Ports are served in turn, one
// request a command clock. A read is answered after its last data beat. A write is answered when it enters
// the queue of the controller. The module stores no data.

#include <memory>
#include <vector>

#include "models/core/kernel/launch_counts.h"
#include "models/core/link/memory_block.h"
#include "models/core/link/memory_link.h"
#include "models/dram/dram_channel.h"
#include "models/dram/traced_requests.h"
#include "models/stats/group.h"

namespace heddle {

class MemoryController : public sc_core::sc_module, public Divided, public MemoryBlock {
 public:
  // `channel` is a number of `spec.map`. `clock` is the domain of the command clock.
  MemoryController(sc_core::sc_module_name name, const DramSpec& spec, std::uint32_t channel,
                   std::uint32_t ports, const DramChannel::MakePolicies& make_policies, ClockDomain& clock);

  LinkTarget* link(std::uint32_t i) override { return ports_[i].get(); }
  tlm::tlm_target_socket<>& port(std::uint32_t i) override { return ports_[i]->base_protocol(); }

  void reset() override;
  Cycle work(Cycle now) override;
  Cycle finish(Cycle now) override;
  bool idle() const override;  // whether no request is in the module
  std::string waiting_for() const override { return "holds requests"; }
  void update_stats(Cycle now) override { dram_.account_until(now); }
  Group& stats() override { return dram_.part(0).stats().group(); }
  void attach_stats(Group& parent) override;
  void observe(DramObserver& observer) { dram_.observe(observer); }
  void add_counts(AccountId account, LaunchCounts& counts) const override {
    counts.dram += dram_.counts(account);
  }
  bool holds(AccountId account) const override { return dram_.holds(account); }
  void close(AccountId account) override { dram_.close(account); }
  void trace(TraceSink& sink) override;

 private:
  static constexpr std::size_t kPortRequests = 8;  // requests that wait at a port

  struct Transit {
    MemoryRequest* request = nullptr;
    std::uint32_t port = 0;
    Cycle due;
    Address local = 0;  // of a request: its channel-local address
  };

  void free_all_tokens();
  void answer(Cycle now) {  // gives every answer that is due and for which its port has room
    if (answers(read_answers_, now)) answer(read_answers_, now);
    if (answers(write_answers_, now)) answer(write_answers_, now);
  }
  void answer(Ring<Transit>& answers, Cycle now);
  void accept(Cycle now);
  void take_request(Cycle now);
  bool can_accept(Cycle now) const;
  bool can_answer(const Ring<Transit>& answers, Cycle now) const {
    return !answers.empty() && ports_[answers.front().port]->answer_free() <= now;
  }
  bool answers(const Ring<Transit>& answers, Cycle now) const {
    return can_answer(answers, now) && answers.front().due <= now;
  }
  Address local_of(const MemoryRequest& request, Cycle now) const;
  // These are called with a trace alone.
  void tell(TraceStage stage, const MemoryRequest& request, Cycle since, Cycle now);
  void tell_served(const DramCompletion& done, Cycle now);
  Cycle next_wake(Cycle now) const;

  const DramSpec spec_;
  const ChannelMap map_;
  const std::uint32_t channel_;
  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  DramChannel dram_;
  std::vector<std::unique_ptr<LinkTarget>> ports_;
  PortSet requesting_;           // ports with a request
  PortSet calling_;              // ports with calls to settle
  std::uint32_t next_port_ = 0;  // the port that is tried first

  Ring<Transit> arriving_;             // requests in the fixed latency, and those that wait for the queue
  std::vector<Transit> reads_;         // by token: a read that the controller has accepted
  std::vector<std::uint32_t> tokens_;  // free tokens
  Ring<Transit> read_answers_;         // in order of their last data beat
  Ring<Transit> write_answers_;
  std::unique_ptr<TracedRequests> traced_;  // null: there is no trace
};

}  // namespace heddle
