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
      requests_(spec, sms, std::move(deps.requests)),
      replies_(spec, slices, std::move(deps.replies)),
      requesting_sms_(sms),
      replying_slices_(slices),
      refused_sms_(sms),
      refused_slices_(slices),
      blocked_slices_(slices),
      blocked_sms_(sms),
      asked_sms_(sms),
      asked_slices_(slices),
      refused_flits_(sms),
      refused_reply_flits_(slices),
      answer_ports_(spec_, sms),
      shared_(sms),
      sharing_(sms),
      stats_(basename()) {
  for (std::uint32_t i = 0; i < sms; ++i) {
    sms_.push_back(
        std::make_unique<LinkTarget>(("sm" + std::to_string(i)).c_str(), icnt_, sleeper_, kAtPort));
    sms_[i]->signal_to(requesting_sms_, i);
  }
  for (std::uint32_t i = 0; i < slices; ++i) {
    slices_.push_back(std::make_unique<LinkInitiator>(("slice" + std::to_string(i)).c_str(), icnt_, sleeper_,
                                                      kOutstanding, kAtPort));
    slices_[i]->signal_to(replying_slices_, i);
  }
  if (spec.merge.of != MergeSpec::Of::kNone) {
    for (std::uint32_t i = 0; i < sms; ++i)
      while (mergers_.size() <= spec.merge.group_of(SmId{i})) mergers_.emplace_back(spec.merge);
  }
  Group& requests = stats_.child("requests");
  Group& replies = stats_.child("replies");
  if (!mergers_.empty())
    requests.add(merged_reads_, "merged_reads", "request", "reads answered with that of a neighbouring SM");
  requests_.add_stats(requests);
  replies_.add_stats(replies);
  const char* what = "sum over packets of the time at a port whose input buffer had no room";
  requests.add(request_refused_cycles_, "refused_cycles", "cycle", what);
  replies.add(reply_refused_cycles_, "refused_cycles", "cycle", what);
}

void Crossbar::reset() {
  for (const auto& port : sms_) port->reset();
  for (const auto& port : slices_) port->reset();
  std::fill(recent_.begin(), recent_.end(), PageTables::Recent{});
  for (ReadMerger& merger : mergers_) merger.reset();
  for (auto& answers : shared_) answers.clear();
  answer_ports_.reset();
  requests_.reset();
  replies_.reset();
  for (PortSet* set : {&requesting_sms_, &replying_slices_, &refused_sms_, &refused_slices_, &blocked_slices_,
                       &blocked_sms_, &sharing_})
    set->reset();
  stats_.reset();
}

void Crossbar::close(AccountId account) {
  for (Switch* direction : {&requests_, &replies_}) direction->close(account);
}

void Crossbar::tick(Cycle now) {
  next_wake_ = Cycle::never();
  blocked_slices_.remove(replying_slices_);
  blocked_sms_.remove(requesting_sms_);
  eject_requests(now);
  if (!sharing_.empty()) answer_waiting(now);
  eject_replies(now);
  asked_sms_ = requesting_sms_;
  asked_slices_ = replying_slices_;
  inject_requests(now);
  inject_replies(now);
  wake_by(requests_.arbitrate(now));
  wake_by(replies_.arbitrate(now));
  wake_for_room(requests_, refused_sms_, now);
  wake_for_room(replies_, refused_slices_, now);
  requests_.loaded().for_each_without(blocked_slices_, [&](std::uint32_t o) {
    slices_[o]->send_from(std::max(requests_.due(o), now + 1));
    asked_slices_.set(o);
  });
  replies_.loaded().for_each_without(blocked_sms_, [&](std::uint32_t o) {
    sms_[o]->send_from(std::max(replies_.due(o), now + 1));
    asked_sms_.set(o);
  });
  sharing_.for_each([&](std::uint32_t sm) {
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
    if (request.merger_entry != 0) share_answer(request, now);
    answer(o, request, now);
  });
}

void Crossbar::answer(std::uint32_t sm, MemoryRequest& request, Cycle now) {
  answer_ports_.pass(request, now);
  sms_[sm]->send_from(Cycle::never());
  sms_[sm]->answer(request, now);
}

void Crossbar::share_answer(const MemoryRequest& answer, Cycle now) {
  for (MemoryRequest* waiting : mergers_[spec_.merge.group_of(answer.sm)].answered(answer)) {
    const std::uint32_t sm = waiting->sm.value;
    waiting->missed_line = answer.missed_line;
    shared_[sm].push_back(waiting);
    sharing_.set(sm);
    wake_by(now + 1);
  }
}

void Crossbar::answer_waiting(Cycle now) {
  sharing_.for_each([&](std::uint32_t sm) {
    if (const Cycle free = std::max(answer_ports_.free(SmId{sm}), sms_[sm]->answer_free()); free > now) {
      if (free != Cycle::never()) wake_by(free);
      return;
    }
    MemoryRequest& request = *shared_[sm].front();
    shared_[sm].pop_front();
    if (shared_[sm].empty()) sharing_.clear(sm);
    if (request.trace != 0) tell(TraceStage::kReplyOut, request, now, now);
    answer(sm, request, now);
    if (sharing_.test(sm)) wake_by(answer_ports_.free(SmId{sm}));
  });
}

void Crossbar::inject_requests(Cycle now) {
  requesting_sms_.for_each([&](std::uint32_t i) { take_requests(i, now); });
}

void Crossbar::take_requests(std::uint32_t sm, Cycle now) {
  LinkTarget& port = *sms_[sm];
  if (refused_sms_.test(sm) && !requests_.fits(sm, refused_flits_[sm], now)) return;
  refused_sms_.clear(sm);
  while (port.has_request(now)) {
    if (take_request(sm, now)) continue;
    refused_sms_.set(sm);
    break;
  }
  if (port.waiting() == 0) requesting_sms_.clear(sm);
}

bool Crossbar::take_request(std::uint32_t sm, Cycle now) {
  LinkTarget& port = *sms_[sm];
  MemoryRequest& request = port.request();
  HEDDLE_CHECK(request.sm.value == sm, name(), now, "a request of SM {} at port {}", request.sm.value, sm);
  const bool carries = is_write(request.kind) || request.kind == RequestKind::kAtomic;
  const std::uint32_t flits = spec_.flits(carries ? request.bytes : 0);
  if (!requests_.fits(sm, flits, now)) {
    refused_flits_[sm] = flits;
    return false;
  }
  const Cycle arrived = port.request_due();
  request_refused_cycles_ += now - arrived;
  request.address = pages_.translate(request.context, request.address, recent_[sm]);
  if (!mergers_.empty() && mergers_[spec_.merge.group_of(request.sm)].waits(request)) {
    ++merged_reads_;
    port.take_request();
    return true;
  }
  requests_.push(sm, {&request, arrived, request.issued, slice_of_(request.address), request.account, flits},
                 now);
  if (request.trace != 0) tell(TraceStage::kRequestIn, request, arrived, now);
  port.take_request();
  return true;
}

void Crossbar::inject_replies(Cycle now) {
  replying_slices_.for_each([&](std::uint32_t i) { take_replies(i, now); });
}

void Crossbar::take_replies(std::uint32_t slice, Cycle now) {
  LinkInitiator& port = *slices_[slice];
  if (refused_slices_.test(slice) && !replies_.fits(slice, refused_reply_flits_[slice], now)) return;
  refused_slices_.clear(slice);
  while (port.has_answer(now)) {
    if (take_reply(slice, now)) continue;
    refused_slices_.set(slice);
    break;
  }
  if (port.waiting() == 0) replying_slices_.clear(slice);
}

bool Crossbar::take_reply(std::uint32_t slice, Cycle now) {
  LinkInitiator& port = *slices_[slice];
  MemoryRequest& request = port.answer();
  const Cycle arrived = port.answer_due();
  const bool read = !is_write(request.kind);
  Switch::Message message{&request, arrived, request.issued, request.sm.value, request.account};
  message.before = (request.bytes - 1) / spec_.reply_bytes;
  message.flits = spec_.reply_flits(read ? spec_.reply_bytes : 0);
  message.last_flits = spec_.reply_flits(read ? request.bytes - message.before * spec_.reply_bytes : 0);
  if (!replies_.fits(slice, message.all_flits(), now)) {
    refused_reply_flits_[slice] = message.all_flits();
    return false;
  }
  reply_refused_cycles_ += now - arrived;
  replies_.push(slice, message, now);
  if (request.trace != 0) tell(TraceStage::kReplyIn, request, arrived, now);
  port.pop_answer();
  return true;
}

void Crossbar::wake_for_room(const Switch& direction, const PortSet& refused, Cycle now) {
  refused.for_each([&](std::uint32_t i) { wake_by(direction.room_at(i, now)); });
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
  const auto is_waited = [](const ReadMerger& merger) { return merger.waiting() != 0; };
  if (!sharing_.empty() || std::any_of(mergers_.begin(), mergers_.end(), is_waited)) return false;
  return requests_.held() == 0 && replies_.held() == 0 && requesting_sms_.empty() && replying_slices_.empty();
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
  for (std::uint32_t i = 0; i < mergers_.size(); ++i)
    if (mergers_[i].waiting() > 0)
      add(fmt::format("{} reads of group {} of SMs that wait for a neighbour's answer", mergers_[i].waiting(),
                      i));
  for (std::uint32_t i = 0; i < slices_.size(); ++i)
    if (const std::uint64_t packets = replies_.waiting(i) + slices_[i]->waiting(); packets > 0)
      add(fmt::format("{} replies of slice {} at the reply switch", packets, i));
  return text;
}

}  // namespace heddle
