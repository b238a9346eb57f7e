#include "models/sm/cycle_sm.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

// This is the most requests of one SM without an answer; MSHRs, direct loads and stores share them.
constexpr std::size_t kOutstanding = 512;

}  // namespace

CycleSm::CycleSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t number, std::uint32_t ksrs,
                 std::uint64_t set_up_cycles, Deps deps)
    : SmModule(name, spec, ksrs, set_up_cycles, deps.core),
      number_(number),
      library_(deps.programs),
      work_(deps.core.add(static_cast<Divided&>(*this))),
      memory_("memory", deps.core, work_, kOutstanding),
      requests_(kOutstanding),
      logic_(basename(), spec.cycle_sm(), spec.limits, number, spec.count, ksrs,
             SmCore::Deps{*this, *this, deps.meter, std::move(deps.schedulers), std::move(deps.manager)},
             stats_) {
  memory_.divide();
  if (spec.cluster.exists())
    cluster_ = std::make_unique<ClusterPort>(basename(), spec.cluster, number_, deps.core, sleeper_);
}

void CycleSm::reset() {
  SmModule::reset();
  memory_.reset();
  requests_.reset();
  if (cluster_) cluster_->reset();
  logic_.reset();
  answered_ = 0;
}

// The SM takes the answers of memory before the requests of the engine that come in the same cycle.
void CycleSm::tick(Cycle now) {
  take_answers(now);
  answer_set_ups(now);
  take_requests(now);
  core_.wake_at(work_, now);
  Cycle next = next_request(now);
  if (cluster_) {
    take_transfers(now);
    next = std::min(next, cluster_->next_transfer(now));
  }
  core_.wake_at(sleeper_, next);
}

Cycle CycleSm::work(Cycle now) {
  if (memory_.has_answer(now)) take_answers(now);
  const Cycle next = logic_.work(now);
  tell_next_request(now);
  if (next == SmCore::kFinishes || has_replies() || memory_.has_calls() ||
      (cluster_ && cluster_->can_send(logic_.outbox(), now)))
    return kFinishes;
  return next <= now + 1 ? next : next_tick(next, now);
}

Cycle CycleSm::finish(Cycle now) {
  logic_.finish(now);
  tell_next_request(now);
  send_replies();
  memory_.settle(now);
  if (cluster_) cluster_->send(logic_.outbox(), now);
  return next_tick(logic_.next_tick(now), now);
}

// A request that waits though the crossbar takes one has found no room among those without an answer.
void CycleSm::tell_next_request(Cycle now) {
  if (!logic_.wants_to_send())
    memory_.send_from(Cycle::never());
  else
    memory_.send_from(memory_.can_send(now + 1) ? now + 1 : now);
}

// `next` is the cycle of the next tick of the logic.
Cycle CycleSm::next_tick(Cycle next, Cycle now) const {
  if (next <= now + 1) return next;
  const Cycle next_send = cluster_ ? cluster_->next_send(logic_.outbox(), now) : Cycle::never();
  return std::min({next, memory_.due(now), next_send});
}

void CycleSm::take_answers(Cycle now) {
  for (; memory_.has_answer(now); memory_.pop_answer()) {
    MemoryRequest& request = memory_.answer();
    if (request.kind != RequestKind::kInstruction) ++answered_;
    logic_.count_answer(request.account, request.missed_line);
    if (request.trace != 0) logic_.trace_answer(request.trace, now);
    logic_.answer(request.number, now);
    requests_.give_back(request);
  }
}

// A signal to a block that has ended has no effect.
void CycleSm::take_transfers(Cycle now) {
  for (; cluster_->has_transfer(now); cluster_->pop_transfer()) {
    const ClusterTransfer& transfer = cluster_->transfer();
    if (transfer.is_answer) {
      ++answered_;
      logic_.answer(transfer.number, now);
    } else if (transfer.message.kind == ClusterMessage::Kind::kAccess) {
      logic_.outbox().answer(transfer);
    } else if (const ResidentBlock* const block =
                   logic_.residence().find(*transfer.places, transfer.message.rank)) {
      logic_.receive(*block, transfer.message);
    }
  }
}

void CycleSm::send(const MemoryRequest& request, Cycle now) {
  MemoryRequest& sent = requests_.take();
  sent = request;
  sent.sm = number_;
  sent.issued = now;
  memory_.send(sent, now);
}

std::string CycleSm::waiting_for() const {
  const ResidentTable& table = logic_.residence().table();
  const IssueMasks& next = logic_.pipeline().masks();
  const auto count = [&](WarpMask mask) {
    return __builtin_popcountll(mask & ~(table.paused | table.pending));
  };
  std::string others;
  if (table.paused != 0) others += fmt::format(", {} paused", __builtin_popcountll(table.paused));
  if (table.pending != 0)
    others += fmt::format(", {} for registers, shared memory or a slot", __builtin_popcountll(table.pending));
  return fmt::format(
      "{} blocks, {} warps live: {} wait for memory, {} for units, {} for instructions, {} at a "
      "barrier{}; {} requests unanswered",
      table.resident, __builtin_popcountll(table.live), count(next.wait_memory), count(next.wait_alu),
      count(table.live & ~next.buffered & ~table.at_barrier), count(table.at_barrier), others,
      memory_.outstanding());
}

void CycleSm::set_up(const Program& program, KsrId ksr) {
  logic_.residence().set_kernel(ksr, program.launch, library_.program(program.launch));
}

CycleTotals CycleSm::cycles_until(Cycle now) {
  logic_.account_until(now);
  return logic_.accounts().totals();
}

void CycleSm::update_stats(Cycle now) {
  SmModule::update_stats(now);
  logic_.update_stats(now);
}

}  // namespace heddle
