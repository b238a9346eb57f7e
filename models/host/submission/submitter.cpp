#include "models/host/submission/submitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/core/base/check.h"

namespace heddle {

using namespace registers;

Submitter::Submitter(sc_core::sc_module_name name, const SoftwareQueues::Spec& spec,
                     std::unique_ptr<Submission> policy, const std::vector<const ApiProgram*>& programs,
                     Deps deps)
    : sc_core::sc_module(name),
      deps_(std::move(deps)),
      queue_count_(spec.queues.count),
      bus_(mmio, memory, thread_),
      rings_(deps_.driver, bus_),
      policy_(std::move(policy)),
      queues_(spec, deps_.driver, programs),
      fences_{[this](Address address) { return bus_.load(address); },
              [this](Address address, std::uint64_t value) { bus_.store(address, value); }},
      changed_(thread_.any_of({&pushed_, &written_})),
      split_(programs.size(), -1),
      stats_(basename()) {
  stats_.add(decisions_, "decisions", "decision", "times that the submission policy was asked");
  stats_.add(commands_, "commands", "command", "commands submitted; a launch counts with its last piece");
  stats_.add(pieces_, "pieces", "piece", "pieces of launches that were cut");
  if (policy_->split() != nullptr)
    stats_.add(splits_, "splits", "write", "sizes of sets of SMs that were written to registers of contexts");
  SC_HAS_PROCESS(Submitter);
  SC_THREAD(run);
}

void Submitter::reset() {
  queues_.reset();
  policy_->reset();
  pushed_.cancel();
  written_.cancel();
  std::fill(split_.begin(), split_.end(), -1);
  ask_at_ps_ = SubmissionDecision::kNever;
  stats_.reset();
  thread_.restart();
}

std::uint64_t Submitter::now() {
  return static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
}

bool Submitter::push(const Command& command, bool may_be_cut) {
  if (!queues_.push(now(), command, may_be_cut)) return false;
  pushed_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void Submitter::set_priority(std::uint32_t process, std::int32_t priority) {
  queues_.set_priority(now(), process, priority);
  pushed_.notify(sc_core::SC_ZERO_TIME);
}
void Submitter::set_open(std::uint32_t process, bool is_open) {
  queues_.set_open(now(), process, is_open);
  pushed_.notify(sc_core::SC_ZERO_TIME);
}
void Submitter::begin_request(std::uint32_t process, std::uint64_t deadline_ps, const BatchView& batch) {
  queues_.begin_request(now(), process, deadline_ps, batch);
  pushed_.notify(sc_core::SC_ZERO_TIME);
}
void Submitter::end_request(std::uint32_t process) {
  queues_.end_request(now(), process);
  pushed_.notify(sc_core::SC_ZERO_TIME);
}

void Submitter::run() {
  thread_.run([this] {
    try {
      serve();
    } catch (const std::runtime_error& failure) {
      deps_.failed(fmt::format("the submitter: {}", failure.what()));
    }
  });
}

void Submitter::watch() {
  for (std::uint32_t process = 0; process < queues_.processes(); ++process) {
    const std::uint64_t bytes = 8 * std::uint64_t{queues_.lanes(process)};
    deps_.system_memory.watch(HostDriver::fence(process, 0), bytes, written_);
    deps_.system_memory.watch(HostDriver::piece_word(process, 0), bytes, written_);
  }
  for (std::uint32_t queue = 0; queue < queue_count_; ++queue)
    deps_.system_memory.watch(deps_.driver.head_word(queue), 8, written_);
}

// Everything that happens at one time is known before the policy is asked.
void Submitter::serve() {
  watch();
  for (;;) {
    if (!queues_.any_actions()) {
      const std::uint64_t at = now();
      if (ask_at_ps_ == SubmissionDecision::kNever)
        thread_.await(changed_);
      else if (ask_at_ps_ > at)
        thread_.await(sc_core::sc_time(static_cast<double>(ask_at_ps_ - at), sc_core::SC_PS), changed_);
    }
    thread_.sleep(sc_core::sc_get_time_resolution());
    while (decide()) {
    }
  }
}

// Asks the policy once. Returns whether it is to be asked again.
bool Submitter::decide() {
  queues_.settle(now());
  ask_at_ps_ = SubmissionDecision::kNever;
  if (queues_.any_waiting() && deps_.host.submission_latency_ps > 0) {
    thread_.sleep(sc_core::sc_time(static_cast<double>(deps_.host.submission_latency_ps), sc_core::SC_PS));
    queues_.settle(now());
  }
  queues_.complete(now(), fences_);
  if (!queues_.any_waiting()) return false;
  read_heads();
  const SubmissionDecision decision = policy_->decide(queues_.view(now()));
  ++decisions_;
  const bool has_written = write_split();
  if (!decision.submits && has_written) return true;  // time may have passed, and the policy is asked again
  if (!decision.submits) {
    HEDDLE_CHECK(decision.ask_at_ps > now(), name(), Cycle{}, "the policy asks for a time that has passed");
    ask_at_ps_ = decision.ask_at_ps;
    return false;
  }
  write(queues_.submit(decision));
  return true;
}

// A ring is asked for its head only when it looks full.
void Submitter::read_heads() {
  for (std::uint32_t queue = 0; queue < queue_count_; ++queue)
    if (queues_.is_full(queue)) queues_.set_head(queue, rings_.head(queue));
}

void Submitter::write(const SoftwareQueues::Sent& sent) {
  const Command& command = sent.command;
  const std::uint32_t queue = deps_.driver.queue_of(command.context.value, command.stream.value);
  rings_.program(queue);
  rings_.write(queue, command);
  if (sent.is_piece) ++pieces_;
  if (sent.is_piece && !command.launch.is_last) return;
  ++commands_;
  deps_.ring_released.notify(sc_core::SC_ZERO_TIME);
}

// Writes what has changed of the split. Returns whether anything has.
bool Submitter::write_split() {
  const std::vector<std::int32_t>* wanted = policy_->split();
  if (wanted == nullptr) return false;
  bool has_written = false;
  for (std::uint32_t context = 0; context < wanted->size(); ++context) {
    const std::int32_t tokens = (*wanted)[context];
    if (queues_.take_share_written(context)) split_[context] = -1;
    if (tokens < 0 || tokens == split_[context]) continue;
    split_[context] = tokens;
    bus_.write_register(registers::context(context, kTokens), static_cast<std::uint64_t>(tokens));
    ++splits_;
    has_written = true;
  }
  return has_written;
}

std::string Submitter::waiting(const std::vector<std::string>& names) const {
  std::vector<std::string> held;
  for (std::uint32_t process = 0; process < queues_.processes(); ++process)
    if (const std::uint64_t commands = queues_.waiting(process); commands > 0)
      held.push_back(fmt::format("{} of {}", commands, names[process]));
  if (held.empty()) return "";
  return fmt::format("the submitter holds commands: {}", fmt::join(held, ", "));
}

}  // namespace heddle
