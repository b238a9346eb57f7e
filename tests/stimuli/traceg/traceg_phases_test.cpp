// Phases of traced kernels.

#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::issue_all;
using test::TemporaryFile;
using test::trace_of;

// Returns a line that writes R`to` and reads R`from`.
std::string line(std::uint32_t pc, std::uint32_t to, std::uint32_t from,
                 const std::string& mask = "ffffffff") {
  return fmt::format("{:04x} {} 1 R{} IADD3 1 R{} 0", 16 * pc, mask, to, from);
}

// Returns twelve instructions with one live register, six that write registers, and ten that read them.
std::vector<std::string> two_phases() {
  std::vector<std::string> lines;
  std::uint32_t pc = 0;
  for (; pc < 12; ++pc) lines.push_back(line(pc, 1, 1));
  for (std::uint32_t i = 2; i < 8; ++i) lines.push_back(line(pc++, i, 1));
  for (std::uint32_t i = 0; i < 10; ++i) lines.push_back(line(pc++, 1, 2 + i % 6));
  return lines;
}

struct Seen {
  std::vector<std::string> order;  // "phase N" or the opcode's PC
  std::string needs;
};

Seen seen_of(std::vector<std::string> lines, bool with_phases) {
  lines.emplace_back("0ff0 ffffffff 0 EXIT 0 0");
  const TemporaryFile file(trace_of(lines, {"nregs = 20", "shmem = 512"}));
  TraceProgram program(file.path(), {}, with_phases);
  Seen seen;
  for (const IssuedInstruction& issued : issue_all(program.start(BlockId{0}), 0))
    seen.order.push_back(issued.code->operation == Operation::kPhase
                             ? fmt::format("phase {}", issued.code->phase)
                             : fmt::format("{:x}", issued.code->pc));
  for (const PhaseNeeds& phase : program.phases())
    seen.needs += fmt::format("{}/{} ", phase.registers_per_thread, phase.shared_bytes);
  return seen;
}

std::vector<std::string> phases_in(const Seen& seen) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < seen.order.size(); ++i)
    if (seen.order[i].rfind("phase", 0) == 0) found.push_back(seen.order[i] + " " + seen.order[i + 1]);
  return found;
}

TEST(TracePhases, StartWhereAQuarterMoreOrFewerRegistersAreLive) {
  const Seen seen = seen_of(two_phases(), true);
  EXPECT_EQ(seen.needs, "1/512 7/512 ");
  EXPECT_EQ(phases_in(seen), (std::vector<std::string>{"phase 1 c0"}));
}

TEST(TracePhases, AWarpThatComesBackStartsThePhaseAgain) {
  std::vector<std::string> lines = two_phases();
  const std::vector<std::string> round = lines;
  lines.insert(lines.end(), round.begin(), round.end());
  const Seen seen = seen_of(lines, true);
  EXPECT_EQ(phases_in(seen), (std::vector<std::string>{"phase 1 c0", "phase 0 0", "phase 1 c0"}));
}

TEST(TracePhases, WithoutThemTheTraceIsAsItWas) {
  Seen with = seen_of(two_phases(), true);
  const Seen without = seen_of(two_phases(), false);
  EXPECT_EQ(without.needs, "");
  with.order.erase(std::find(with.order.begin(), with.order.end(), "phase 1"));
  EXPECT_EQ(with.order, without.order);
}

TEST(TracePhases, NoneStartsWhereLanesAreApart) {
  std::vector<std::string> lines = two_phases();
  for (std::size_t i = 12; i < 20; ++i) lines[i].replace(5, 8, "0000ffff");
  EXPECT_EQ(seen_of(lines, true).needs, "7/512 ");
}

TEST(TracePhases, ATraceWithoutRegistersHasOne) {
  std::vector<std::string> lines;
  for (int i = 0; i < 30; ++i) lines.push_back(fmt::format("{:04x} ffffffff 0 NOP 0 0", 16 * i));
  const Seen seen = seen_of(lines, true);
  EXPECT_EQ(seen.needs, "");
  EXPECT_TRUE(phases_in(seen).empty());
}

TEST(TracePhases, AreTheSameWhereTheTraceWaitsInAFile) {
  std::vector<std::string> lines = two_phases();
  for (int i = 0; i < 6; ++i) {
    const std::vector<std::string> round = lines;
    lines.insert(lines.end(), round.begin(), round.end());
  }
  lines.emplace_back("0ff0 ffffffff 0 EXIT 0 0");
  const TemporaryFile file(trace_of(lines, {"nregs = 20"}));
  const auto order = [&](const TraceLimits& limits) {
    TraceProgram program(file.path(), limits, true);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> issued;
    for (const IssuedInstruction& i : issue_all(program.start(BlockId{0}), 0))
      issued.emplace_back(i.code->pc, i.code->phase);
    return issued;
  };
  EXPECT_EQ(order({1, 1}), order({}));
  EXPECT_EQ(order({}).size(), lines.size() + 1 + 2 * 63);
}

}  // namespace
}  // namespace heddle
