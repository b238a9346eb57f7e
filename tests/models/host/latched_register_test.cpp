#include "models/host/latched_register.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(LatchedRegister, IsSeenFromTheNextCycleOn) {
  LatchedRegister latched;
  EXPECT_EQ(latched.read(Cycle{0}), 0u);
  latched.write(5, Cycle{10});
  EXPECT_EQ(latched.last_written(), 5u);
  EXPECT_TRUE(latched.pending(Cycle{10}));
  EXPECT_EQ(latched.read(Cycle{10}), 0u);
  EXPECT_EQ(latched.read(Cycle{11}), 5u);
  EXPECT_FALSE(latched.pending(Cycle{11}));
}

TEST(LatchedRegister, OfTwoWritesInACycleTheLastCounts) {
  LatchedRegister latched;
  latched.write(5, Cycle{10});
  latched.write(6, Cycle{10});
  EXPECT_EQ(latched.read(Cycle{10}), 0u);
  EXPECT_EQ(latched.read(Cycle{11}), 6u);
}

TEST(LatchedRegister, ReadDoesNotDependOnWhichComesFirstInACycle) {
  LatchedRegister read_first, write_first;
  for (LatchedRegister* latched : {&read_first, &write_first}) latched->write(5, Cycle{10});
  EXPECT_EQ(read_first.read(Cycle{11}), 5u);
  read_first.write(6, Cycle{11});
  write_first.write(6, Cycle{11});
  EXPECT_EQ(write_first.read(Cycle{11}), 5u);
  EXPECT_EQ(read_first.read(Cycle{12}), 6u);
  EXPECT_EQ(write_first.read(Cycle{12}), 6u);
}

TEST(LatchedRegister, WritingTheSameValueIsNoChange) {
  LatchedRegister latched;
  latched.write(0, Cycle{3});
  EXPECT_FALSE(latched.pending(Cycle{3}));
}

}  // namespace
}  // namespace heddle
