#include "tests/support/machine/gpu_rig.h"

#include <gtest/gtest.h>

#include <sstream>
#include <utility>

#include "models/stats/writers.h"

namespace heddle::test {

namespace {

constexpr std::uint64_t kBufferBytes = 1 << 24;

}  // namespace

GpuRig::GpuRig(sc_core::sc_module_name name, const GpuSpec& spec, const std::vector<ApiProgram>& programs,
               bool reversed)
    : sc_core::sc_module(name),
      memory_("memory", sc_core::sc_time(static_cast<double>(spec.host.memory_latency_ps), sc_core::SC_PS)),
      system_("system"),
      cores_(spec.host.cores,
             sc_core::sc_time(static_cast<double>(spec.host.time_slice_ps), sc_core::SC_PS).value()) {
  GpuOptions options;
  options.build_reversed = reversed;
  options.bind_dispatch = [this](std::uint32_t sm, RequestSocket<SmRequest, SmReply>& engine,
                                 ReplySocket<SmRequest, SmReply>& unit) {
    probes_.push_back(std::make_unique<DispatchProbe>(("probe" + std::to_string(sm)).c_str(), ledger_));
    engine.bind(probes_.back()->engine);
    probes_.back()->sm.bind(unit);
  };
  gpu_ = std::make_unique<Gpu>("gpu", spec, options);
  driver_ = std::make_unique<HostDriver>(spec.queues, spec.device_bytes, gpu_->device_memory());
  gpu_->system().bind(system_.target);
  system_.initiator.bind(memory_.socket);
  gpu_->observe(recorder);
  for (const ApiProgram& program : programs)
    driver_->add_process(static_cast<std::uint32_t>(program.streams.size()));
  processes_.resize(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::size_t which = reversed ? programs.size() - 1 - i : i;
    HostProcessSpec process;
    process.number = static_cast<std::uint32_t>(which);
    process.program = programs[which];
    process.priority = static_cast<std::int32_t>(which);
    process.tokens = static_cast<std::int32_t>(which + 1);
    process.seed = 1000 + which;
    processes_[which] = std::make_unique<HostProcess>(
        ("process" + std::to_string(which)).c_str(), process,
        HostProcess::Deps{*driver_, memory_, ring_released_, [this](std::uint32_t) { ++completed_; },
                          [this](const std::string& message) { failures_.push_back(message); },
                          gpu_->spec().sm.limits, gpu_->spec().host, cores_, cores_changed_, nullptr,
                          gpu_->preemption().answers(Handover::kFlush)});
    processes_[which]->mmio.bind(gpu_->mmio());
    processes_[which]->memory.bind(memory_.socket);
  }
}

std::string GpuRig::stats() {
  std::ostringstream out;
  write_json(gpu_->stats(), out);
  return out.str();
}

std::uint64_t GpuRig::counter(const std::string& path) {
  const Counter* counter = gpu_->stats().find("gpu." + path);
  EXPECT_NE(counter, nullptr) << path;
  return counter == nullptr ? 0 : counter->value();
}

void GpuRig::expect_complete() {
  for (const std::string& failure : failures_) ADD_FAILURE() << failure;
  EXPECT_EQ(completed_, processes_.size());
  for (const auto& process : processes_)
    if (process->completions() == 0)
      ADD_FAILURE() << process->spec().program.name << " waits for " << process->waiting_for();
  EXPECT_TRUE(gpu_->idle());
  EXPECT_TRUE(system_.idle());
  EXPECT_EQ(system_.requests(), system_.responses());
  EXPECT_TRUE(ledger_.balanced());
  std::uint64_t launched = 0, copied = 0;
  for (const auto& process : processes_) {
    launched += process->kernels_launched();
    copied += process->bytes_copied();
  }
  EXPECT_EQ(counter("dispatcher.launches"), launched);
  EXPECT_EQ(counter("engine.driver.kernels"), launched);
  EXPECT_EQ(counter("engine.driver.blocks_issued"), ledger_.blocks.size());
  EXPECT_EQ(counter("engine.driver.blocks_done"), ledger_.blocks.size());
  std::uint64_t moved = 0;
  for (std::uint32_t i = 0; i < gpu_->spec().dma.engines; ++i)
    moved +=
        counter("dma" + std::to_string(i) + ".bytes_up") + counter("dma" + std::to_string(i) + ".bytes_down");
  EXPECT_EQ(moved, copied);
  EXPECT_EQ(counter("queues.fetched"), counter("dispatcher.fences")) << "one fence for each command";
}

ProgramBuilder::ProgramBuilder(std::string name, std::uint32_t streams) {
  program_.name = std::move(name);
  program_.buffers.push_back({"buffer", kBufferBytes});
  for (std::uint32_t i = 0; i < streams; ++i) program_.streams.push_back("stream" + std::to_string(i));
  for (int i = 0; i < 4; ++i) program_.events.push_back("event" + std::to_string(i));
  add(ApiCall::Kind::kAllocate);
}

ApiCall& ProgramBuilder::add(ApiCall::Kind kind, std::uint32_t stream) {
  ApiCall call;
  call.kind = kind;
  call.stream = stream;
  program_.calls.push_back(call);
  return program_.calls.back();
}

ProgramBuilder& ProgramBuilder::cpu(std::uint64_t ps) {
  add(ApiCall::Kind::kCpu).time_ps = ps;
  return *this;
}

ProgramBuilder& ProgramBuilder::copy(ApiCall::Kind kind, std::uint64_t bytes, std::uint32_t stream,
                                     bool asynchronous) {
  ApiCall& call = add(kind, stream);
  call.bytes = bytes;
  call.asynchronous = asynchronous;
  return *this;
}

ProgramBuilder& ProgramBuilder::copy_up(std::uint64_t bytes, std::uint32_t stream, bool asynchronous) {
  return copy(ApiCall::Kind::kCopyUp, bytes, stream, asynchronous);
}

ProgramBuilder& ProgramBuilder::copy_down(std::uint64_t bytes, std::uint32_t stream, bool asynchronous) {
  return copy(ApiCall::Kind::kCopyDown, bytes, stream, asynchronous);
}

ProgramBuilder& ProgramBuilder::launch(std::uint64_t blocks, const BlockShape& shape, std::uint64_t cycles,
                                       std::uint32_t jitter_permille, std::uint32_t stream) {
  add(ApiCall::Kind::kLaunch, stream).kernel = static_cast<std::uint32_t>(program_.kernels.size());
  ApiKernel kernel;
  kernel.name = "kernel" + std::to_string(program_.kernels.size());
  kernel.blocks = blocks;
  kernel.shape = shape;
  kernel.block_cycles = cycles;
  kernel.jitter_permille = jitter_permille;
  program_.kernels.push_back(kernel);
  return *this;
}

ProgramBuilder& ProgramBuilder::record(std::uint32_t event, std::uint32_t stream) {
  add(ApiCall::Kind::kRecord, stream).event = event;
  return *this;
}

ProgramBuilder& ProgramBuilder::wait(std::uint32_t event, std::uint32_t stream) {
  add(ApiCall::Kind::kWait, stream).event = event;
  return *this;
}

ProgramBuilder& ProgramBuilder::synchronise(std::uint32_t stream) {
  add(ApiCall::Kind::kSynchronise, stream);
  return *this;
}

ProgramBuilder& ProgramBuilder::repeat(std::uint64_t count) {
  add(ApiCall::Kind::kRepeat).count = count;
  return *this;
}

ProgramBuilder& ProgramBuilder::end() {
  add(ApiCall::Kind::kEnd);
  return *this;
}

}  // namespace heddle::test
