#include "models/sm/subcore/register_ports.h"

#include <gtest/gtest.h>

#include <map>

#include "models/core/base/random.h"

namespace heddle::test {
namespace {

using Reads = RegisterPorts::Reads;

TEST(RegisterPorts, TwoReadsOfEachBankFitAnInstructionACycle) {
  RegisterPorts ports;
  // A window has three cycles, so that bursts fit that a port serves in the long run.
  for (std::uint64_t cycle = 10; cycle < 20; ++cycle)
    EXPECT_EQ(ports.allocate({1, 1}, Cycle{cycle}), Cycle{cycle});
}

// Huerta et al., MICRO 2025, listing 1: three registers of bank 0, and then one, two or three of them.
TEST(RegisterPorts, ASecondInstructionWaitsForTheReadsThatItsWindowLacks) {
  for (std::uint32_t of_bank_0 = 1; of_bank_0 <= 3; ++of_bank_0) {
    RegisterPorts ports;
    EXPECT_EQ(ports.allocate({3, 0}, Cycle{10}), Cycle{10});
    EXPECT_EQ(ports.allocate({of_bank_0, 3 - of_bank_0}, Cycle{11}), Cycle{10 + of_bank_0});
  }
}

TEST(RegisterPorts, AnInstructionWithMoreReadsThanTheWindowTakesThePortForAsManyCycles) {
  RegisterPorts ports;
  EXPECT_EQ(ports.allocate({5, 2}, Cycle{10}), Cycle{10});
  EXPECT_EQ(ports.allocate({1, 0}, Cycle{11}), Cycle{13});
}

TEST(RegisterPorts, AMemoryInstructionReadsInFreeCycles) {
  RegisterPorts ports;
  EXPECT_EQ(ports.read({0, 0}, Cycle{10}), Cycle{10});
  EXPECT_EQ(ports.allocate({2, 0}, Cycle{10}), Cycle{10});
  EXPECT_EQ(ports.read({2, 1}, Cycle{10}), Cycle{14});
}

// Against a table of every cycle: each allocation is the first at which the ports have room.
TEST(RegisterPorts, AnAllocationIsTheFirstWithRoom) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    RegisterPorts ports;
    std::map<std::uint64_t, bool> taken[2];
    std::uint64_t from = 1;
    for (int i = 0; i < 100; ++i) {
      const Reads reads{static_cast<std::uint32_t>(random.below(4)),
                        static_cast<std::uint32_t>(random.below(4))};
      const auto has_room = [&](std::uint64_t at) {
        for (std::size_t bank = 0; bank < 2; ++bank) {
          std::uint32_t free = 0;
          for (std::uint64_t cycle = at + 1; cycle <= at + 3; ++cycle) free += taken[bank][cycle] ? 0 : 1;
          if (free < reads[bank]) return false;
        }
        return true;
      };
      std::uint64_t expected = from;
      while (!has_room(expected)) ++expected;
      for (std::size_t bank = 0; bank < 2; ++bank) {
        std::uint32_t left = reads[bank];
        for (std::uint64_t cycle = expected + 1; left > 0; ++cycle)
          if (!taken[bank][cycle]) {
            taken[bank][cycle] = true;
            --left;
          }
      }
      ASSERT_EQ(ports.allocate(reads, Cycle{from}), Cycle{expected}) << seed << " " << i;
      from = expected + 1 + (random.below(5) == 0 ? random.below(100) : 0);
    }
  }
}

}  // namespace
}  // namespace heddle::test
