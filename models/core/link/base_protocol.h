#pragma once
// These adapters put the TLM-2.0 base protocol on a memory link: where a platform chooses it, and where a
// block, a tap or a checker stands that speaks nothing else. They take no time, so that results do not depend
// on them. Payloads have a RequestInfo (models/core/link/payload_pool.h).

#include <tlm>

#include "models/core/link/memory_link.h"
#include "models/core/link/payload_pool.h"
#include "models/core/link/request_pool.h"

namespace heddle {

// ToBaseProtocol takes the requests of a LinkInitiator and sends each as a transaction.
class ToBaseProtocol : public sc_core::sc_module,
                       private MemoryRequestIf,
                       private tlm::tlm_bw_transport_if<> {
 public:
  ToBaseProtocol(const sc_core::sc_module_name& name, LinkInitiator& from);

  tlm::tlm_initiator_socket<> socket{"socket"};

  void reset();  // Forgets every transaction. Both ends of the link are reset as well.

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr std::size_t kOutstanding = 1u << 16;  // more than any block has without an answer

  bool request(MemoryRequest& request, LinkTime at) override;
  void answer_taken(LinkTime at) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  Payload& payload_of(const MemoryRequest& request);
  // Sends the response over the link as an answer. Returns whether the adapter sends END_RESP at once,
  // because the initiator has room for another answer. Otherwise answer_taken() sends END_RESP later.
  bool answer(Payload& payload, const sc_core::sc_time& delay);

  MemoryLinkTargetSocket link_{"link"};
  PayloadPool pool_;
  const Payload* requesting_ = nullptr;  // waits for END_REQ
  Payload* held_ = nullptr;              // waits for END_RESP
  sc_core::sc_time held_since_;          // the annotated time of its BEGIN_RESP
};

// FromBaseProtocol takes transactions and hands each to a LinkTarget as a request.
class FromBaseProtocol : public sc_core::sc_module,
                         private MemoryAnswerIf,
                         private tlm::tlm_fw_transport_if<> {
 public:
  FromBaseProtocol(const sc_core::sc_module_name& name, LinkTarget& to);

  tlm::tlm_target_socket<> socket{"socket"};

  void reset();  // Forgets every transaction. Both ends of the link are reset as well.

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Held : MemoryRequest {
    Payload* payload = nullptr;
  };
  static constexpr std::size_t kOutstanding = 1u << 16;

  bool answer(MemoryRequest& request, LinkTime at) override;
  void request_taken(LinkTime at) override;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int transport_dbg(Payload&) override { return 0; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
  static void fill(MemoryRequest& request, Payload& payload);
  void end(Payload& payload);

  MemoryLinkInitiatorSocket link_{"link"};
  RequestPool<Held> pool_;
  Payload* held_ = nullptr;              // waits for END_REQ
  sc_core::sc_time held_since_;          // the annotated time of its BEGIN_REQ
  const Payload* responding_ = nullptr;  // waits for END_RESP
};

}  // namespace heddle
