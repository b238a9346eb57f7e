#pragma once
// TLM payloads come from pools. Each payload has a sticky extension that says who uses it and for what.

#include <tlm>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/lazy_array.h"
#include "models/core/link/memory_request.h"

namespace heddle {

// A RequestInfo says who sent a request and for what. It is an ignorable extension: nothing in the base
// protocol depends on it. An atomic that meets no L2 slice is a plain read.
struct RequestInfo : public tlm::tlm_extension<RequestInfo> {
  ContextId context;
  AccountId account;  // of the launch that causes the request
  SmId sm;
  std::uint32_t warp = 0;
  RequestKind kind = RequestKind::kOther;
  std::uint8_t lanes = 0;    // kAtomic: the number of its lanes
  std::uint8_t depth = 0;    // kAtomic: MemoryRequest::depth
  bool missed_line = false;  // set by an L2 slice: whether the request missed a line there
  std::uint32_t trace = 0;   // MemoryRequest::trace
  std::uint64_t number = 0;  // the initiator's own number: of a transfer, a queue or an MSHR
  Cycle issued;              // of the initiator's clock

  tlm::tlm_extension_base* clone() const override { return new RequestInfo(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const RequestInfo&>(other);
  }
};

// Every payload of a pool has a buffer of fixed size. Payloads are made when they are first needed, as many
// as there are already, so that a pool soon has all that it needs. The caller asks empty() before take().
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool(std::size_t payloads, std::size_t buffer_bytes)
      : payloads_(payloads), buffer_bytes_(buffer_bytes), buffers_(payloads * buffer_bytes) {}

  // Takes every payload back, whoever holds a reference to it. Whoever holds one is reset as well.
  void reset() {
    for (Slot& slot : all_)
      while (slot.payload.get_ref_count() > 0) slot.payload.release();
    std::transform(all_.rbegin(), all_.rend(), free_.begin(), [](Slot& slot) { return &slot.payload; });
  }

  bool empty() const { return in_use() == payloads_; }
  std::size_t in_use() const { return all_.size() - free_.size(); }

  // Returns a payload with one reference, an incomplete response, no byte enables and no streaming.
  tlm::tlm_generic_payload& take(tlm::tlm_command command, Address address, std::uint32_t bytes) {
    if (free_.empty()) make();
    tlm::tlm_generic_payload& payload = *free_.back();
    free_.pop_back();
    payload.acquire();
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload;
  }

  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  // The extension of a payload is a member of the same Slot. The destructor of a payload calls free() of its
  // extension, so free() deletes nothing.
  struct Info : RequestInfo {
    void free() override {}
  };
  struct Slot {
    explicit Slot(PayloadPool& pool) : payload(&pool) { payload.set_extension<RequestInfo>(&info); }
    Info info;
    tlm::tlm_generic_payload payload;
  };

  void make() {
    const std::size_t before = all_.size();
    const std::size_t count = std::min(std::max(before, kFirst), payloads_ - before);
    free_.reserve(before + count);
    for (std::size_t i = 0; i < count; ++i)
      all_.emplace_back(*this).payload.set_data_ptr(&buffers_[(before + i) * buffer_bytes_]);
    for (std::size_t i = count; i > 0; --i) free_.push_back(&all_[before + i - 1].payload);
  }

  static constexpr std::size_t kFirst = 8;

  const std::size_t payloads_;
  const std::size_t buffer_bytes_;
  LazyArray<unsigned char> buffers_;
  std::deque<Slot> all_;  // the slots keep their places
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace heddle
