// Pins of the class that Verilator makes, and names that it writes otherwise than the RTL.

#include "platforms/rtl/class_header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/problems.h"

namespace heddle::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> pins_of(const std::string& header) {
  std::vector<std::string> texts;
  for (const ClassPin& pin : read_class_pins(header))
    texts.push_back(fmt::format("{} {} {} {}", pin.direction == HEDDLE_RTL_INPUT ? "in" : "out", pin.name,
                                pin.bits, pin.member));
  return texts;
}

TEST(ClassHeader, PinsHaveDirectionAndWidth) {
  EXPECT_THAT(pins_of("    VL_IN8(&clk,0,0);\n    VL_IN16(&req_i,15,0);\n    VL_IN(&word,31,0);\n"
                      "    VL_IN64(&ages,63,0);\n    VL_OUTW(&wide_o,129,0,5);\n    VL_OUT8(&upper,7,4);\n"),
              ElementsAre("in clk 1 clk", "in req_i 16 req_i", "in word 32 word", "in ages 64 ages",
                          "out wide_o 130 wide_o", "out upper 4 upper"));
}

TEST(ClassHeader, EachElementOfAnUnpackedArrayIsAPin) {
  EXPECT_THAT(pins_of("VL_IN8((&lanes)[2],3,0);VL_OUTW((&grid)[1][2],99,0,4);"),
              ElementsAre("in lanes[0] 4 lanes[0]", "in lanes[1] 4 lanes[1]", "out grid[0][0] 100 grid[0][0]",
                          "out grid[0][1] 100 grid[0][1]"));
}

TEST(ClassHeader, NamesAreThoseOfTheRtl) {
  EXPECT_THAT(pins_of("VL_IN8(&a__02bb,0,0);VL_IN8(&__SYM__int,0,0);"),
              ElementsAre("in a+b 1 a__02bb", "in int 1 __SYM__int"));
  EXPECT_EQ(rtl_name("req_i"), "req_i");
  EXPECT_EQ(rtl_name("a___05Fb"), "a__b");  // the RTL's a__b
  EXPECT_EQ(rtl_name("a___02bb"), "a_+b");
  EXPECT_EQ(rtl_name("__0391x"), "91x");
  EXPECT_EQ(rtl_name("a__0"), "a__0");  // no escape
  EXPECT_EQ(rtl_name("a__0zz"), "a__0zz");
}

TEST(ClassHeader, AnInoutIsRefused) {
  EXPECT_THAT(problems_of([] { read_class_pins("VL_INOUT8(&bus,7,0);"); }),
              ElementsAre("pin 'bus' is an inout; a block has inputs and outputs only"));
}

}  // namespace
}  // namespace heddle::test
