#include "models/noc/crossbar.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle {

namespace {

constexpr std::size_t kAtPort = 1;  // packets that wait at a port, before one that finds it full
// There is no limit, because each slice limits the requests that it takes.
constexpr std::size_t kOutstanding = 1u << 20;

}  // namespace

Crossbar::Crossbar(sc_core::sc_module_name name, const NocSpec& spec, std::uint32_t sms, std::uint32_t slices,
                   Deps deps)
    : sc_core::sc_module(name),
      spec_(spec),
      icnt_(deps.icnt),
      sleeper_(deps.icnt.add(*this)),
      pages_(deps.pages),
      slice_of_(deps.slice_of),
      recent_(sms),
      requests_(spec, sms, std::move(deps.requests), spec.outstanding_of),
      replies_(spec, slices, std::move(deps.replies)),
      request_ports_(requests_, sms),
      reply_ports_(replies_, slices),
      blocked_slices_(slices),
      blocked_sms_(sms),
      asked_sms_(sms),
      asked_slices_(slices),
      answer_ports_(spec_, sms),
      merged_reads_(spec_.merge, sms),
      stats_(basename()) {
  for (std::uint32_t i = 0; i < sms; ++i) {
    sms_.push_back(
        std::make_unique<LinkTarget>(("sm" + std::to_string(i)).c_str(), icnt_, sleeper_, kAtPort));
    sms_[i]->signal_to(request_ports_.loaded(), i);
  }
  for (std::uint32_t i = 0; i < slices; ++i) {
    slices_.push_back(std::make_unique<LinkInitiator>(("slice" + std::to_string(i)).c_str(), icnt_, sleeper_,
                                                      kOutstanding, kAtPort));
    slices_[i]->signal_to(reply_ports_.loaded(), i);
  }
  Group& requests = stats_.child("requests");
  Group& replies = stats_.child("replies");
  merged_reads_.add_stats(requests);
  requests_.add_stats(requests);
  replies_.add_stats(replies);
  request_ports_.add_stats(requests);
  reply_ports_.add_stats(replies);
}

void Crossbar::reset() {
  for (const auto& port : sms_) port->reset();
  for (const auto& port : slices_) port->reset();
  std::fill(recent_.begin(), recent_.end(), PageTables::Recent{});
  answer_ports_.reset();
  merged_reads_.reset();
  requests_.reset();
  replies_.reset();
  for (InputPorts* ports : {&request_ports_, &reply_ports_}) ports->reset();
  for (PortSet* set : {&blocked_slices_, &blocked_sms_}) set->reset();
  stats_.reset();
}

void Crossbar::close(AccountId account) {
  for (Switch* direction : {&requests_, &replies_}) direction->close(account);
}

void Crossbar::tick(Cycle now) {
  next_wake_ = Cycle::never();
  blocked_slices_.remove(reply_ports_.loaded());
  blocked_sms_.remove(request_ports_.loaded());
  eject_requests(now);
  if (!merged_reads_.answered_sms().empty()) answer_merged(now);
  eject_replies(now);
  asked_sms_ = request_ports_.loaded();
  asked_slices_ = reply_ports_.loaded();
  inject_requests(now);
  inject_replies(now);
  wake_by(requests_.arbitrate(now));
  wake_by(replies_.arbitrate(now));
  wake_by(request_ports_.room_at(now));
  wake_by(reply_ports_.room_at(now));
  requests_.loaded().for_each_without(blocked_slices_, [&](std::uint32_t o) {
    slices_[o]->send_from(std::max(requests_.due(o), now + 1));
    asked_slices_.set(o);
  });
  replies_.loaded().for_each_without(blocked_sms_, [&](std::uint32_t o) {
    sms_[o]->send_from(std::max(replies_.due(o), now + 1));
    asked_sms_.set(o);
  });
  merged_reads_.answered_sms().for_each([&](std::uint32_t sm) {
    sms_[sm]->send_from(std::max(answer_ports_.free(SmId{sm}), now + 1));
    asked_sms_.set(sm);
  });
  if (next_wake_ > now + 1) ask_ports(now);
  if (next_wake_ != Cycle::never()) icnt_.wake_at(sleeper_, next_wake_);
}

// Finds when the ports need the next tick. A tick in the next cycle makes the call for this one needless.
void Crossbar::ask_ports(Cycle now) {
  asked_slices_.for_each([&](std::uint32_t i) { wake_by(slices_[i]->due(now)); });
  asked_sms_.for_each([&](std::uint32_t i) { wake_by(sms_[i]->due(now)); });
}

void Crossbar::eject_requests(Cycle now) {
  requests_.loaded().for_each_without(blocked_slices_, [&](std::uint32_t o) {
    if (requests_.due(o) > now) return;
    if (!slices_[o]->can_send(now)) {
      if (slices_[o]->request_free() == Cycle::never()) blocked_slices_.set(o);
      return;
    }
    auto& request = *static_cast<MemoryRequest*>(requests_.front(o).load);
    if (trace_ != nullptr) tell(TraceStage::kRequestOut, request, requests_.due(o), now);
    requests_.pop(o, now);
    slices_[o]->send(request, now);
  });
}

// Each port sends at most one reply a cycle, with the last of its packets.
void Crossbar::eject_replies(Cycle now) {
  replies_.loaded().for_each_without(blocked_sms_, [&](std::uint32_t o) {
    if (replies_.due(o) > now) return;
    if (const Cycle free = answer_ports_.free(SmId{o}); free > now) return wake_by(free);
    if (replies_.front(o).load == nullptr) return replies_.pop(o, now);
    if (const Cycle free = sms_[o]->answer_free(); free > now) {
      if (free == Cycle::never()) blocked_sms_.set(o);
      return;
    }
    auto& request = *static_cast<MemoryRequest*>(replies_.front(o).load);
    if (trace_ != nullptr) tell(TraceStage::kReplyOut, request, replies_.due(o), now);
    replies_.pop(o, now);
    if (merged_reads_.share(request)) wake_by(now + 1);
    answer(o, request, now);
  });
}

void Crossbar::answer(std::uint32_t sm, MemoryRequest& request, Cycle now) {
  answer_ports_.pass(request, now);
  sms_[sm]->send_from(Cycle::never());
  sms_[sm]->answer(request, now);
}

void Crossbar::answer_merged(Cycle now) {
  merged_reads_.answered_sms().for_each([&](std::uint32_t sm) {
    if (const Cycle free = std::max(answer_ports_.free(SmId{sm}), sms_[sm]->answer_free()); free > now) {
      if (free != Cycle::never()) wake_by(free);
      return;
    }
    MemoryRequest& request = merged_reads_.take_answered(sm);
    if (request.trace != 0) tell(TraceStage::kReplyOut, request, now, now);
    answer(sm, request, now);
    if (merged_reads_.answered_sms().test(sm)) wake_by(answer_ports_.free(SmId{sm}));
  });
}

void Crossbar::inject_requests(Cycle now) {
  request_ports_.loaded().for_each([&](std::uint32_t sm) {
    if (!request_ports_.may_push(sm, now)) return;
    while (sms_[sm]->has_request(now) && take_request(sm, now)) continue;
    if (sms_[sm]->waiting() == 0) request_ports_.loaded().clear(sm);
  });
}

void Crossbar::inject_replies(Cycle now) {
  reply_ports_.loaded().for_each([&](std::uint32_t slice) {
    if (!reply_ports_.may_push(slice, now)) return;
    while (slices_[slice]->has_answer(now) && take_reply(slice, now)) continue;
    if (slices_[slice]->waiting() == 0) reply_ports_.loaded().clear(slice);
  });
}

bool Crossbar::take_request(std::uint32_t sm, Cycle now) {
  LinkTarget& port = *sms_[sm];
  MemoryRequest& request = port.request();
  HEDDLE_CHECK(request.sm.value == sm, name(), now, "a request of SM {} at port {}", request.sm.value, sm);
  const bool carries = is_write(request.kind) || request.kind == RequestKind::kAtomic;
  const std::uint32_t flits = spec_.flits(carries ? request.bytes : 0);
  const Cycle arrived = port.request_due();
  if (!request_ports_.accepts(sm, flits, arrived, now)) return false;
  request.address = pages_.translate(request.context, request.address, recent_[sm]);
  if (!merged_reads_.waits(request)) {
    const std::uint32_t slice = slice_of_(request.address);
    Switch::Message message{&request, arrived, request.issued, slice, request.account, flits};
    message.context = request.context;
    requests_.push(sm, message, now);
    if (request.trace != 0) tell(TraceStage::kRequestIn, request, arrived, now);
  }
  port.take_request();
  return true;
}

bool Crossbar::take_reply(std::uint32_t slice, Cycle now) {
  LinkInitiator& port = *slices_[slice];
  MemoryRequest& request = port.answer();
  const Cycle arrived = port.answer_due();
  const bool read = !is_write(request.kind);
  Switch::Message message{&request, arrived, request.issued, request.sm.value, request.account};
  message.context = request.context;
  message.before = (request.bytes - 1) / spec_.reply_bytes;
  message.flits = spec_.reply_flits(read ? spec_.reply_bytes : 0);
  message.last_flits = spec_.reply_flits(read ? request.bytes - message.before * spec_.reply_bytes : 0);
  if (!reply_ports_.accepts(slice, message.all_flits(), arrived, now)) return false;
  replies_.push(slice, message, now);
  requests_.answered(slice, request.context, now);
  if (request.trace != 0) tell(TraceStage::kReplyIn, request, arrived, now);
  port.pop_answer();
  return true;
}

void Crossbar::tell(TraceStage stage, const MemoryRequest& request, Cycle since, Cycle now) {
  if (trace_ == nullptr || request.trace == 0) return;
  TraceEvent event;
  event.stage = stage;
  event.at = now;
  event.since = since;
  event.request = request.trace;
  event.address = request.address;
  event.bytes = request.bytes;
  if (stage == TraceStage::kRequestIn)
    event.detail = fmt::format("to l2_{}", slice_of_(event.address));
  else if (stage == TraceStage::kReplyIn)
    event.detail = fmt::format("to sm{}", request.sm.value);
  trace_->add(std::move(event));
}

bool Crossbar::idle() const {
  return merged_reads_.idle() && requests_.held() == 0 && replies_.held() == 0 &&
         request_ports_.loaded().empty() && reply_ports_.loaded().empty();
}

std::string Crossbar::waiting_for() const {
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : "; ") + item; };
  requests_.loaded().for_each([&](std::uint32_t o) {
    add(fmt::format("{} requests for slice {}{}", requests_.passed(o), o,
                    slices_[o]->request_free() == Cycle::never() ? ", which has no room" : ""));
  });
  replies_.loaded().for_each([&](std::uint32_t o) {
    add(fmt::format("{} replies for SM {}{}", replies_.passed(o), o,
                    sms_[o]->answer_free() == Cycle::never() ? ", which has no room" : ""));
  });
  for (std::uint32_t i = 0; i < sms_.size(); ++i)
    if (const std::uint64_t packets = requests_.waiting(i) + sms_[i]->waiting(); packets > 0)
      add(fmt::format("{} requests of SM {} at the request switch", packets, i));
  merged_reads_.for_each_waiting([&](SmId sm, std::uint32_t reads) {
    add(fmt::format("{} reads of SM {} and its neighbours that wait for one answer", reads, sm.value));
  });
  for (std::uint32_t i = 0; i < slices_.size(); ++i)
    if (const std::uint64_t packets = replies_.waiting(i) + slices_[i]->waiting(); packets > 0)
      add(fmt::format("{} replies of slice {} at the reply switch", packets, i));
  return text;
}

}  // namespace heddle
