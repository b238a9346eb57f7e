#pragma once
// A bench for submission policies: software queues, rings, and a GPU without detail. Every lane runs its
// commands one after the other, in a time per wave of blocks and beside all other lanes. Time is in
// picoseconds. The bench checks what every policy must keep: commands of a stream go in order, each block
// goes once, and fences come as the process expects them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/host/submission/software_queues.h"

namespace heddle::test {

class SubmissionBench {
 public:
  static constexpr std::uint64_t kUs = 1'000'000;
  static constexpr std::uint64_t kCoreHz = 1'000'000'000;

  struct Sent {
    std::uint64_t time = 0;
    std::uint32_t process = 0;
    std::uint32_t stream = 0;
    Command command;
  };

  // 10 SMs of four blocks each. Every process has the streams and four kernels, which are bound by compute,
  // by memory, by nothing known, and by compute.
  SubmissionBench(std::unique_ptr<Submission> policy, std::uint32_t processes, std::uint32_t streams = 1,
                  std::uint32_t entries = 1024)
      : policy_(std::move(policy)), driver_({4, entries, 8, 4}, 1 << 20, none_) {
    spec_.queues = {4, entries, 8, 4};
    spec_.gpu.limits.threads = spec_.gpu.limits.warps = 1024;
    spec_.gpu.limits.registers = spec_.gpu.limits.shared_bytes = 1 << 20;
    spec_.gpu.limits.block_slots = 4;
    spec_.gpu.limits.threads_per_block = spec_.gpu.limits.registers_per_thread = 1024;
    spec_.gpu.sms = 10;
    spec_.gpu.core_hz = kCoreHz;
    spec_.concurrent_pieces = policy_->concurrent_pieces();
    for (std::uint32_t i = 0; i < streams; ++i) program_.streams.push_back(fmt::format("s{}", i));
    program_.kernels.resize(4);
    program_.kernels[0].bound = program_.kernels[3].bound = KernelBound::kCompute;
    program_.kernels[1].bound = KernelBound::kMemory;
    program_.events = {"e", "f"};
    for (std::uint32_t i = 0; i < processes; ++i)
      driver_.add_process(SoftwareQueues::lanes_of(spec_, streams));
    queues_ = std::make_unique<SoftwareQueues>(spec_, driver_,
                                               std::vector<const ApiProgram*>(processes, &program_));
    issued_.assign(processes, std::vector<std::uint64_t>(streams));
    rings_.resize(4);
    for (std::uint32_t i = 0; i < processes; ++i) queues_->set_open(0, i, true);
  }

  SoftwareQueues& queues() { return *queues_; }
  Submission& policy() { return *policy_; }
  std::uint64_t now() const { return now_; }
  void priority(std::uint32_t process, std::int32_t priority) {
    queues_->set_priority(now_, process, priority);
  }

  // Pushes a launch of the kernel with so many blocks of a residence, in cycles of 1 ns. With a residence of
  // 0 the submitter does not know it; the bench then runs a wave in `wave_ps`.
  bool launch(std::uint32_t process, std::uint32_t stream, std::uint64_t blocks, std::uint64_t block_cycles,
              std::uint32_t kernel = 0, bool may_be_cut = true) {
    Command command;
    command.kind = Command::Kind::kLaunch;
    command.launch.tag = kernel;
    command.launch.blocks = blocks;
    command.launch.shape = {32, 16, 0};
    command.launch.block_cycles = block_cycles;
    return push(process, stream, command, may_be_cut);
  }
  bool push(std::uint32_t process, std::uint32_t stream, Command command, bool may_be_cut = true) {
    command.context = ContextId{process};
    command.stream = StreamId{stream};
    command.fence_address = HostDriver::fence(process, stream);
    command.fence_value = issued_[process][stream] + 1;
    if (!queues_->push(now_, command, may_be_cut)) return false;
    ++issued_[process][stream];
    pushed_[{process, stream}].push_back(command);
    return true;
  }

  // Runs until `end`, or until nothing can happen any more.
  void run_to(std::uint64_t end) {
    for (;;) {
      step();
      std::uint64_t next = queues_->any_actions() ? now_ + 1 : SubmissionDecision::kNever;
      next = std::min({next, ask_at_, next_completion()});
      if (next > end) break;
      now_ = next;
    }
    now_ = end;
  }
  bool done() const {
    if (queues_->any_actions() || queues_->any_waiting()) return false;
    for (std::uint32_t i = 0; i < issued_.size(); ++i)
      for (std::uint32_t stream = 0; stream < issued_[i].size(); ++stream)
        if (load(HostDriver::fence(i, stream)) != issued_[i][stream]) return false;
    return true;
  }

  std::vector<Sent> sent;
  std::uint64_t wave_ps = 5 * kUs;  // of launches whose residence the submitter does not know
  std::uint64_t decisions = 0;

 private:
  using Lane = std::pair<std::uint32_t, std::uint32_t>;
  struct Running {
    std::uint64_t end = 0;
    Command command;
  };

  std::uint64_t load(Address address) const {
    const auto found = memory_.find(address);
    return found == memory_.end() ? 0 : found->second;
  }

  void step() {
    for (bool again = true; again;) {
      run_gpu();
      queues_->settle(now_);
      queues_->complete(now_, {[this](Address address) { return load(address); },
                               [this](Address address, std::uint64_t value) { write(address, value); }});
      again = decide();
    }
  }

  bool decide() {
    ask_at_ = SubmissionDecision::kNever;
    if (!queues_->any_waiting()) return false;
    for (std::uint32_t queue = 0; queue < rings_.size(); ++queue)
      queues_->set_head(queue, driver_.tail(queue) - rings_[queue].size());
    const SubmissionView& view = queues_->view(now_);
    const SubmissionDecision decision = policy_->decide(view);
    ++decisions;
    if (!decision.submits) {
      EXPECT_GT(decision.ask_at_ps, now_);
      ask_at_ = decision.ask_at_ps;
      expect_reason_to_wait(view);
      return false;
    }
    const HeadView head = view.processes[decision.process].streams[decision.stream].head;
    EXPECT_TRUE(head.ready);
    const SoftwareQueues::Sent piece = queues_->submit(decision);
    take(decision.process, decision.stream, piece.command);
    return true;
  }

  void expect_reason_to_wait(const SubmissionView& view) const {
    if (ask_at_ != SubmissionDecision::kNever) return;
    for (const ProcessView& process : view.processes)
      if (process.in_flight > 0) return;
    for (const ProcessView& process : view.processes)
      for (const StreamView& stream : process.streams)
        EXPECT_FALSE(stream.waiting > 0 && stream.head.ready)
            << "nothing is on the GPU, and the policy waits";
  }

  void take(std::uint32_t process, std::uint32_t stream, const Command& command) {
    sent.push_back({now_, process, stream, command});
    const std::uint32_t queue = driver_.queue_of(process, command.stream.value);
    ++driver_.tail(queue);
    ASSERT_LT(rings_[queue].size(), driver_.entries());
    rings_[queue].push_back(command);
    std::deque<Command>& expected = pushed_[{process, stream}];
    ASSERT_FALSE(expected.empty());
    Command& front = expected.front();
    ASSERT_EQ(command.kind, front.kind);
    if (command.kind == Command::Kind::kLaunch) {
      ASSERT_EQ(command.launch.tag, front.launch.tag);
      ASSERT_EQ(command.launch.first_block, front.launch.first_block) << "the next block of the launch";
      ASSERT_LE(command.launch.blocks, front.launch.blocks);
      front.launch.first_block += command.launch.blocks;
      front.launch.blocks -= command.launch.blocks;
      ASSERT_EQ(command.launch.is_last, front.launch.blocks == 0);
      if (front.launch.blocks > 0) return;
    }
    expected.pop_front();
  }

  // Starts the heads of the rings, and ends what is due.
  void run_gpu() {
    for (auto at = running_.begin(); at != running_.end();)
      if (at->second.end <= now_) {
        write(at->second.command.fence_address, at->second.command.fence_value);
        at = running_.erase(at);
      } else {
        ++at;
      }
    for (std::deque<Command>& ring : rings_)
      while (!ring.empty() && start(ring.front())) ring.pop_front();
  }

  bool start(const Command& command) {
    const Lane lane{command.context.value, command.stream.value};
    if (running_.count(lane) != 0) return false;
    std::uint64_t& recorded = events_[{command.context.value, command.event}];
    if (command.kind == Command::Kind::kWait && recorded < command.event_value) return false;
    if (command.kind == Command::Kind::kRecord) recorded = std::max(recorded, command.event_value);
    running_[lane] = {now_ + length_of(command), command};
    return true;
  }

  std::uint64_t length_of(const Command& command) const {
    if (command.kind == Command::Kind::kRecord || command.kind == Command::Kind::kWait) return 1;
    if (command.kind != Command::Kind::kLaunch) return 1 + command.bytes;
    const std::uint64_t waves = (command.launch.blocks + 39) / 40;
    return waves * (command.launch.block_cycles > 0 ? 1000 * command.launch.block_cycles : wave_ps);
  }

  std::uint64_t next_completion() const {
    std::uint64_t next = SubmissionDecision::kNever;
    for (const auto& [lane, running] : running_) next = std::min(next, running.end);
    return next;
  }

  void write(Address address, std::uint64_t value) {
    EXPECT_GT(value, memory_[address]) << "a fence goes back";
    memory_[address] = value;
  }

  std::vector<DeviceMemory> none_;
  std::unique_ptr<Submission> policy_;
  SoftwareQueues::Spec spec_;
  HostDriver driver_;
  ApiProgram program_;
  std::unique_ptr<SoftwareQueues> queues_;
  std::uint64_t now_ = 0;
  std::uint64_t ask_at_ = SubmissionDecision::kNever;
  std::vector<std::vector<std::uint64_t>> issued_;  // by process and stream
  std::map<Lane, std::deque<Command>> pushed_;      // by process and stream: what is not yet submitted
  std::vector<std::deque<Command>> rings_;
  std::map<Lane, Running> running_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> events_;
  std::map<Address, std::uint64_t> memory_;
};

}  // namespace heddle::test
