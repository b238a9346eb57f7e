#pragma once
// A test fixture: the SM driver over a fake GPU, with a scripted partitioner and a log of the driver's
// actions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/schedules.h"

namespace heddle {

// Latencies are in cycles: 1 for the launch, 4 for the set-up, 2 for the issue of a block.
inline EngineSpec test_spec(std::uint32_t ksrs = 4) {
  EngineSpec spec;
  spec.contexts = 4;
  spec.ksrs = ksrs;
  spec.sm_setup_latency = 4;
  return spec;
}

// A partitioner that calls a function. The function gets the number of the decision, counted from 0.
class Scripted final : public SmPartitioner {
 public:
  using Script = std::function<void(std::size_t call, const MachineView&, Partition&)>;
  explicit Scripted(Script script) : script_(std::move(script)) {}
  void partition(const MachineView& machine, Partition& partition) override {
    script_(calls_++, machine, partition);
  }
  std::size_t calls() const { return calls_; }

 private:
  Script script_;
  std::size_t calls_ = 0;
};

class Log final : public EngineObserver {
 public:
  explicit Log(FakeGpu& gpu) { gpu.driver().observe(*this); }
  std::vector<std::string> slices, issues;

  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override {
    static const char* const names[] = {"reserved", "set up", "running", "leaving", "returned", "freed"};
    slices.push_back(
        fmt::format("{} sm{} k{} {}", now.value, sm.value, ksr.value, names[static_cast<int>(event)]));
  }
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    issues.push_back(fmt::format("{} sm{} k{} b{}", now.value, sm.value, ksr.value, block.value));
  }
};

// Gives SM 0 to the youngest kernel with a block to issue.
inline void youngest(std::size_t, const MachineView& machine, Partition& partition) {
  for (const KernelView& kernel : machine.kernels)
    if (kernel.unissued > 0) partition.give(0, kernel.ksr);
}

// Records when blocks leave an SM before their end and come back, and when slices are handed over.
class HandoverLog final : public EngineObserver {
 public:
  explicit HandoverLog(FakeGpu& gpu) { gpu.driver().observe(*this); }
  std::vector<std::string> lines;      // of blocks
  std::vector<std::string> handovers;  // of slices

  void block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    add(now, "saved", sm, ksr, block);
  }
  void block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork&,
                     std::uint64_t cycles) override {
    add(now, "flushed", sm, ksr, block);
    lines.back() += fmt::format(" lost {}", cycles);
  }
  void block_resumed(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    add(now, "resumed", sm, ksr, block);
  }
  void handed_over(Cycle now, SmId sm, KsrId ksr, HandoverWay way, std::uint64_t cycles) override {
    handovers.push_back(
        fmt::format("{} sm{} k{} {} {}", now.value, sm.value, ksr.value, name_of(way), cycles));
  }

 private:
  void add(Cycle now, const char* what, SmId sm, KsrId ksr, BlockId block) {
    lines.push_back(fmt::format("{} {} sm{} k{} b{}", now.value, what, sm.value, ksr.value, block.value));
  }
};

class SmDriverTest : public testing::Test {
 protected:
  FakeGpu& gpu(const EngineSpec& spec, std::uint32_t slots, std::uint32_t sms, SmPartitioner& partitioner) {
    gpu_ = std::make_unique<FakeGpu>(spec, test_limits(slots), sms, partitioner, *drain_);
    return *gpu_;
  }
  // Makes a GPU whose SMs are shared by several kernels under the partitioner of this name.
  Log start(const std::string& policy, std::uint32_t slots, std::uint32_t sms) {
    sharing_ = make_policy<SmPartitioner>(policy);
    gpu(test_spec(), slots, sms, *sharing_).share_sms();
    return Log(*gpu_);
  }
  std::uint64_t counter(const std::string& name) {
    const Counter* found = gpu_->driver().stats().find("driver." + name);
    return found == nullptr ? ~std::uint64_t{0} : found->value();
  }
  void expect_rest() {
    EXPECT_TRUE(gpu_->driver().idle());
    EXPECT_EQ(gpu_->driver().next_step(gpu_->now()), Cycle::never());
  }

  std::unique_ptr<SmPartitioner> fcfs_ = make_policy<SmPartitioner>("fcfs-m");
  std::unique_ptr<SmPartitioner> sharing_;  // the partitioner that start() makes
  std::unique_ptr<Preemption> drain_ = make_policy<Preemption>("drain");
  std::unique_ptr<FakeGpu> gpu_;
};

}  // namespace heddle
