#include "models/host/fence_writer.h"

#include "models/host/command.h"

namespace heddle {

namespace {

constexpr std::size_t kOutstandingFences = 16;

}  // namespace

FenceWriter::FenceWriter(const char* owner, ClockDomain& clock, ClockDomain::Sleeper sleeper,
                         std::size_t most)
    : owner_(owner),
      pool_(kOutstandingFences, sizeof(std::uint64_t)),
      memory_("memory", clock, sleeper, kOutstandingFences),
      waiting_(most) {}

void FenceWriter::reset() {
  memory_.reset();
  pool_.reset();
  waiting_.clear();
}

void FenceWriter::collect(Cycle now) {
  for (; memory_.has_response(now); memory_.pop_response()) {
    HEDDLE_CHECK(memory_.response().is_response_ok(), owner_, now, "a fence at {:#x} could not be written",
                 memory_.response().get_address());
    memory_.response().release();
  }
}

void FenceWriter::write(Cycle now) {
  if (waiting_.empty() || !memory_.can_send(now) || pool_.empty()) return;
  const Fence& fence = waiting_.front();
  tlm::tlm_generic_payload& payload = pool_.take(tlm::TLM_WRITE_COMMAND, fence.address, sizeof fence.value);
  RequestInfo& info = *payload.get_extension<RequestInfo>();
  info.context = fence.context;
  info.issued = now;
  store_u64(payload.get_data_ptr(), fence.value);
  ++written_;
  waiting_.pop();
  memory_.send(payload, now);
}

}  // namespace heddle
