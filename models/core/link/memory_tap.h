#pragma once
// A MemoryTap stands between an initiator and a target of the base protocol and shows what passes. It takes
// no time, and changes nothing.

#include <tlm>

#include <string>

namespace heddle {

class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  // The tap calls these when a request or its response begins, once each for a request. `time` is the
  // annotated time of its beginning, which is the present time or a later one.
  virtual void request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time) = 0;
  virtual void response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time) = 0;
};

class MemoryTap : public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;

  MemoryTap(const std::string& name, MemoryObserver& observer)
      : target((name + "_target").c_str()), initiator((name + "_initiator").c_str()), observer_(observer) {
    target.bind(*this);
    initiator.bind(*this);
  }

  tlm::tlm_target_socket<> target;
  tlm::tlm_initiator_socket<> initiator;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    // Only a request can be answered on this path. TLM_COMPLETED for END_RESP ends a transaction whose
    // response has begun before, and the payload may be in its pool again.
    const bool requests = phase == tlm::BEGIN_REQ;
    if (requests) observer_.request(payload, sc_core::sc_time_stamp() + delay);
    const tlm::tlm_sync_enum status = initiator->nb_transport_fw(payload, phase, delay);
    if (requests &&
        (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)))
      observer_.response(payload, sc_core::sc_time_stamp() + delay);
    return status;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_RESP) observer_.response(payload, sc_core::sc_time_stamp() + delay);
    return target->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    observer_.request(payload, sc_core::sc_time_stamp() + delay);
    initiator->b_transport(payload, delay);
    observer_.response(payload, sc_core::sc_time_stamp() + delay);
  }
  unsigned int transport_dbg(Payload& payload) override { return initiator->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return initiator->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    target->invalidate_direct_mem_ptr(first, last);
  }

  MemoryObserver& observer_;
};

}  // namespace heddle
