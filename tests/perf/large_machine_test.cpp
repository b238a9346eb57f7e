// What a machine of a hundred SMs costs in memory of the host.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "models/machine/machine.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

// Returns the peak memory of a process that runs a kernel of one block on the machine, in KiB.
long memory_of(const std::vector<std::string>& settings) {
  return std::stol(in_child([&settings] {
    MachineSpec spec;
    spec.gpu = gtx480(settings);
    spec.processes.push_back(process_of(synthetic("[{op: int_add, count: 8}]")));
    Machine machine("machine", spec);
    machine.run();
    EXPECT_EQ(machine.failure(), "");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::to_string(usage.ru_maxrss);
  }));
}

TEST(LargeMachine, AnSmTakesTheSameMemoryInAnyNumber) {
  const long few = memory_of({"sm.count=15"});
  const long some = memory_of({"sm.count=60"});
  const long many = memory_of({"sm.count=132"});
  const double first = static_cast<double>(some - few) / (60 - 15);
  const double then = static_cast<double>(many - some) / (132 - 60);
  RecordProperty("kib_per_sm", std::to_string(then));
  EXPECT_LT(then, 1.2 * first);
  EXPECT_LT(then, 700);
}

TEST(LargeMachine, AChannelTakesTheSameMemoryInAnyNumber) {
  const long few = memory_of({"dram.channels=6"});
  const long some = memory_of({"dram.channels=32"});
  const long many = memory_of({"dram.channels=64"});
  const double first = static_cast<double>(some - few) / (32 - 6);
  const double then = static_cast<double>(many - some) / (64 - 32);
  RecordProperty("kib_per_channel", std::to_string(then));
  EXPECT_LT(then, 1.2 * first);
  EXPECT_LT(then, 700);
}

}  // namespace
}  // namespace heddle::test
