#include "models/machine/request_watch.h"

#include <algorithm>
#include <utility>

#include "models/core/time/progress.h"

namespace heddle {

static_assert(ServerState::kWhole == kFullRate, "a rate of bandwidth is a progress of a server");

RequestWatch::RequestWatch(const Gpu& gpu, const std::vector<bool>& servers,
                           std::function<std::uint64_t()> now)
    : gpu_(gpu),
      now_(std::move(now)),
      servers_(servers.size()),
      kernels_(gpu.ksrs),
      rates_(gpu.ksrs, kFullRate),
      holds_(std::size_t{gpu.sms} * gpu.ksrs),
      blocks_(gpu.sms * servers.size()),
      sms_of_(servers.size()),
      active_(servers.size()),
      engines_(gpu.copy_engines) {
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (servers[i]) servers_[i].account.emplace(servers.size());
}

void RequestWatch::reset() {
  for (Server& server : servers_) {
    const bool is_server = server.account.has_value();
    server = Server{};
    if (is_server) server.account.emplace(servers_.size());
  }
  std::fill(kernels_.begin(), kernels_.end(), Kernel{});
  std::fill(rates_.begin(), rates_.end(), kFullRate);
  std::fill(holds_.begin(), holds_.end(), false);
  std::fill(blocks_.begin(), blocks_.end(), 0);
  std::fill(sms_of_.begin(), sms_of_.end(), 0);
  for (std::vector<std::uint32_t>& ksrs : active_) ksrs.clear();
  copies_.clear();
  std::fill(engines_.begin(), engines_.end(), Engine{});
}

template <class Change>
void RequestWatch::apply(Change change) {
  change();
  for (std::uint32_t process = 0; process < servers_.size(); ++process)
    if (std::optional<ServerAccount>& account = servers_[process].account; account && account->is_serving())
      account->set(now_(), state_of(process));
}

ServerState RequestWatch::state_of(std::uint32_t process) const {
  const Server& server = servers_[process];
  if (!server.waits_for_gpu) return {RequestPart::kHost, process};
  const std::optional<ServerState> sms = on_sms(process);
  if (sms && sms->part == RequestPart::kExecuting) return *sms;
  const std::optional<ServerState> engines = on_engines(process);
  if (engines && engines->part == RequestPart::kCopying) return *engines;
  if (sms) return *sms;
  return engines.value_or(ServerState{RequestPart::kSubmission, process});
}

// Returns what the kernels of the process do; none if none is active or waits for the execution engine.
std::optional<ServerState> RequestWatch::on_sms(std::uint32_t process) const {
  const std::uint32_t other = other_on_sms(process);
  const bool is_active = servers_[process].launches_back > 0 || !active_[process].empty();
  std::uint64_t progress = 0;
  bool has_blocks = false;
  for (const std::uint32_t ksr : active_[process]) {
    const Kernel& kernel = kernels_[ksr];
    if (kernel.running == 0) continue;
    has_blocks = true;
    std::uint64_t part = ServerState::kWhole;
    if (other != process)
      part = part * kernel.running / std::min(kernel.capacity, kernel.running + kernel.unissued);
    else if (kernel.unissued > 0)
      part = part * kernel.sms / gpu_.sms;
    progress += part * rates_[ksr] / kFullRate;
  }
  if (!is_active) return std::nullopt;
  if (!has_blocks) return ServerState{RequestPart::kSmWait, other};
  const auto share = static_cast<std::uint32_t>(std::min<std::uint64_t>(progress, ServerState::kWhole));
  return ServerState{RequestPart::kExecuting, share == ServerState::kWhole ? process : other, share};
}

// Returns what the copies of the process do; none if it has none in an engine or waiting for one.
std::optional<ServerState> RequestWatch::on_engines(std::uint32_t process) const {
  const Server& server = servers_[process];
  std::optional<ServerState> state;
  if (server.copies_back > 0)
    state = ServerState{RequestPart::kCopyWait, engines_[server.copies_engine].context};
  for (const Copy& copy : copies_) {
    if (copy.context != process) continue;
    const Engine& engine = engines_[copy.engine];
    if (copy.is_requested || engine.moves == copy.number) return ServerState{RequestPart::kCopying, process};
    if (!state) state = ServerState{RequestPart::kCopyWait, engine.moves ? engine.context : process};
  }
  return state;
}

// Returns the other process whose blocks are on the most SMs, the first of these, or `process` itself if
// there is none.
std::uint32_t RequestWatch::other_on_sms(std::uint32_t process) const {
  std::uint32_t other = process;
  std::uint32_t most = 0;
  for (std::uint32_t context = 0; context < sms_of_.size(); ++context)
    if (context != process && sms_of_[context] > most) most = sms_of_[other = context];
  return other;
}

void RequestWatch::waits_for_gpu(std::uint32_t process, bool waits) {
  if (servers_[process].waits_for_gpu == waits) return;
  apply([&] { servers_[process].waits_for_gpu = waits; });
}

void RequestWatch::arrived(std::uint32_t process, std::uint64_t number, std::uint64_t arrival_ps) {
  servers_[process].account->arrive(number, arrival_ps, now_());
}

void RequestWatch::started(std::uint32_t process, std::uint64_t number) {
  servers_[process].account->begin(number, now_());
}

void RequestWatch::passes(std::uint32_t process, std::uint64_t next_arrival_ps) {
  servers_[process].waits_for_gpu = false;
  servers_[process].account->expect_from(next_arrival_ps, now_());
  servers_[process].account->set(now_(), state_of(process));
}

const RequestAccount& RequestWatch::ended(std::uint32_t process, std::uint64_t number) {
  return servers_[process].account->end(number, now_());
}

void RequestWatch::kernel_event(Cycle, KernelEvent event, KsrId ksr, const KernelLaunch& launch) {
  if (launch.context.value >= servers_.size()) return;
  apply([&] {
    Kernel& kernel = kernels_[ksr.value];
    switch (event) {
      case KernelEvent::kLoaded:
        kernel = {};
        kernel.context = launch.context.value;
        kernel.capacity = std::uint64_t{residency_of(launch.shape, gpu_.limits).blocks} * gpu_.sms;
        kernel.unissued = launch.blocks;
        break;
      case KernelEvent::kActivated:
        active_[kernel.context].push_back(ksr.value);
        break;
      case KernelEvent::kHalted:
        break;
      case KernelEvent::kEnded:
        deactivate(ksr);
        break;
    }
  });
}

// The kernel need not be active: one that is halted before its launch latency is over never becomes active.
void RequestWatch::deactivate(KsrId ksr) {
  std::vector<std::uint32_t>& active = active_[kernels_[ksr.value].context];
  active.erase(std::remove(active.begin(), active.end(), ksr.value), active.end());
}

// A slice that is freed may never have been set up.
void RequestWatch::slice_event(Cycle, SliceEvent event, SmId sm, KsrId ksr) {
  if (event != SliceEvent::kSetUp && event != SliceEvent::kFreed) return;
  const bool holds = event == SliceEvent::kSetUp;
  const std::size_t place = sm.value * kernels_.size() + ksr.value;
  if (holds_[place] == holds) return;
  apply([&] {
    holds_[place] = holds;
    holds ? ++kernels_[ksr.value].sms : --kernels_[ksr.value].sms;
  });
}

std::uint32_t& RequestWatch::blocks_on(SmId sm, std::uint32_t context) {
  return blocks_[sm.value * sms_of_.size() + context];
}

void RequestWatch::come(SmId sm, KsrId ksr) {
  Kernel& kernel = kernels_[ksr.value];
  apply([&] {
    ++kernel.running;
    --kernel.unissued;
    if (blocks_on(sm, kernel.context)++ == 0) ++sms_of_[kernel.context];
  });
}

void RequestWatch::leave(SmId sm, KsrId ksr) {
  Kernel& kernel = kernels_[ksr.value];
  --kernel.running;
  if (--blocks_on(sm, kernel.context) == 0) --sms_of_[kernel.context];
}

void RequestWatch::block_issued(Cycle, SmId sm, KsrId ksr, BlockId) {
  come(sm, ksr);
}

void RequestWatch::block_resumed(Cycle, SmId sm, KsrId ksr, BlockId) {
  come(sm, ksr);
}

void RequestWatch::block_done(Cycle, SmId sm, KsrId ksr, BlockId, const SmWork&) {
  apply([&] { leave(sm, ksr); });
}

void RequestWatch::block_saved(Cycle, SmId sm, KsrId ksr, BlockId) {
  apply([&] {
    leave(sm, ksr);
    ++kernels_[ksr.value].unissued;
  });
}

void RequestWatch::block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork&, std::uint64_t) {
  block_saved(now, sm, ksr, block);
}

void RequestWatch::block_dropped(Cycle, KsrId ksr, BlockId, const SmWork&) {
  apply([&] { --kernels_[ksr.value].unissued; });
}

void RequestWatch::shares_changed(Cycle, const BandwidthTable& table) {
  apply([&] { std::copy(table.rates.begin(), table.rates.end(), rates_.begin()); });
}

void RequestWatch::waits_for_engine(Cycle, const Command& command) {
  if (command.context.value >= servers_.size()) return;
  Server& server = servers_[command.context.value];
  apply([&] {
    ++(command.kind == Command::Kind::kLaunch ? server.launches_back : server.copies_back);
    if (command.kind != Command::Kind::kLaunch)
      server.copies_engine = engines_.size() > 1 && command.kind == Command::Kind::kCopyDown ? 1 : 0;
  });
}

void RequestWatch::sent(Cycle, const Command& command) {
  if (command.context.value >= servers_.size()) return;
  Server& server = servers_[command.context.value];
  apply([&] { --(command.kind == Command::Kind::kLaunch ? server.launches_back : server.copies_back); });
}

void RequestWatch::transfer_taken(Cycle, std::uint32_t engine, const Transfer& transfer) {
  apply([&] { copies_.push_back({transfer.number, transfer.context.value, engine, false}); });
}

void RequestWatch::transfer_moves(Cycle, std::uint32_t engine, const Transfer& transfer) {
  apply([&] { engines_[engine] = {transfer.number, transfer.context.value}; });
}

void RequestWatch::transfer_requested(Cycle, std::uint32_t, const Transfer& transfer) {
  apply([&] {
    for (Copy& copy : copies_)
      if (copy.number == transfer.number) copy.is_requested = true;
  });
}

void RequestWatch::transferred(Cycle, Cycle, const Transfer& transfer) {
  apply([&] {
    const auto ended = std::find_if(copies_.begin(), copies_.end(),
                                    [&](const Copy& copy) { return copy.number == transfer.number; });
    const std::uint32_t engine = ended->engine;
    copies_.erase(ended);
    if (engines_[engine].moves == transfer.number) engines_[engine].moves.reset();
  });
}

}  // namespace heddle
