#pragma once
// CommandQueues models the hardware command queues. It answers the host's accesses to their memory-mapped
// registers through the socket `mmio`, and fetches command and kernel descriptors from the rings in system
// memory. The head command of each queue goes to the
// dispatcher, and the next one is fetched when the dispatcher has taken it. The driver waits while a ring is
// full; no command is dropped.

#include <functional>
#include <vector>

#include "models/core/kernel/messages.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/message_port.h"
#include "models/core/link/payload_pool.h"
#include "models/host/command.h"
#include "models/host/mmio_registers.h"
#include "models/stats/group.h"

namespace heddle {

class CommandQueues : public sc_core::sc_module, public Clocked, private tlm::tlm_fw_transport_if<> {
 public:
  struct Deps {
    ClockDomain& pcie;
    std::uint32_t contexts;
    std::uint32_t sms;
    SmLimits limits;
    bool timed = true;  // whether the SMs are timed ones
    sc_core::sc_time mmio_latency;
    std::function<void()> update_stats;  // accounts the cycles up to the present in every counter
  };
  CommandQueues(sc_core::sc_module_name name, const QueueSpec& spec, Deps deps);

  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0, sc_core::SC_ZERO_OR_MORE_BOUND> mmio{"mmio"};
  RequestSocket<Command, CommandTaken> commands{"commands"};
  RequestSocket<ContextUpdate, NoReply> contexts{"contexts"};
  tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }

  // Puts the counters below `root` into the counter window. It is called once, after all statistics are
  // registered.
  void show_counters(const Group& root) { registers_.counters().show(root); }

  void reset();
  void tick(Cycle now) override;
  bool idle() const;
  Group& stats() { return stats_; }

 private:
  enum class QueueState : std::uint8_t { kEmpty, kFetchCommand, kFetchKernel, kHead, kHalted };
  struct Queue {
    QueueState state = QueueState::kEmpty;
    bool wants_read = false;  // a read of `fetch` is to be sent
    Address fetch = 0;
    bool wants_writeback = false;  // a write of `written_back` is to be sent
    std::uint64_t written_back = 0;
    Command command;
  };

  // Registers.
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  bool write_register(Address address, std::uint64_t value);

  // Rings.
  void send_context_updates(Cycle now);
  void collect_reads(Cycle now);
  void take_notices(Cycle now);
  void start_fetches(Cycle now);
  void start_fetch(std::uint32_t number, Cycle now);
  void decode_fetched(Queue& queue, std::uint32_t number, const unsigned char* bytes);
  void hand_over(Queue& queue);
  void halt(Queue& queue, std::uint32_t number, registers::QueueError error);
  void send_requests(Cycle now);
  void send_request(std::uint32_t number, Cycle now);

  const QueueSpec spec_;
  const Deps deps_;
  ClockDomain& pcie_;
  ClockDomain::Sleeper sleeper_;
  Inbox<CommandTaken> taken_;
  Inbox<NoReply> no_replies_;
  PayloadPool pool_;
  MemoryInitiator memory_;
  MmioRegisters registers_;
  std::vector<Queue> queues_;
  std::vector<ContextUpdate> sent_;  // by context: the last update to the engine

  Group stats_;
  Counter doorbells_;
  Counter fetched_;
  Counter halts_;
};

}  // namespace heddle
