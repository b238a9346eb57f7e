// What the calls of a program ask of their host: addresses, commands, events and waits.

#include "models/host/api_interpreter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <stdexcept>

namespace heddle {
namespace {

using Kind = ApiCall::Kind;
using Lines = std::vector<std::string>;
using testing::ElementsAre;

// A host that writes down what it is asked. Buffer i of the process lies at 1000 (i + 1), and allocations lie
// from 10 on in steps of 10.
struct NotingHost : ApiHost {
  std::vector<Address> lay_out(const std::vector<ApiBuffer>& buffers) override {
    std::vector<Address> addresses;
    for (std::size_t i = 0; i < buffers.size(); ++i) addresses.push_back(1000 * (i + 1) + moved);
    return addresses;
  }
  void read(Address address, void* to, std::uint64_t bytes) override {
    for (std::uint64_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(to)[i] = memory[address + i];
  }
  void write(Address address, const void* from, std::uint64_t bytes) override {
    for (std::uint64_t i = 0; i < bytes; ++i)
      memory[address + i] = static_cast<const unsigned char*>(from)[i];
  }
  void enter(const ApiCall& call) override { entered.push_back(call.kind); }
  void compute(std::uint64_t ps) override { lines.push_back(fmt::format("compute {}", ps)); }
  Address allocate(const ApiBuffer& buffer) override {
    lines.push_back(fmt::format("allocate {}", buffer.bytes));
    return next += 10;
  }
  void free(Address address) override { lines.push_back(fmt::format("free {}", address)); }
  void submit(const Command& command, bool may_be_cut) override {
    lines.push_back(fmt::format("command {} on {}", static_cast<int>(command.kind), command.stream.value));
    commands.push_back(command);
    cuts.push_back(may_be_cut);
  }
  void synchronise(std::uint32_t stream) override {
    lines.push_back(stream == ApiCall::kAllStreams ? "wait for all" : fmt::format("wait for {}", stream));
  }

  Address moved = 0;
  Address next = 0;
  std::map<Address, unsigned char> memory;
  std::vector<Kind> entered;
  Lines lines;
  std::vector<Command> commands;
  std::vector<bool> cuts;
};

ApiCall call_of(Kind kind, std::uint32_t buffer = 0, std::uint64_t bytes = 0) {
  ApiCall call;
  call.kind = kind;
  call.buffer = buffer;
  call.bytes = bytes;
  return call;
}

ApiProgram program_of(std::vector<ApiCall> calls) {
  ApiProgram program;
  program.buffers = {{"a", 64}, {"b", 32}};
  program.kernels.resize(2);
  program.streams = {"s", "t"};
  program.events = {"e"};
  program.calls = std::move(calls);
  return program;
}

void execute(ApiInterpreter& interpreter) {
  interpreter.start();
  while (interpreter.step()) {
  }
}

TEST(ApiInterpreter, CopiesNameBothSides) {
  std::vector<ApiCall> calls{call_of(Kind::kAllocate, 0),      call_of(Kind::kAllocate, 1),
                             call_of(Kind::kCopyUp, 0, 8),     call_of(Kind::kCopyDown, 1, 16),
                             call_of(Kind::kCopyAcross, 1, 4), call_of(Kind::kFill, 0, 64)};
  calls[2].offset = 1;
  calls[2].other_offset = 2;
  calls[3].other = 0;
  calls[4].other = 0;
  calls[4].other_offset = 3;
  calls[5].value = 7;
  const ApiProgram program = program_of(calls);
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  execute(interpreter);
  ASSERT_EQ(host.commands.size(), 4u);
  EXPECT_EQ(host.commands[0].kind, Command::Kind::kCopyUp);
  EXPECT_EQ(host.commands[0].device_address, 11u);
  EXPECT_EQ(host.commands[0].system_address, 1002u);
  EXPECT_EQ(host.commands[0].bytes, 8u);
  EXPECT_EQ(host.commands[1].kind, Command::Kind::kCopyDown);
  EXPECT_EQ(host.commands[1].device_address, 20u);
  EXPECT_EQ(host.commands[1].system_address, 1000u) << "the host memory of the other buffer";
  EXPECT_EQ(host.commands[2].kind, Command::Kind::kCopyAcross);
  EXPECT_EQ(host.commands[2].device_address, 20u);
  EXPECT_EQ(host.commands[2].source_address, 13u);
  EXPECT_EQ(host.commands[3].kind, Command::Kind::kFill);
  EXPECT_EQ(host.commands[3].value, 7u);
  EXPECT_EQ(interpreter.bytes_copied(), 24u) << "copies within the device do not count";
  EXPECT_THAT(host.lines, ElementsAre("allocate 64", "allocate 32", "command 1 on 0", "wait for 0",
                                      "command 2 on 0", "wait for 0", "command 5 on 0", "command 6 on 0"));
}

TEST(ApiInterpreter, AnAsynchronousCopyReturnsAtOnce) {
  ApiCall copy = call_of(Kind::kCopyUp, 0, 8);
  copy.asynchronous = true;
  copy.stream = 1;
  ApiCall all = call_of(Kind::kSynchronise);
  all.stream = ApiCall::kAllStreams;
  const ApiProgram program = program_of({call_of(Kind::kAllocate), copy, all});
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  execute(interpreter);
  EXPECT_THAT(host.lines, ElementsAre("allocate 64", "command 1 on 1", "wait for all"));
}

TEST(ApiInterpreter, CopiesThatAreLeftOutStillWait) {
  const ApiProgram program =
      program_of({call_of(Kind::kAllocate), call_of(Kind::kCopyUp, 0, 65), call_of(Kind::kFill, 0, 8)});
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {false, 0});
  execute(interpreter);
  EXPECT_THAT(host.lines, ElementsAre("allocate 64", "wait for 0"));
  EXPECT_EQ(interpreter.bytes_copied(), 0u);
}

TEST(ApiInterpreter, ACopyLiesInItsBuffer) {
  const ApiProgram program = program_of({call_of(Kind::kAllocate), call_of(Kind::kCopyUp, 0, 65)});
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  EXPECT_THAT([&] { execute(interpreter); },
              testing::ThrowsMessage<std::runtime_error>("65 bytes at 0 of 'a', which has 64"));
  EXPECT_EQ(interpreter.bytes_copied(), 0u);
}

TEST(ApiInterpreter, ASwapExchangesWhatFollowingCallsUse) {
  ApiCall swap = call_of(Kind::kSwap, 0);
  swap.other = 1;
  const ApiProgram program = program_of(
      {call_of(Kind::kAllocate, 0), call_of(Kind::kAllocate, 1), swap, call_of(Kind::kFill, 0, 1)});
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  execute(interpreter);
  EXPECT_EQ(host.commands[0].device_address, 20u);
}

TEST(ApiInterpreter, LaunchesAreSeededByTheirNumber) {
  ApiCall second = call_of(Kind::kLaunch);
  second.kernel = 1;
  second.priority = -3;
  second.sm_set = 2;
  ApiProgram program = program_of({call_of(Kind::kLaunch), second});
  program.kernels[0].blocks = 10;
  program.kernels[0].block_cycles = 500;
  program.kernels[1].blocks = 1;
  program.kernels[1].is_cooperative = true;
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {true, 5});
  execute(interpreter);
  ASSERT_EQ(host.commands.size(), 2u);
  EXPECT_EQ(host.commands[0].launch.blocks, 10u);
  EXPECT_EQ(host.commands[0].launch.block_cycles, 500u);
  EXPECT_EQ(host.commands[0].launch.seed, 5u);
  EXPECT_EQ(host.commands[1].launch.tag, 1u);
  EXPECT_EQ(host.commands[1].launch.priority, -3);
  EXPECT_EQ(host.commands[1].launch.sm_set, 2u);
  EXPECT_EQ(host.commands[1].launch.seed, 5 + 0x9e3779b97f4a7c15ULL);
  EXPECT_EQ(host.cuts, (std::vector<bool>{true, false}));
  EXPECT_EQ(interpreter.kernels_launched(), 2u);
}

// A wait before the first record of an execution waits for this record and not for one of the last execution.
TEST(ApiInterpreter, EventsCountFromExecutionToExecution) {
  const ApiProgram program = program_of(
      {call_of(Kind::kWait), call_of(Kind::kRecord), call_of(Kind::kRecord), call_of(Kind::kWait)});
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  execute(interpreter);
  execute(interpreter);
  std::vector<std::uint64_t> values;
  for (const Command& command : host.commands) values.push_back(command.event_value);
  EXPECT_EQ(values, (std::vector<std::uint64_t>{1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(ApiInterpreter, WhatTheSetupAllocatesIsKept) {
  ApiProgram program = program_of({call_of(Kind::kAllocate, 0), call_of(Kind::kAllocate, 1)});
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  interpreter.start({0, 1});
  while (interpreter.step()) {
  }
  interpreter.keep_allocations();
  interpreter.start({1, 2});
  while (interpreter.step()) {
  }
  host.lines.clear();
  interpreter.free_allocations();
  EXPECT_THAT(host.lines, ElementsAre("free 20"));
  interpreter.free_all();
  EXPECT_THAT(host.lines, ElementsAre("free 20", "free 10"));
  interpreter.free_all();
  EXPECT_EQ(host.lines.size(), 2u) << "nothing is freed twice";
}

TEST(ApiInterpreter, ARequestChangesSizesAndPlaces) {
  ApiProgram program = program_of({call_of(Kind::kAllocate), call_of(Kind::kCopyUp, 0, 4)});
  program.set_request = [](const RequestValues& values, ApiProgram& shaped) {
    shaped.buffers[0].bytes = static_cast<std::uint64_t>(values[0]);
  };
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  host.moved = 500;
  RequestValues values{};
  values[0] = 128;
  interpreter.set_request(values);
  execute(interpreter);
  EXPECT_EQ(host.lines[0], "allocate 128");
  EXPECT_EQ(host.commands[0].system_address, 1500u);
  EXPECT_EQ(program.buffers[0].bytes, 64u) << "the program that others share has not changed";
}

TEST(ApiInterpreter, AKernelWithoutBlocksInAPassIsNotLaunched) {
  ApiProgram program = program_of({call_of(Kind::kLaunch)});
  program.kernels.resize(1);
  program.kernels[0].blocks = 3;
  program.set_request = [](const RequestValues& values, ApiProgram& shaped) {
    shaped.kernels[0].blocks = static_cast<std::uint64_t>(values[0]);
  };
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  interpreter.set_request({0});
  execute(interpreter);
  EXPECT_TRUE(host.commands.empty());
  EXPECT_TRUE(host.lines.empty()) << "the host does not call the runtime either";
  interpreter.set_request({5});
  execute(interpreter);
  ASSERT_EQ(host.commands.size(), 1U);
  EXPECT_EQ(host.commands[0].launch.blocks, 5U);
}

TEST(ApiInterpreter, EveryCallIsEnteredInItsOrder) {
  ApiCall repeat = call_of(Kind::kRepeat);
  repeat.count = 2;
  ApiCall compute = call_of(Kind::kCpu);
  compute.time_ps = 9;
  const ApiProgram program =
      program_of({repeat, compute, call_of(Kind::kQuery), call_of(Kind::kEnd), call_of(Kind::kSynchronise)});
  NotingHost host;
  ApiInterpreter interpreter(program, nullptr, host, {});
  execute(interpreter);
  EXPECT_THAT(host.entered,
              ElementsAre(Kind::kCpu, Kind::kQuery, Kind::kCpu, Kind::kQuery, Kind::kSynchronise));
  EXPECT_THAT(host.lines, ElementsAre("compute 9", "compute 9", "wait for 0"));
  EXPECT_FALSE(interpreter.step());
}

// A script that writes what it reads, one byte higher, and launches three blocks for the address of a buffer.
struct Script : HostScript {
  void start(HostMemory& memory) override { memory.write(0, 8, "\x01\x02", 2); }
  void perform(std::uint32_t action, HostMemory& memory) override {
    unsigned char bytes[2];
    memory.read(0, 8, bytes, 2);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(byte + action);
    memory.write(1, 0, bytes, 2);
  }
  bool again(std::uint32_t, HostMemory&) override { return false; }
  Launch launch(const ApiCall& call, HostMemory& memory) override {
    Launch made;
    made.blocks = 3;
    made.shape.threads = 32;
    made.arguments = memory.device_address(call.buffer);
    made.is_cooperative = true;
    return made;
  }
  std::string restart_problem(std::uint64_t, const DeviceMemory&) const override { return {}; }
  std::unique_ptr<KernelProgram> open(std::uint64_t, DeviceMemory&, const CodeOptions&) override {
    return nullptr;
  }
  void finish(HostMemory& memory) override {
    unsigned char byte = 0;
    memory.read(1, 1, &byte, 1);
    if (byte != 12) throw std::runtime_error("wrong");
  }
};

TEST(ApiInterpreter, AScriptSeesBuffersAndMakesLaunches) {
  ApiCall host_work = call_of(Kind::kHost);
  host_work.action = 10;
  const ApiProgram program = program_of({call_of(Kind::kAllocate, 1), host_work, call_of(Kind::kLaunch, 1)});
  NotingHost host;
  Script script;
  ApiInterpreter interpreter(program, &script, host, {});
  interpreter.start_script();
  EXPECT_THROW(interpreter.finish_script(), std::runtime_error);
  execute(interpreter);
  EXPECT_EQ(host.memory[1008], 1u);
  EXPECT_EQ(host.memory[2000], 11u);
  EXPECT_NO_THROW(interpreter.finish_script());
  ASSERT_EQ(host.commands.size(), 1u);
  EXPECT_EQ(host.commands[0].launch.blocks, 3u);
  EXPECT_EQ(host.commands[0].launch.shape.threads, 32u);
  EXPECT_EQ(host.commands[0].launch.arguments, 10u);
  EXPECT_FALSE(host.cuts[0]) << "its blocks wait for each other";
}

}  // namespace
}  // namespace heddle
