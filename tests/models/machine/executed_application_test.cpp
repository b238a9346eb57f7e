// Applications whose kernels compute on real data, on cycle SMs in the whole machine and without a machine.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "models/machine/machine.h"
#include "stimuli/functional/functional_host.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/sanitized.h"
#include "tests/support/scripted_application.h"

namespace heddle::test {
namespace {

using Kind = ApiCall::Kind;
using testing::HasSubstr;

Words numbers(std::uint32_t count, std::uint32_t first = 1) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

// Returns the contents of host memory after each execution, and the number of launches, as text.
std::string tell(const ApplicationLog& log) {
  return fmt::format("{} launches: {}", log.addresses.size(), log.results);
}

std::string expected(std::size_t launches, const std::vector<Words>& results) {
  return fmt::format("{} launches: {}", launches, std::vector<std::vector<Words>>{results});
}

GpuSpec gpu() {
  return shared_gtx480("fcfs-m", {"sm.count=4"});
}

// Returns that text for a run on the machine, which must not fail.
std::string on_machine(const std::vector<const ApplicationBuilder*>& applications) {
  std::vector<HostProcessSpec> processes;
  for (const ApplicationBuilder* application : applications)
    processes.push_back(process_of(application->program));
  const CycleRun result = run(gpu(), processes, Build::kPlain, [&](Gpu&) {
    std::vector<std::string> logs;
    for (const ApplicationBuilder* application : applications) logs.push_back(tell(*application->log));
    return fmt::format("{}", fmt::join(logs, "\n"));
  });
  EXPECT_EQ(result.failure, "");
  return result.note;
}

// Expects these results with the machine and without it.
void expect_results(const ApplicationBuilder& application, const std::string& results) {
  EXPECT_EQ(on_machine({&application}), results);
  FunctionalHost(application.program).run();
  EXPECT_EQ(tell(*application.log), results);
}

void expect_failure(const ApplicationBuilder& application, const std::string& message) {
  EXPECT_THAT(run(gpu(), application.program).failure, HasSubstr(message));
  EXPECT_THAT([&] { FunctionalHost(application.program).run(); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr(message)));
}

// Returns an application that copies b0 to the device, computes b1 = b0 + 5 and copies b1 back.
ApplicationBuilder addition(const std::string& name, std::uint32_t words, std::uint32_t first = 1) {
  ApplicationParts parts;
  parts.launches = {{0, 1, words, 5, 0, ""}};
  parts.start = [=](HostMemory& memory) { write_words(memory, 0, numbers(words, first)); };
  ApplicationBuilder application(name, {words, words}, parts);
  application.there_and_back();
  return application;
}

TEST(ExecutedApplication, DataGoUpAreWorkedOnAndComeDown) {
  expect_results(addition("add", 1'001), expected(1, {numbers(1'001), numbers(1'001, 6)}));
}

TEST(ExecutedApplication, WithoutAMachineEachLaunchCountsItsInstructions) {
  const std::vector<FunctionalLaunch> launches = FunctionalHost(addition("add", 100).program).run();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "add");
  EXPECT_EQ(launches[0].blocks, 2u);
  EXPECT_EQ(launches[0].counts.warp_instructions, 4u * 4);
  EXPECT_EQ(launches[0].counts.thread_instructions, 4u * 100);
}

TEST(ExecutedApplication, BytesAndLaunchesAreCountedAsOfAnyOther) {
  const CycleRun result = run(gpu(), addition("add", 1000).program);
  EXPECT_EQ(result.at("applications.add.add.launched"), 1u);
  EXPECT_EQ(result.at("applications.add.add.blocks_done"), 16u);
  EXPECT_EQ(result.at("applications.add.add.thread_instructions"), 4000u);
  EXPECT_EQ(result.at("gpu.dma0.bytes_up"), 4000u);
  EXPECT_EQ(result.sum("gpu.dma*.bytes_down"), 4000u);
}

// Returns an application in which b0[0] grows by one in each round until the host finds the limit.
ApplicationBuilder until(std::uint32_t limit, std::uint64_t at_most) {
  ApplicationParts parts;
  parts.launches = {{0, 0, 3, 1, 0, ""}};
  parts.start = [](HostMemory& memory) { write_words(memory, 0, {0, 10, 20}); };
  parts.again = [=](std::uint32_t action, HostMemory& memory) {
    EXPECT_EQ(action, 4u);
    return read_words(memory, 0, 1)[0] < limit;
  };
  ApplicationBuilder application("until", {3}, parts);
  application.add(Kind::kAllocate, 0);
  application.whole(Kind::kCopyUp, 0);
  application.repeat_while(4, at_most);
  application.launch(0);
  application.whole(Kind::kCopyDown, 0);
  application.add(Kind::kEnd);
  return application;
}

TEST(ExecutedApplication, ALoopGoesOnWhileItsScriptSaysSo) {
  expect_results(until(7, 100), expected(7, {{7, 17, 27}}));
  expect_results(until(7, 7), expected(7, {{7, 17, 27}}));
  expect_results(until(0, 1), expected(1, {{1, 11, 21}}));
}

TEST(ExecutedApplication, ALoopThatDoesNotEndFailsTheRun) {
  expect_failure(until(7, 6), "until: a loop does not end: it has gone round 6 times");
}

TEST(ExecutedApplication, SwappedBuffersExchangeTheirPlacesOnTheDevice) {
  ApplicationParts parts;
  parts.launches = {{0, 1, 4, 100, 0, ""}};
  parts.start = [](HostMemory& memory) { write_words(memory, 0, numbers(4)); };
  ApplicationBuilder application("swap", {4, 4}, parts);
  application.add(Kind::kAllocate, 0);
  application.add(Kind::kAllocate, 1);
  application.whole(Kind::kCopyUp, 0);
  ApiCall& loop = application.add(Kind::kRepeat);
  loop.count = 3;
  application.launch(0);
  application.swap(0, 1);
  application.add(Kind::kEnd);
  application.whole(Kind::kCopyDown, 0);
  application.whole(Kind::kCopyDown, 1);
  expect_results(application, expected(3, {numbers(4, 301), numbers(4, 201)}));
  const std::vector<std::vector<Address>>& addresses = application.log->addresses;
  EXPECT_EQ(addresses[1], (std::vector<Address>{addresses[0][1], addresses[0][0]}));
  EXPECT_EQ(addresses[2], addresses[0]);
}

TEST(ExecutedApplication, FillsAndCopiesWithinDeviceMemory) {
  ApplicationParts parts;
  parts.launches = {{1, 1, 3000, 1, 0, ""}};
  parts.start = [](HostMemory& memory) { write_words(memory, 0, numbers(3000)); };
  ApplicationBuilder application("fill", {3000, 3000}, parts);
  application.add(Kind::kAllocate, 0);
  application.add(Kind::kAllocate, 1);
  application.whole(Kind::kCopyUp, 0);
  application.whole(Kind::kFill, 1).value = 0x11;
  ApiCall& across = application.transfer(Kind::kCopyAcross, 1, 2000, 500);
  across.other = 0;
  across.other_offset = 4 * 7;
  application.transfer(Kind::kFill, 1, 2, 10).value = 0;
  application.launch(0);
  application.whole(Kind::kCopyDown, 1);
  Words result(3000, 0x11111112);
  for (std::uint32_t i = 0; i < 2000; ++i) result[500 + i] = i + 9;
  result[10] = result[11] = 1;
  expect_results(application, expected(1, {numbers(3000), result}));
}

TEST(ExecutedApplication, CopiesTakePartsOfBuffersAndOfOtherBuffersHostMemory) {
  ApplicationParts parts;
  parts.start = [](HostMemory& memory) { write_words(memory, 0, numbers(8)); };
  ApplicationBuilder application("parts", {8, 8}, parts);
  application.add(Kind::kAllocate, 1);
  ApiCall& up = application.transfer(Kind::kCopyUp, 1, 3, 2);
  up.other = 0;
  up.other_offset = 4 * 4;
  application.transfer(Kind::kCopyDown, 1, 6, 1).other_offset = 8;
  expect_results(application, expected(0, {numbers(8), {0, 0, 0, 5, 6, 7, 0, 0}}));
}

TEST(ExecutedApplication, TheHostComputesBetweenCalls) {
  ApplicationParts parts;
  parts.launches = {{0, 0, 4, 1, 0, ""}};
  parts.perform = [](std::uint32_t action, HostMemory& memory) {
    Words words = read_words(memory, 0, 4);
    for (std::uint32_t& word : words) word = word * 10 + action;
    write_words(memory, 0, words);
  };
  ApplicationBuilder application("host", {4}, parts);
  application.add(Kind::kAllocate, 0);
  for (std::uint32_t action : {3u, 4u}) {
    application.host(action);
    application.whole(Kind::kCopyUp, 0);
    application.launch(0);
    application.whole(Kind::kCopyDown, 0);
  }
  expect_results(application, expected(2, {Words(4, 45)}));
}

// Two streams process one half each. The second kernel waits for the first by an event.
TEST(ExecutedApplication, StreamsCopyAndComputeBesideEachOther) {
  ApplicationParts parts;
  parts.launches = {{0, 1, 5'000, 1, 0, ""}, {1, 2, 5'000, 10, 0, ""}};
  parts.start = [](HostMemory& memory) { write_words(memory, 0, numbers(5'000)); };
  ApplicationBuilder application("streams", {5'000, 5'000, 5'000}, parts);
  for (std::uint32_t buffer = 0; buffer < 3; ++buffer) application.add(Kind::kAllocate, buffer);
  application.whole(Kind::kCopyUp, 0).asynchronous = true;
  application.launch(0);
  application.add(Kind::kRecord);
  application.add(Kind::kWait).stream = 1;
  application.launch(1).stream = 1;
  application.whole(Kind::kCopyDown, 1).asynchronous = true;
  ApiCall& down = application.whole(Kind::kCopyDown, 2);
  down.stream = 1;
  down.asynchronous = true;
  application.add(Kind::kSynchronise).stream = ApiCall::kAllStreams;
  expect_results(application, expected(2, {numbers(5'000), numbers(5'000, 2), numbers(5'000, 12)}));
}

TEST(ExecutedApplication, ProcessesBesideEachOtherHaveTheSameAddressesAndTheirOwnData) {
  const ApplicationBuilder a = addition("a", 5000);
  const ApplicationBuilder b = addition("b", 5000, 777);
  EXPECT_EQ(on_machine({&a, &b}), expected(1, {numbers(5000), numbers(5000, 6)}) + "\n" +
                                      expected(1, {numbers(5000, 777), numbers(5000, 782)}));
}

// The kernel still reads b0 when the host frees it and allocates b1 and b2, one of which takes the addresses
// of b0.
TEST(ExecutedApplication, AFreeWaitsForAllStreamsAndItsPlaceIsTakenAgain) {
  ApplicationParts parts;
  parts.launches = {{0, 1, 4, 1, 2000, ""}, {2, 1, 4, 100, 0, ""}};
  parts.start = [](HostMemory& memory) { write_words(memory, 0, numbers(4)); };
  ApplicationBuilder application("free", {4, 4, 4}, parts);
  application.add(Kind::kAllocate, 0);
  application.add(Kind::kAllocate, 1);
  application.whole(Kind::kCopyUp, 0);
  application.launch(0);
  application.add(Kind::kFree, 0);
  application.add(Kind::kAllocate, 2);
  ApiCall& fill = application.whole(Kind::kFill, 2);
  fill.value = 1;
  fill.stream = 1;
  application.add(Kind::kSynchronise).stream = 1;
  application.whole(Kind::kCopyDown, 1);
  application.launch(1);
  application.add(Kind::kFree, 1);
  application.whole(Kind::kCopyDown, 2);
  expect_results(application, expected(2, {numbers(4), numbers(4, 2), Words(4, 0x01010101)}));
  EXPECT_EQ(application.log->addresses[1][0], application.log->addresses[0][0]);
}

std::string replayed(const std::string& partitioner) {
  ApplicationBuilder once = addition("once", 40'000);
  once.add(Kind::kRepeat).count = 10;
  once.launch(0);
  once.whole(Kind::kCopyDown, 1);
  once.add(Kind::kEnd);
  ApplicationBuilder again = addition("again", 3000, 50);
  again.add(Kind::kFree, 0);  // the other allocation remains at the end of the program
  MachineSpec spec;
  spec.gpu = shared_gtx480(partitioner, {"sm.count=3"});
  if (partitioner == "time-slice") {  // the first program takes no longer than a slice of the usual length
    auto& parameters = spec.gpu.policies.at("sm_partitioner").parameters;
    parameters["quantum"] = 20.0;
    parameters["switch_cost"] = 1.0;
    parameters["idle"] = 0.0;
  }
  spec.starvation_limit_ps = 1'000'000'000'000;
  for (const ApplicationBuilder* application : {&once, &again}) {
    spec.processes.push_back(process_of(application->program, 0, 1));
    spec.processes.back().number = static_cast<std::uint32_t>(spec.processes.size() - 1);
    spec.processes.back().replay = true;
  }
  return in_child([&] {
    Machine machine("machine", spec);
    machine.run();
    machine.check_conservation();
    EXPECT_EQ(machine.failure(), "");
    const ApplicationLog& log = *again.log;
    for (const std::vector<Words>& result : log.results)
      EXPECT_EQ(result, (std::vector<Words>{numbers(3000, 50), numbers(3000, 55)}));
    for (const std::vector<Address>& addresses : log.addresses) EXPECT_EQ(addresses, log.addresses[0]);
    EXPECT_EQ(once.log->results[0][1], numbers(40'000, 6));
    EXPECT_EQ(machine.results()[1].completions, log.results.size());
    return fmt::format("{}", log.results.size());
  });
}

TEST(ExecutedApplication, ReplaysGiveTheSameResultsAtTheSameAddressesUnderEveryPolicy) {
  for (const std::string& partitioner : PolicyCatalogue::instance().names(SmPartitioner::kDecision)) {
    SCOPED_TRACE(partitioner);
    EXPECT_GE(std::stoul("0" + replayed(partitioner)), 3u);
  }
}

TEST(ExecutedApplication, WhatAScriptThrowsFailsTheRunWithItsApplicationsName) {
  ApplicationParts parts;
  parts.finish = [](HostMemory&) { throw std::runtime_error("b1[3] is 7, not 8"); };
  expect_failure(ApplicationBuilder("wrong", {4}, parts), "wrong: b1[3] is 7, not 8");
  parts.finish = [](HostMemory& memory) { read_words(memory, 0, 3, 2); };
  expect_failure(ApplicationBuilder("wrong", {4}, parts), "wrong: 12 bytes at 8 of 'b0', which has 16");
}

TEST(ExecutedApplication, WhatAKernelThrowsFailsTheRun) {
  if (kSanitized) GTEST_SKIP() << "an exception leaves a simulation";
  ApplicationParts parts;
  parts.launches = {{0, 0, 4, 1, 0, "kernel 'add': no such thing"}};
  ApplicationBuilder application("broken", {4}, parts);
  application.add(Kind::kAllocate, 0);
  application.launch(0);
  expect_failure(application, "kernel 'add': no such thing");
}

TEST(ExecutedApplication, ACopyOfMoreThanTheHostsBufferFailsTheRun) {
  ApplicationBuilder application("large", {4}, {});
  application.add(Kind::kAllocate, 0);
  application.transfer(Kind::kCopyUp, 0, 5);
  expect_failure(application, "large: 20 bytes at 0 of 'b0', which has 16");
}

TEST(ExecutedApplication, ACopyPastTheEndOfItsAllocationFailsTheRun) {
  if (kSanitized) GTEST_SKIP() << "an exception leaves a simulation";
  ApplicationBuilder application("large", {8, 4}, {});
  application.add(Kind::kAllocate, 1);
  application.transfer(Kind::kCopyUp, 1, 5).other = 0;
  expect_failure(application, "lies 3 bytes behind the end of 'b1' (16 bytes from 0x10000000000)");
}

TEST(ExecutedApplication, CountsTheSameHoweverTheMachineIsBuilt) {
  const ApplicationBuilder application = until(7, 100);
  const CycleRun plain = run(gpu(), application.program);
  const CycleRun reversed = run(gpu(), {process_of(application.program)}, Build::kReversed);
  EXPECT_EQ(plain.stats, reversed.stats);
  EXPECT_EQ(plain.at("applications.until.add.launched"), 7u);
}

}  // namespace
}  // namespace heddle::test
