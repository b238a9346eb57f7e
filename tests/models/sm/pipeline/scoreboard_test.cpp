// A scoreboard gives the same answers as sets of registers, for instructions drawn at random.

#include "models/sm/pipeline/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "models/core/base/random.h"

namespace heddle::test {
namespace {

// The registers are few, so that instructions meet, and lie in several words.
RegisterId draw_register(Random& random) {
  constexpr std::array<RegisterId, 4> kFirst{0, 60, 250, kFirstPredicateName};
  return static_cast<RegisterId>(kFirst[random.below(kFirst.size())] + random.below(6));
}

Instruction draw_instruction(Random& random) {
  Instruction code;
  std::set<RegisterId> written;
  while (written.size() < random.below(4)) written.insert(draw_register(random));
  for (const RegisterId id : written) id < kFirstPredicateName ? code.writes(id) : code.writes_predicate(id);
  for (std::uint64_t i = random.below(5); i > 0; --i) code.reads(draw_register(random));
  return code;
}

class SetsOfRegisters {
 public:
  Scoreboard::Wait wait(const Instruction& code) const {
    Scoreboard::Wait wait;
    for (const auto* list : {&code.sources(), &code.destinations()})
      for (const RegisterId id : *list) {
        wait.pending = wait.pending || pending_.count(id) != 0;
        wait.memory = wait.memory || loaded_.count(id) != 0;
      }
    return wait;
  }
  void reserve(const Instruction& code, bool memory) {
    pending_.insert(code.destinations().begin(), code.destinations().end());
    if (memory) loaded_.insert(code.destinations().begin(), code.destinations().end());
  }
  void release(const Instruction& code) {
    for (const RegisterId id : code.destinations()) {
      pending_.erase(id);
      loaded_.erase(id);
    }
  }

 private:
  std::set<RegisterId> pending_;
  std::set<RegisterId> loaded_;
};

TEST(Scoreboard, AnswersAsSetsOfRegistersDo) {
  Random random(41);
  Scoreboard scoreboard;
  SetsOfRegisters expected;
  std::vector<Instruction> in_flight;
  std::array<std::uint64_t, 3> seen{};  // no wait, a wait for a unit, a wait for memory
  for (int step = 0; step < 20000; ++step) {
    const Instruction code = draw_instruction(random);
    const Scoreboard::Wait wait = scoreboard.wait(code);
    ASSERT_EQ(wait.pending != 0, expected.wait(code).pending != 0) << step;
    ASSERT_EQ(wait.memory != 0, expected.wait(code).memory != 0) << step;
    ++seen[wait.memory ? 2 : wait.pending ? 1 : 0];
    if (!wait.pending) {
      const bool memory = random.below(2) == 0;
      scoreboard.reserve(code, memory);
      expected.reserve(code, memory);
      in_flight.push_back(code);
    }
    if (in_flight.size() > random.below(6)) {
      std::swap(in_flight[random.below(in_flight.size())], in_flight.back());
      scoreboard.release(in_flight.back());
      expected.release(in_flight.back());
      in_flight.pop_back();
    }
  }
  for (const std::uint64_t count : seen) EXPECT_GT(count, 1000u);
}

}  // namespace
}  // namespace heddle::test
