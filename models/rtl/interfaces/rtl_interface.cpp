#include "models/rtl/interfaces/rtl_interface.h"

#include "models/rtl/interfaces/axi4_memory.h"
#include "models/rtl/interfaces/axi4_requests.h"
#include "models/rtl/interfaces/valid_ready_memory.h"
#include "models/rtl/interfaces/valid_ready_requests.h"

namespace heddle {

RtlInterface::RtlInterface(RtlBlock& block, const std::string& path, std::uint32_t burst_bytes,
                           RtlFault fault)
    : block_(block), port_(block.spec(), block.library(), block.role(), 1, path), gate_(block, port_) {
  requests_ = std::make_unique<RtlRequests>(port_, request_pins(), spec(), checks_data(), fault);
  if (auto pins = memory_pins())
    memory_ =
        std::make_unique<RtlMemory>(port_, std::move(pins), burst_bytes, checks_data(), std::move(fault));
  block.add_instance(port_);
}

bool RtlInterface::checks_data() const {
  return spec().check_data.value_or(block_.role().domain == std::string("l2"));
}

// Each side has the protocol of its pins.
std::unique_ptr<RequestPins> RtlInterface::request_pins() {
  if (has("ar_valid")) return std::make_unique<Axi4Requests>(port_, block_.role());
  return std::make_unique<ValidReadyRequests>(port_, block_.role(), spec().write_responses);
}

std::unique_ptr<MemoryPins> RtlInterface::memory_pins() {
  if (has("memory_ar_valid")) return std::make_unique<Axi4Memory>(port_, block_.role());
  if (has("memory_valid"))
    return std::make_unique<ValidReadyMemory>(port_, block_.role(), spec().transfer_bytes);
  return nullptr;
}

void RtlInterface::reset() {
  port_.reset();
  requests_->reset();
  if (memory_ != nullptr) memory_->reset();
  gate_.reset();
  idle_from_ = Cycle{};
}

void RtlInterface::tick(Cycle now, bool room, bool memory_room) {
  gate_.begin(now);
  requests_->drive(room);
  if (memory_ != nullptr) memory_->drive(memory_room);
  port_.settle();
  requests_->collect();
  if (memory_ != nullptr) memory_->collect();
  port_.rise();
  if (!is_idle()) idle_from_ = now + 1;
}

}  // namespace heddle
