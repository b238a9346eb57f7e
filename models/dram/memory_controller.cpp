#include "models/dram/memory_controller.h"

#include <algorithm>
#include <string>

#include "models/core/link/payload_pool.h"

namespace heddle {

MemoryController::MemoryController(sc_core::sc_module_name name, const DramSpec& spec, std::uint32_t channel,
                                   std::uint32_t ports, const DramChannel::MakePolicies& make_policies,
                                   ClockDomain& clock)
    : sc_core::sc_module(name),
      spec_(spec),
      map_(spec.map),
      channel_(channel),
      sleeper_(clock.add(*this)),
      dram_(basename(), spec, make_policies),
      requesting_(ports),
      calling_(ports),
      arriving_(spec.latency + std::size_t{1}),
      reads_(spec.return_queue),
      read_responses_(spec.return_queue + std::size_t{1}),  // one more that leaves in the same cycle
      write_responses_(spec.return_queue) {
  for (std::uint32_t i = 0; i < ports; ++i) {
    ports_.push_back(
        std::make_unique<MemoryTarget>(("port" + std::to_string(i)).c_str(), clock, sleeper_, kPortRequests));
    ports_[i]->signal_to(requesting_, i);
    ports_[i]->divide();
  }
  free_all_tokens();
}

void MemoryController::reset() {
  dram_.reset();
  if (traced_ != nullptr) traced_->reset();
  for (const auto& port : ports_) port->reset();
  requesting_.reset();
  calling_.reset();
  next_port_ = 0;
  for (Ring<Transit>* transits : {&arriving_, &read_responses_, &write_responses_}) transits->clear();
  free_all_tokens();
}

void MemoryController::free_all_tokens() {
  tokens_.clear();
  for (std::uint32_t token = spec_.return_queue; token > 0; --token) tokens_.push_back(token - 1);
}

Cycle MemoryController::work(Cycle now) {
  if (!requesting_.empty()) take_request(now);
  if (!arriving_.empty() && arriving_.front().due <= now) accept(now);
  const auto done = dram_.tick(now);
  if (traced_ != nullptr && done) tell_served(*done, now);
  if (done && !done->write) {
    const auto token = static_cast<std::uint32_t>(done->token);
    read_responses_.push({reads_[token].payload, reads_[token].port, done->last_beat, 0});
    tokens_.push_back(token);
  }
  const bool finishes =
      !calling_.empty() || responds(read_responses_, now) || responds(write_responses_, now);
  return finishes ? kFinishes : next_wake(now);
}

Cycle MemoryController::finish(Cycle now) {
  respond(read_responses_, now);
  respond(write_responses_, now);
  calling_.for_each([this](std::uint32_t i) { ports_[i]->settle(); });
  calling_.reset();
  return next_wake(now);
}

void MemoryController::respond(Ring<Transit>& responses, Cycle now) {
  while (responds(responses, now)) {
    const Transit transit = responses.front();
    responses.pop();
    transit.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    if (traced_ != nullptr) tell(TraceStage::kDramReply, *transit.payload, transit.due, now);
    ports_[transit.port]->respond(*transit.payload, now);
    ports_[transit.port]->settle();  // a port that has given its response may give another one
  }
}

void MemoryController::take_request(Cycle now) {
  if (arriving_.full()) return;
  const auto count = static_cast<std::uint32_t>(ports_.size());
  for (std::uint32_t i = 0, port = next_port_; i < count; ++i, port = port + 1 < count ? port + 1 : 0) {
    if (!ports_[port]->has_request(now)) continue;
    const Cycle since = ports_[port]->request_due();
    Payload& payload = ports_[port]->take_request();
    arriving_.push({&payload, port, now + spec_.latency, local_of(payload, now)});
    if (traced_ != nullptr) tell(TraceStage::kDramArrive, payload, since, now);
    if (ports_[port]->waiting() == 0) requesting_.clear(port);
    if (ports_[port]->has_calls()) calling_.set(port);
    next_port_ = port + 1 < count ? port + 1 : 0;
    return;
  }
}

// A read is accepted only if a slot for its response is free. The slot of a response that leaves in this
// cycle is free.
bool MemoryController::can_accept(Cycle now) const {
  if (dram_.full(arriving_.front().local)) return false;
  if (arriving_.front().payload->is_write()) return !write_responses_.full();
  const std::size_t waiting = read_responses_.size() - (responds(read_responses_, now) ? 1 : 0);
  return tokens_.size() > waiting;
}

void MemoryController::accept(Cycle now) {
  if (!can_accept(now)) return;
  const Transit transit = arriving_.front();
  arriving_.pop();
  const RequestInfo* info = transit.payload->get_extension<RequestInfo>();
  DramRequest request{transit.local, transit.payload->is_write(), 0, false};
  if (info != nullptr) {
    request.is_swap = is_swap(info->kind);
    request.account = info->account;
  }
  if (request.write) {
    write_responses_.push({transit.payload, transit.port, now, 0});
    if (traced_ != nullptr) request.token = trace_of(*transit.payload);
  } else {
    request.token = tokens_.back();
    tokens_.pop_back();
    reads_[request.token] = transit;
  }
  dram_.accept(request, now);
  if (traced_ != nullptr && info != nullptr && info->trace != 0)
    traced_->queued(info->trace, request, transit.due, now);
}

void MemoryController::trace(TraceSink& sink) {
  traced_ = std::make_unique<TracedRequests>(sink, dram_.map());
  dram_.observe(*traced_);
}

std::uint32_t MemoryController::trace_of(const Payload& payload) {
  const RequestInfo* info = payload.get_extension<RequestInfo>();
  return info == nullptr ? 0 : info->trace;
}

void MemoryController::tell(TraceStage stage, const Payload& payload, Cycle since, Cycle now) {
  if (const std::uint32_t request = trace_of(payload)) traced_->tell(stage, request, since, now);
}

// The token of a write is the number of its request, because nobody else needs one.
void MemoryController::tell_served(const DramCompletion& done, Cycle now) {
  const std::uint32_t request = done.write ? static_cast<std::uint32_t>(done.token)
                                           : trace_of(*reads_[static_cast<std::size_t>(done.token)].payload);
  if (request != 0) traced_->served(request, done.write, done.last_beat, now);
}

Address MemoryController::local_of(const Payload& payload, Cycle now) const {
  const Address address = payload.get_address();
  const std::uint64_t burst = spec_.map.burst_bytes;  // a power of two
  HEDDLE_CHECK(payload.get_data_length() != 0 && (address & (burst - 1)) + payload.get_data_length() <= burst,
               name(), now, "{} B at {:#x} do not lie in one burst of {} B", payload.get_data_length(),
               address, burst);
  const ChannelPlace place = map_.place(address);
  HEDDLE_CHECK(place.channel == channel_, name(), now, "address {:#x} lies in channel {}, not {}", address,
               place.channel, channel_);
  return place.local;
}

Cycle MemoryController::next_wake(Cycle now) const {
  Cycle next = dram_.next_wake();
  if (next <= now + 1) return now + 1;
  // A port wakes the module when it can take a response again. A full queue has room only after a tick of the
  // controller.
  const auto respond_at = [&](const Ring<Transit>& responses) {
    if (can_respond(responses, now)) next = std::min(next, responses.front().due);
  };
  respond_at(read_responses_);
  respond_at(write_responses_);
  if (!arriving_.empty() && arriving_.front().due < next && (arriving_.front().due > now || can_accept(now)))
    next = arriving_.front().due;
  if (!requesting_.empty() && !arriving_.full())
    requesting_.for_each([&](std::uint32_t i) {
      next = std::min(next, ports_[i]->has_request(now) ? now + 1 : ports_[i]->due(now));
    });
  return std::max(next, now + 1);
}

bool MemoryController::idle() const {
  return dram_.idle() && arriving_.empty() && read_responses_.empty() && write_responses_.empty() &&
         std::all_of(ports_.begin(), ports_.end(),
                     [](const auto& port) { return port->request_due() == Cycle::never(); });
}

void MemoryController::attach_stats(Group& parent) {
  for (std::uint32_t i = 0; i < dram_.parts(); ++i) parent.attach(dram_.part(i).stats().group());
}

}  // namespace heddle
