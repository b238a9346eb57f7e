#pragma once
// A probe between the execution engine and an SM. It passes every message on, and counts how often each
// thread block is issued and how often it ends.

#include <map>
#include <utility>

#include "models/core/kernel/dispatch_messages.h"
#include "models/core/link/message_port.h"

namespace heddle::test {

// The messages that all probes of one GPU have passed on. Blocks are keyed by (kernel number, block).
struct BlockLedger {
  struct Seen {
    int issued = 0;
    int done = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Seen> blocks;
  std::uint64_t set_ups = 0;
  std::uint64_t ready = 0;
  std::uint64_t samples_asked = 0;
  std::uint64_t samples = 0;

  // Returns whether each block was issued once and ended once, and each set-up and sample request was
  // answered.
  bool balanced() const;
};

class DispatchProbe : public sc_core::sc_module, private MessageIf<SmRequest>, private MessageIf<SmReply> {
 public:
  DispatchProbe(sc_core::sc_module_name name, BlockLedger& ledger);

  ReplySocket<SmRequest, SmReply> engine{"engine"};
  RequestSocket<SmRequest, SmReply> sm{"sm"};

 private:
  void receive(const SmRequest& request, std::uint64_t latency) override;
  void receive(const SmReply& reply, std::uint64_t latency) override;

  BlockLedger& ledger_;
  std::map<std::uint32_t, std::uint64_t> kernel_of_;  // by KSR, from the latest set-up of this SM
};

}  // namespace heddle::test
