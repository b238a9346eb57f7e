#include "models/core/link/memory_link.h"

#include <algorithm>
#include <string>

#include "models/core/link/base_protocol.h"

namespace heddle {

namespace {

// Returns a name for the adapter at the socket. Sockets of several modules have the same name.
std::string adapter_name(const sc_core::sc_object& socket) {
  return sc_core::sc_gen_unique_name((std::string(socket.basename()) + "_base_protocol").c_str());
}

}  // namespace

LinkInitiator::LinkInitiator(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper,
                             std::size_t outstanding, std::size_t answers)
    : MemoryPort(domain, sleeper),
      socket(name),
      answers_(answers + 2),
      answers_limit_(answers),
      outstanding_limit_(outstanding) {
  socket.bind(*this);
}

LinkTarget::LinkTarget(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper,
                       std::size_t capacity, std::uint64_t latency)
    : MemoryPort(domain, sleeper),
      socket(name),
      capacity_(capacity),
      latency_(latency),
      waiting_(capacity + 1) {
  socket.bind(*this);
}

LinkInitiator::~LinkInitiator() = default;
LinkTarget::~LinkTarget() = default;

tlm::tlm_initiator_socket<>& LinkInitiator::base_protocol() {
  if (adapter_ == nullptr) adapter_ = std::make_unique<ToBaseProtocol>(adapter_name(socket).c_str(), *this);
  return adapter_->socket;
}

tlm::tlm_target_socket<>& LinkTarget::base_protocol() {
  if (adapter_ == nullptr) adapter_ = std::make_unique<FromBaseProtocol>(adapter_name(socket).c_str(), *this);
  return adapter_->socket;
}

void LinkInitiator::reset() {
  MemoryPort::reset();
  answers_.clear();
  outstanding_ = 0;
  request_free_ = Cycle{0};
  sending_ = nullptr;
  full_ = false;
  if (adapter_ != nullptr) adapter_->reset();
}

void LinkInitiator::send(MemoryRequest& request, Cycle now) {
  HEDDLE_CHECK(can_send(now), socket.name(), now, "a request while there is no room for it");
  ++outstanding_;
  sending_ = &request;
  request_free_ = Cycle::never();
  rule_.send_from(Cycle::never());
  if (calls_now(kRequest)) hand_over(now);
}

void LinkInitiator::make_calls(Cycle now) {
  if (takes(kRequest)) hand_over(now);
  if (takes(kAnswerTaken)) socket->answer_taken(kNextEdge);
}

void LinkInitiator::hand_over(Cycle now) {
  if (socket->request(*sending_, kNextEdge)) request_free_ = now + 1;
}

// The wake depends on the state of the port alone, so that due() gives it whether the call comes before or
// after the tick of the block in the same cycle.
void LinkInitiator::request_taken(LinkTime at) {
  request_free_ = arrival(domain_.now(), at);
  if (rule_.sends()) wake(rule_.sends_at(request_free_));
}

bool LinkInitiator::answer(MemoryRequest& request, LinkTime at) {
  const Cycle now = domain_.now();
  HEDDLE_CHECK(!full_ && !answers_.full(), socket.name(), now, "an answer while {} wait", answers_.size());
  Cycle due = arrival(now, at);
  if (!answers_.empty()) due = std::max(due, answers_.back().due);
  answers_.push({due, &request});
  came(now, due);
  full_ = answers_.size() > answers_limit_;
  return !full_;
}

void LinkInitiator::pop_answer() {
  answers_.pop();
  --outstanding_;
  if (!full_) return;
  full_ = false;
  if (calls_now(kAnswerTaken)) socket->answer_taken(kNextEdge);
}

void LinkTarget::reset() {
  MemoryPort::reset();
  waiting_.clear();
  answering_ = nullptr;
  answer_free_ = Cycle{0};
  full_ = false;
  if (adapter_ != nullptr) adapter_->reset();
}

bool LinkTarget::request(MemoryRequest& request, LinkTime at) {
  const Cycle now = domain_.now();
  HEDDLE_CHECK(!full_, socket.name(), now, "a request while {} wait", waiting_.size());
  const Cycle due = arrival(now, at) + latency_;
  waiting_.push({due, &request});
  came(now, due);
  full_ = waiting_.size() > capacity_;
  return !full_;
}

MemoryRequest& LinkTarget::take_request() {
  MemoryRequest& request = *waiting_.front().request;
  waiting_.pop();
  if (full_) {
    full_ = false;
    if (calls_now(kRequestTaken)) socket->request_taken(kNextEdge);
  }
  return request;
}

void LinkTarget::answer(MemoryRequest& request, Cycle now) {
  HEDDLE_CHECK(can_answer(now), socket.name(), now, "an answer while there is no room for it");
  answering_ = &request;
  answer_free_ = Cycle::never();
  if (calls_now(kAnswer)) hand_over();
}

void LinkTarget::make_calls() {
  if (takes(kAnswer)) hand_over();
  if (takes(kRequestTaken)) socket->request_taken(kNextEdge);
}

void LinkTarget::hand_over() {
  if (socket->answer(*answering_, kNextEdge)) answer_free_ = Cycle{0};
}

void LinkTarget::answer_taken(LinkTime at) {
  const Cycle now = domain_.now();
  answer_free_ = arrival(now, at);
  if (rule_.sends()) came(now, rule_.sends_at(answer_free_));
}

}  // namespace heddle
