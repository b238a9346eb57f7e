#pragma once
// A probe between an initiator and a target. It passes everything on and asserts the rules of the TLM-2.0
// base protocol (IEEE 1666-2011, Section 15.2): the order of phases, one request and one response at a time,
// annotated times of a payload that do not decrease, unchanged attributes from request to response, and one
// response to each request. The address is not compared, because the interconnect may rewrite it.

#include <tlm>

#include <cstdint>
#include <map>
#include <vector>

namespace heddle::test {

class ProtocolChecker : public sc_core::sc_module,
                        private tlm::tlm_fw_transport_if<>,
                        private tlm::tlm_bw_transport_if<> {
 public:
  explicit ProtocolChecker(sc_core::sc_module_name name);

  tlm::tlm_target_socket<> target{"target"};
  tlm::tlm_initiator_socket<> initiator{"initiator"};

  std::uint64_t requests() const { return requests_; }
  std::uint64_t responses() const { return responses_; }
  bool idle() const { return in_flight_.empty() && requesting_ == nullptr && responding_ == nullptr; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Attributes {
    tlm::tlm_command command;
    unsigned char* data;
    unsigned length;
    unsigned streaming_width;
    unsigned char* byte_enables;
    unsigned byte_enable_length;
    std::vector<unsigned char> written;

    static Attributes of(const Payload& payload);
    bool operator==(const Attributes& other) const;
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int transport_dbg(Payload& payload) override { return initiator->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return initiator->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    target->invalidate_direct_mem_ptr(start, end);
  }

  void pass_time(const Payload& payload, const sc_core::sc_time& delay);
  void begin_request(const Payload& payload);
  void end_request(const Payload& payload);
  void begin_response(const Payload& payload);
  void end_response(const Payload& payload);

  std::map<const Payload*, Attributes> in_flight_;    // never iterated, because the order of pointers varies
  std::map<const Payload*, sc_core::sc_time> times_;  // annotated times of the last calls
  const Payload* requesting_ = nullptr;
  const Payload* responding_ = nullptr;
  std::uint64_t requests_ = 0;
  std::uint64_t responses_ = 0;
};

}  // namespace heddle::test
