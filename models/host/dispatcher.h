#pragma once
// The command dispatcher (CUsched, Section II-A) takes commands from the heads of the hardware queues and
// keeps each stream in order. It sends launches to the execution engine and copies to the DMA engines, and
// writes the fence of each command when the command is complete. It dispatches at most one command a cycle,
// which the command arbiter chooses.

#include <optional>
#include <vector>

#include "models/core/kernel/messages.h"
#include "models/core/kernel/observer.h"
#include "models/core/link/message_port.h"
#include "models/host/fence_writer.h"
#include "models/host/host_spec.h"
#include "models/stats/group.h"
#include "policies/command_arbiter/i_command_arbiter.h"

namespace heddle {

class Dispatcher : public sc_core::sc_module, public Clocked {
 public:
  struct Deps {
    ClockDomain& pcie;
    CommandArbiter& arbiter;
    std::uint32_t contexts;
    std::uint32_t ksrs;  // launches that the engine can hold
  };
  Dispatcher(sc_core::sc_module_name name, const QueueSpec& queues, const DmaSpec& dma, const Deps& deps);

  ReplySocket<Command, CommandTaken> commands{"commands"};
  RequestSocket<KernelLaunch, KernelDone> launches{"launches"};
  sc_core::sc_vector<RequestSocket<Transfer, TransferDone>> transfers{"transfers"};  // one per DMA engine
  tlm::tlm_initiator_socket<>& memory() { return fences_.memory(); }

  void observe(CommandObserver& observer) { observers_.push_back(&observer); }
  void reset();  // The observers stay.
  void tick(Cycle now) override;
  bool idle() const { return state_.outstanding == 0 && fences_.idle(); }
  Group& stats() { return stats_; }

  std::uint64_t launches_sent() const { return state_.kernels; }

 private:
  struct Stream {
    bool busy = false;  // a command of the stream is outstanding
    Fence fence;        // of the outstanding command
  };
  struct Head {
    bool present = false;
    std::uint64_t arrival = 0;
    Command command;
    bool waits_for_engine = false;  // the observers know it
  };

  void take_heads(Cycle now);
  void collect_completions(Cycle now);
  void complete(Stream& stream);
  void dispatch(Cycle now);
  bool ready(const Command& command);
  bool may_go(const Command& command);
  bool engine_has_room(const Command& command) const;
  void tell_wait(Cycle now, Head& head);
  void send(const Command& command);
  void start_transfer(const Command& command);
  std::uint32_t engine_for(Command::Kind kind) const;
  Stream& stream_of(ContextId context, StreamId stream) {
    return streams_[context.value * queues_.streams + stream.value];
  }
  std::uint64_t& event_of(const Command& command) {
    return events_[command.context.value * queues_.events + command.event];
  }

  const QueueSpec queues_;
  const DmaSpec dma_;
  ClockDomain& pcie_;
  ClockDomain::Sleeper sleeper_;
  CommandArbiter& arbiter_;
  Inbox<Command> inbox_;
  Inbox<KernelDone> kernels_done_;
  std::vector<std::unique_ptr<Inbox<TransferDone>>> transfers_done_;
  FenceWriter fences_;

  std::vector<Head> heads_;            // by queue
  std::vector<Stream> streams_;        // [context][stream]
  std::vector<std::uint64_t> events_;  // [context][event]
  FrontEndView view_;
  struct State {
    std::uint64_t arrivals = 0;     // commands that came to a head
    std::uint64_t kernels = 0;      // launches sent
    std::uint64_t transfers = 0;    // transfers sent
    std::uint64_t outstanding = 0;  // launches and transfers sent and not complete
    ContextId last_context;         // of the command dispatched last; none at first
  };
  State state_;
  const std::uint32_t ksrs_;
  std::uint32_t launch_credits_;
  std::vector<std::uint32_t> transfer_credits_;

  std::vector<CommandObserver*> observers_;

  Group stats_;
  struct Counts {
    Counter launches, copies, events_recorded, events_waited;
  };
  Counts counts_;
};

}  // namespace heddle
