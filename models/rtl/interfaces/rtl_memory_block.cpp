#include "models/rtl/interfaces/rtl_memory_block.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

constexpr std::uint32_t kEnables = 64;  // space for the byte enables of a burst, after its data

std::uint32_t sectors_of(const tlm::tlm_generic_payload& payload) {
  return (payload.get_data_length() + kSectorBytes - 1) / kSectorBytes;
}

}  // namespace

RtlRequest rtl_request_of(const tlm::tlm_generic_payload& payload, const RtlInterfaceSpec& spec,
                          const MemoryPlace& place) {
  RtlRequest request;
  request.address = spec.local_addresses ? place.local(payload.get_address()) : payload.get_address();
  request.bytes = payload.get_data_length();
  request.write = payload.is_write();
  if (const auto* info = payload.get_extension<RequestInfo>(); info != nullptr && !request.write) {
    request.atomic = info->kind == RequestKind::kAtomic;
    request.lanes = info->lanes;
  }
  const unsigned char* enables = payload.get_byte_enable_ptr();
  for (std::uint32_t byte = 0; request.write && byte < request.bytes; ++byte)
    if (enables == nullptr || enables[byte % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED)
      request.enables[byte / 64] |= std::uint64_t{1} << (byte % 64);
  return request;
}

RtlMemoryBlock::RtlMemoryBlock(sc_core::sc_module_name name, RtlBlock& block, const MemoryPlace& place)
    : sc_core::sc_module(name),
      place_(place),
      sleeper_(place.clock.add(*this)),
      is_slice_(block.role().domain == std::string("l2")),
      latency_(block.latency()),
      rtl_(block, basename(), place.burst_bytes,
           [this](const std::string& output, const std::string& expected, const std::string& got) {
             fault(output, expected, got);
           }),
      pool_(kPayloads, std::size_t{place.burst_bytes} + kEnables),
      requesting_(place.ports),
      pending_(rtl_.requests().most()),
      deadlines_(pending_.size()),
      counts_(basename(), is_slice_) {
  const std::uint64_t before = rtl_.spec().before;
  for (std::uint32_t i = 0; i < place.ports; ++i) {
    ports_.push_back(
        std::make_unique<MemoryTarget>(is_slice_ ? "crossbar" : ("port" + std::to_string(i)).c_str(),
                                       place.clock, sleeper_, before + place.queue, before));
    ports_[i]->signal_to(requesting_, i);
    ports_[i]->set_latency(place.latency);
  }
  if (is_slice_) {
    dram_ = std::make_unique<MemoryInitiator>("dram", place.clock, sleeper_, kPayloads);
    dram_->set_latency(place.dram_latency);
  }
  reset();
}

void RtlMemoryBlock::reset() {
  rtl_.reset();
  pool_.reset();
  for (const auto& port : ports_) port->reset();
  if (dram_) dram_->reset();
  requesting_.reset();
  next_port_ = 0;
  free_.clear();
  for (auto i = static_cast<std::uint32_t>(pending_.size()); i-- > 0;) free_.push_back(i);
  deadlines_.reset();
  offered_.reset();
  last_.reset();
  last_info_ = RequestInfo();
  counts_.reset();
  in_flight_.reset();
}

void RtlMemoryBlock::fault(const std::string& output, const std::string& expected, const std::string& got) {
  rtl_.port().fail(fmt::format("{} cycle {}: {} is {}; it should be {}", place_.clock.basename(),
                               place_.clock.now().value, output, got, expected));
}

void RtlMemoryBlock::tick(Cycle now) {
  collect_responses(now);
  answer(now);
  give(now);
  if (rtl_.is_awake(now) || offered_) {
    const bool room = rtl_.requests().answers().empty() && (ports_.size() > 1 || ports_[0]->can_respond(now));
    rtl_.tick(now, room, dram_ != nullptr && !pool_.empty() && dram_->can_send(now));
    take_offered();
    answer(now);
    send(now);
    if (const auto late = deadlines_.late(now))
      fault(fmt::format("the answer to the request of 'h{:x}", pending_[*late].payload->get_address()),
            fmt::format("there within {} cycles", latency_), "not there");
  }
  wake(now);
}

void RtlMemoryBlock::collect_responses(Cycle now) {
  while (dram_ != nullptr && dram_->has_response(now)) {
    Payload& payload = dram_->response();
    const RequestInfo& info = *payload.get_extension<RequestInfo>();
    HEDDLE_CHECK(payload.is_response_ok(), name(), now, "DRAM answered {} at {:#x}",
                 payload.get_response_string(), payload.get_address());
    --in_flight_[info.account];
    rtl_.memory()->answered(static_cast<std::uint32_t>(info.number));
    dram_->pop_response();
    payload.release();
  }
}

// Offers the request of the next port that has one.
void RtlMemoryBlock::give(Cycle now) {
  if (requesting_.empty() || free_.empty() || !rtl_.requests().can_give()) return;
  const auto count = static_cast<std::uint32_t>(ports_.size());
  for (std::uint32_t i = 0, port = next_port_; i < count; ++i, port = port + 1 < count ? port + 1 : 0) {
    if (!ports_[port]->has_request(now)) continue;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    Payload& payload = ports_[port]->request();
    pending_[number] = {&payload, port, false};
    RtlRequest request = rtl_request_of(payload, rtl_.spec(), place_);
    request.number = number;
    rtl_.requests().give(request);
    deadlines_.add(number, now + latency_);
    offered_ = number;
    next_port_ = port + 1 < count ? port + 1 : 0;
    return;
  }
}

// The RTL has taken all of the offered request.
void RtlMemoryBlock::take_offered() {
  if (!offered_ || rtl_.requests().offering()) return;
  last_ = offered_;
  offered_.reset();
  const Pending& pending = pending_[*last_];
  if (const auto* info = pending.payload->get_extension<RequestInfo>()) last_info_ = *info;
  ++in_flight_[last_info_.account];
  ports_[pending.port]->take_request();
  if (ports_[pending.port]->waiting() == 0) requesting_.clear(pending.port);
}

void RtlMemoryBlock::answer(Cycle now) {
  Ring<RtlAnswer>& answers = rtl_.requests().answers();
  while (!answers.empty()) {
    const RtlAnswer& answer = answers.front();
    const auto number = static_cast<std::uint32_t>(answer.number);
    const Pending& pending = pending_[number];
    if (ports_[pending.port]->respond_free() > now) return;
    if (answer.failed)
      fault(fmt::format("the answer to the request of 'h{:x}", pending.payload->get_address()), "no error",
            "an error");
    ++rtl_.block().choices;
    count(pending, answer);
    pending.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    ports_[pending.port]->respond(*pending.payload, now);
    deadlines_.remove(number);
    if (last_ == number) last_.reset();
    free_.push_back(number);
    answers.pop();
  }
}

void RtlMemoryBlock::count(const Pending& pending, const RtlAnswer& answer) {
  RequestInfo* info = pending.payload->get_extension<RequestInfo>();
  const AccountId account = info == nullptr ? AccountId::none() : info->account;
  --in_flight_[account];
  RtlMemoryCounts::Request request;
  request.account = account;
  request.sectors = sectors_of(*pending.payload);
  request.write = pending.payload->is_write();
  request.atomic = info != nullptr && info->kind == RequestKind::kAtomic;
  request.missed = answer.hit ? !*answer.hit : pending.missed;
  counts_.count(request);
  if (is_slice_ && info != nullptr) info->missed_line = request.missed;
}

// Sends the next burst to DRAM.
void RtlMemoryBlock::send(Cycle now) {
  if (dram_ == nullptr || rtl_.memory()->bursts().empty() || pool_.empty() || !dram_->can_send(now)) return;
  const RtlMemoryBurst burst = rtl_.memory()->bursts().front();
  rtl_.memory()->bursts().pop();
  const Address physical = rtl_.spec().local_addresses ? place_.physical(burst.address) : burst.address;
  if (!place_.owns(physical))
    fault("the address of a request to memory", "one of this slice", fmt::format("'h{:x}", burst.address));
  Payload& payload =
      pool_.take(burst.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, physical, burst.bytes);
  RequestInfo& info = *payload.get_extension<RequestInfo>();
  info = last_info_;
  // A launch that waits for nothing more may be over.
  if (in_flight_.at(info.account) == 0) info.account = AccountId::none();
  ++in_flight_[info.account];
  const bool is_swap_access = is_swap(info.kind);
  if (burst.write)
    info.kind = is_swap_access ? RequestKind::kSwapStore : RequestKind::kWriteBack;
  else
    info.kind = is_swap_access ? RequestKind::kSwapLoad : RequestKind::kFill;
  info.number = burst.request;
  info.issued = now;
  if (burst.write) {
    counts_.count_write_back(info.account);
    if (burst.enables != ~std::uint64_t{0} >> (64 - burst.bytes)) {
      unsigned char* enables = payload.get_data_ptr() + place_.burst_bytes;
      for (std::uint32_t byte = 0; byte < burst.bytes; ++byte)
        enables[byte] = (burst.enables >> byte & 1) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
      payload.set_byte_enable_ptr(enables);
      payload.set_byte_enable_length(burst.bytes);
    }
  } else if (last_) {
    pending_[*last_].missed = true;
  }
  dram_->send(payload, now);
}

void RtlMemoryBlock::wake(Cycle now) {
  Cycle next = Cycle::never();
  const auto at = [&](Cycle cycle) { next = std::min(next, std::max(cycle, now + 1)); };
  if (rtl_.is_awake(now + 1) || offered_ || !rtl_.requests().answers().empty()) at(now + 1);
  requesting_.for_each([&](std::uint32_t i) {
    if (ports_[i]->has_request(now)) at(now + 1);
  });
  for (const auto& port : ports_) next = std::min(next, port->due(now));
  if (dram_ != nullptr) next = std::min(next, dram_->due(now));
  if (next != Cycle::never()) place_.clock.wake_at(sleeper_, next);
}

bool RtlMemoryBlock::idle() const {
  return free_.size() == pending_.size() && pool_.in_use() == 0 &&
         std::all_of(ports_.begin(), ports_.end(), [](const auto& port) {
           return port->waiting() == 0 && port->respond_free() != Cycle::never();
         });
}

std::string RtlMemoryBlock::waiting_for() const {
  return fmt::format("{} requests in the RTL{}; {} bursts in DRAM", pending_.size() - free_.size(),
                     offered_ ? ", one of which it does not take" : "", pool_.in_use());
}

}  // namespace heddle
