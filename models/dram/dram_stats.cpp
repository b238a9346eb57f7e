#include "models/dram/dram_stats.h"

namespace heddle {

DramStats::DramStats(const std::string& name, const DramSpec& spec, const LocalMap& map,
                     const RequestQueue& queue)
    : group_(name), data_bus_(spec.timing, {map.groups(), map.banks(), spec.map.stack_ids}, group_) {
  add_counters(spec.timing.standard(), queue);
}

void DramStats::add_counters(const DramStandard& standard, const RequestQueue& queue) {
  group_.add_level("queued", "request", "requests in the queue of the controller",
                   [&queue] { return queue.count(false) + queue.count(true); });
  group_.add(reads_, "reads", "request", "bursts read");
  group_.add(writes_, "writes", "request", "bursts written");
  group_.add(swap_reads_, "swap_reads", "request", "reads of swap space accepted");
  group_.add(swap_writes_, "swap_writes", "request", "writes of swap space accepted");
  group_.add(read_latency_, "read_latency", "CK", "from a read's acceptance to the end of its data, summed");
  group_.add_formula("mean_read_latency", "CK", "from acceptance to the end of data", {read_latency_},
                     {reads_});
  group_.add(outcomes_[0], "row_hits", "request", "requests that found their row open");
  group_.add(outcomes_[1], "row_misses", "request", "requests that had their row opened in a closed bank");
  group_.add(outcomes_[2], "row_conflicts", "request", "requests that had another row closed for theirs");
  group_.add_formula("row_hit_rate", "1", "requests that found their row open per request", {outcomes_[0]},
                     {reads_, writes_});
  group_.add(open_cycles_, "open_cycles", "CK", "command clocks with a row open in some bank");
  group_.add(closed_cycles_, "closed_cycles", "CK", "command clocks with every bank precharged");
  Group& commands = group_.child("commands");
  for (const CommandRule& rule : standard.commands) {
    const char* command = name_of(rule.command);
    commands.add(commands_[static_cast<std::size_t>(rule.command)], command, "command",
                 std::string(command) + " commands issued");
  }
}

void DramStats::count_contexts() {
  ContextTurns::Words words;
  words.served = {"bursts", "request", "bursts read and written"};
  words.clock = "CK";
  words.wait = "from acceptance to the column command";
  words.preferred = "requests served while an older one of another context waited";
  words.deferred = "requests of other contexts served while its own request was the oldest";
  contexts_ = std::make_unique<ContextTurns>(group_, words);
}

void DramStats::reset() {
  data_bus_.reset();
  counts_.reset();
  waiting_requests_.reset();
  open_since_ = Cycle{0};
  group_.reset();
}

void DramStats::served(const WaitingRequest& request, Cycle last_beat) {
  ++outcomes_[static_cast<std::size_t>(request.outcome)];
  --waiting_requests_[request.account];
  DramCounts& counts = counts_[request.account];
  ++(request.write ? counts.writes : counts.reads);
  if (request.outcome == RowOutcome::kHit)
    ++counts.row_hits;
  else
    ++(request.outcome == RowOutcome::kMiss ? counts.row_misses : counts.row_conflicts);
  if (request.write) {
    ++writes_;
  } else {
    ++reads_;
    read_latency_ += last_beat - request.accepted;
  }
}

void DramStats::account_until(Cycle now, bool are_open, bool requests_wait) {
  data_bus_.account_until(now, requests_wait);
  rows(are_open, now);
  closed_cycles_.set(now.value - open_cycles_.value());
}

}  // namespace heddle
