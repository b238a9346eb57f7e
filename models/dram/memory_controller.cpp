#include "models/dram/memory_controller.h"

#include <algorithm>
#include <string>

namespace heddle {

MemoryController::MemoryController(sc_core::sc_module_name name, const DramSpec& spec, std::uint32_t channel,
                                   std::uint32_t ports, const DramChannel::MakePolicies& make_policies,
                                   ClockDomain& clock)
    : sc_core::sc_module(name),
      spec_(spec),
      map_(spec.map),
      channel_(channel),
      clock_(clock),
      sleeper_(clock.add(*this)),
      dram_(basename(), spec, make_policies),
      requesting_(ports),
      calling_(ports),
      arriving_(spec.latency + std::size_t{1}),
      reads_(spec.return_queue),
      read_answers_(spec.return_queue + std::size_t{1}),  // one more that leaves in the same cycle
      write_answers_(spec.return_queue) {
  for (std::uint32_t i = 0; i < ports; ++i) {
    ports_.push_back(
        std::make_unique<LinkTarget>(("port" + std::to_string(i)).c_str(), clock, sleeper_, kPortRequests));
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
  for (Ring<Transit>* transits : {&arriving_, &read_answers_, &write_answers_}) transits->clear();
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
    read_answers_.push({reads_[token].request, reads_[token].port, done->last_beat, 0});
    tokens_.push_back(token);
  }
  if (clock_.is_shared()) {
    const bool finishes = !calling_.empty() || answers(read_answers_, now) || answers(write_answers_, now);
    return finishes ? kFinishes : next_wake(now);
  }
  answer(now);
  return next_wake(now);
}

// With several threads the calls of other blocks wait until here.
Cycle MemoryController::finish(Cycle now) {
  answer(now);
  calling_.for_each([this](std::uint32_t i) { ports_[i]->settle(); });
  calling_.reset();
  return next_wake(now);
}

void MemoryController::answer(Ring<Transit>& answers, Cycle now) {
  while (this->answers(answers, now)) {
    const Transit transit = answers.front();
    answers.pop();
    if (traced_ != nullptr) tell(TraceStage::kDramReply, *transit.request, transit.due, now);
    ports_[transit.port]->answer(*transit.request, now);
    ports_[transit.port]->settle();  // a port that has given its answer may give another one
  }
}

void MemoryController::take_request(Cycle now) {
  if (arriving_.full()) return;
  const auto count = static_cast<std::uint32_t>(ports_.size());
  for (std::uint32_t i = 0, port = next_port_; i < count; ++i, port = port + 1 < count ? port + 1 : 0) {
    if (!ports_[port]->has_request(now)) continue;
    const Cycle since = ports_[port]->request_due();
    MemoryRequest& request = ports_[port]->take_request();
    arriving_.push({&request, port, now + spec_.latency, local_of(request, now)});
    if (traced_ != nullptr) tell(TraceStage::kDramArrive, request, since, now);
    if (ports_[port]->waiting() == 0) requesting_.clear(port);
    if (ports_[port]->has_calls()) calling_.set(port);
    next_port_ = port + 1 < count ? port + 1 : 0;
    return;
  }
}

// A read is accepted only if a slot for its answer is free. The slot of an answer that leaves in this
// cycle is free.
bool MemoryController::can_accept(Cycle now) const {
  if (dram_.full(arriving_.front().local)) return false;
  if (is_write(arriving_.front().request->kind)) return !write_answers_.full();
  const std::size_t waiting = read_answers_.size() - (answers(read_answers_, now) ? 1 : 0);
  return tokens_.size() > waiting;
}

void MemoryController::accept(Cycle now) {
  if (!can_accept(now)) return;
  const Transit transit = arriving_.front();
  arriving_.pop();
  const MemoryRequest& from = *transit.request;
  DramRequest request{transit.local, is_write(from.kind), 0, is_swap(from.kind)};
  request.account = from.account;
  request.context = from.context;
  if (request.write) {
    write_answers_.push({transit.request, transit.port, now, 0});
    if (traced_ != nullptr) request.token = from.trace;
  } else {
    request.token = tokens_.back();
    tokens_.pop_back();
    reads_[request.token] = transit;
  }
  dram_.accept(request, now);
  if (traced_ != nullptr && from.trace != 0) traced_->queued(from.trace, request, transit.due, now);
}

void MemoryController::trace(TraceSink& sink) {
  traced_ = std::make_unique<TracedRequests>(sink, dram_.map());
  dram_.observe(*traced_);
}

void MemoryController::tell(TraceStage stage, const MemoryRequest& request, Cycle since, Cycle now) {
  if (request.trace != 0) traced_->tell(stage, request.trace, since, now);
}

// The token of a write is the number of its request, because nobody else needs one.
void MemoryController::tell_served(const DramCompletion& done, Cycle now) {
  const std::uint32_t request = done.write ? static_cast<std::uint32_t>(done.token)
                                           : reads_[static_cast<std::size_t>(done.token)].request->trace;
  if (request != 0) traced_->served(request, done.write, done.last_beat, now);
}

Address MemoryController::local_of(const MemoryRequest& request, Cycle now) const {
  const Address address = request.address;
  const std::uint64_t burst = spec_.map.burst_bytes;  // a power of two
  HEDDLE_CHECK(request.bytes != 0 && (address & (burst - 1)) + request.bytes <= burst, name(), now,
               "{} B at {:#x} do not lie in one burst of {} B", request.bytes, address, burst);
  const ChannelPlace place = map_.place(address);
  HEDDLE_CHECK(place.channel == channel_, name(), now, "address {:#x} lies in channel {}, not {}", address,
               place.channel, channel_);
  return place.local;
}

Cycle MemoryController::next_wake(Cycle now) const {
  Cycle next = dram_.next_wake();
  if (next <= now + 1) return now + 1;
  // A port wakes the module when it can take an answer again. A full queue has room only after a tick of the
  // controller.
  const auto answer_at = [&](const Ring<Transit>& answers) {
    if (can_answer(answers, now)) next = std::min(next, answers.front().due);
  };
  answer_at(read_answers_);
  answer_at(write_answers_);
  if (!arriving_.empty() && arriving_.front().due < next && (arriving_.front().due > now || can_accept(now)))
    next = arriving_.front().due;
  if (!requesting_.empty() && !arriving_.full())
    requesting_.for_each([&](std::uint32_t i) {
      next = std::min(next, ports_[i]->has_request(now) ? now + 1 : ports_[i]->due(now));
    });
  return std::max(next, now + 1);
}

bool MemoryController::idle() const {
  return dram_.idle() && arriving_.empty() && read_answers_.empty() && write_answers_.empty() &&
         std::all_of(ports_.begin(), ports_.end(),
                     [](const auto& port) { return port->request_due() == Cycle::never(); });
}

void MemoryController::attach_stats(Group& parent) {
  for (std::uint32_t i = 0; i < dram_.parts(); ++i) parent.attach(dram_.part(i).stats().group());
}

}  // namespace heddle
