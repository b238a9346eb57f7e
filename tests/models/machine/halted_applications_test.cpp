// Applications that are halted at their targets of instructions while they compute on real data.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "models/machine/machine.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/scripted_application.h"

namespace heddle::test {
namespace {

using Kind = ApiCall::Kind;

constexpr std::uint32_t kWords = 40'000;
constexpr std::uint64_t kInstructions = std::uint64_t{kWords} / 32 * 4;  // of one execution

// Returns an application that computes b1 = b0 + 5. Its script fails if that is not the result.
ApplicationBuilder addition(const std::string& name) {
  Words words(kWords);
  std::iota(words.begin(), words.end(), 0u);
  ApplicationParts parts;
  parts.launches = {{0, 1, kWords, 5, 0, ""}};
  parts.start = [words](HostMemory& memory) { write_words(memory, 0, words); };
  parts.finish = [](HostMemory& memory) {
    const Words results = read_words(memory, 1, kWords);
    for (std::uint32_t i = 0; i < kWords; ++i)
      if (results[i] != i + 5) throw std::runtime_error(fmt::format("b1[{}] is {}", i, results[i]));
  };
  ApplicationBuilder application(name, {kWords, kWords}, parts);
  application.there_and_back();
  return application;
}

MachineSpec machine_of(const std::vector<std::uint64_t>& targets) {
  MachineSpec spec;
  spec.gpu = shared_gtx480("left-over", {"sm.count=3"});
  spec.starvation_limit_ps = 1'000'000'000'000;
  for (std::uint32_t i = 0; i < targets.size(); ++i) {
    HostProcessSpec process = process_of(addition(fmt::format("a{}", i)).program);
    process.number = i;
    process.replay = process.is_halted = true;
    process.target_instructions = targets[i];
    spec.processes.push_back(process);
  }
  return spec;
}

std::uint64_t instructions_of(const Machine& machine, std::size_t application) {
  std::uint64_t sum = 0;
  for (const KernelLog::KernelCounters& kernel : machine.kernel_log().kernels(application))
    sum += kernel.warp_instructions.value();
  return sum;
}

// The first application is halted in the middle of its first execution or of its third one.
TEST(HaltedApplications, DataOfAnExecutionThatIsCutShortAreNotItsResults) {
  for (const std::uint64_t target : {kInstructions / 2, kInstructions * 5 / 2}) {
    const std::string failure = in_child([target] {
      Machine machine("machine", machine_of({target, 6 * kInstructions}));
      machine.run();
      return machine.failure();
    });
    EXPECT_EQ(failure, "") << target;
  }
}

TEST(HaltedApplications, ExecutionsBeforeTheHaltAreChecked) {
  const std::string failure = in_child([] {
    MachineSpec spec = machine_of({3 * kInstructions});
    spec.processes[0].copies = false;  // its data never come down
    Machine machine("machine", spec);
    machine.run();
    return machine.failure();
  });
  EXPECT_EQ(failure, "a0: b1[0] is 0");
}

// When the run ends, blocks of both applications are on SMs or on their way to the engine.
TEST(HaltedApplications, InstructionsByKernelAddUpToThoseOfTheApplicationWheneverTheRunIsCut) {
  const std::string sums = in_child([] {
    std::string text;
    Machine machine("machine", machine_of({kInstructions / 2, kInstructions * 5 / 4}));
    machine.run();
    for (int cut = 0; cut < 40; ++cut) {
      machine.stats();
      for (std::size_t i = 0; i < 2; ++i) {
        const std::uint64_t issued = machine.results()[i].warp_instructions;
        if (const std::uint64_t sum = instructions_of(machine, i); sum != issued || issued == 0)
          text += fmt::format("cut {}: a{} issued {} instructions, its kernels {}\n", cut, i, issued, sum);
      }
      machine.check_conservation();
      sc_core::sc_start(sc_core::sc_time(37, sc_core::SC_NS));
    }
    return text;
  });
  EXPECT_EQ(sums, "");
}

}  // namespace
}  // namespace heddle::test
