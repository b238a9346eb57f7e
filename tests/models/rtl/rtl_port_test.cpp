// An instance of a block with its pins bound to the signals of a role.

#include "models/rtl/rtl_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/paths.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A role whose outputs are, in the fake block, the complement of its inputs.
const RtlRole& role() {
  static const RtlRole role{"test",
                            "none",
                            "core",
                            "things",
                            nullptr,
                            {{"mask", true, RtlKind::kMask, ""},
                             {"number", true, RtlKind::kNumber, ""},
                             {"numbers", true, RtlKind::kNumbers, ""},
                             {"chosen", false, RtlKind::kMask, ""},
                             {"answer", false, RtlKind::kNumber, ""}},
                            {}};
  return role;
}
enum Signal : RtlSignalId { kMask, kNumber, kNumbers, kChosen, kAnswer };

RtlPin pin(const std::string& name, const std::string& signal, std::uint32_t element = 0,
           bool planes = false) {
  RtlPin pin;
  pin.pin = name;
  pin.signal = signal;
  pin.element = element;
  pin.planes = planes;
  return pin;
}

// Thirteen things, of which each has a number of ten bits.
RtlSpec spec() {
  RtlSpec spec;
  spec.name = "fake";
  spec.place = "fake.yaml:1:1";
  spec.source.library = test::rtl_directory() + "/fake_block.so";
  spec.seed = 0;
  spec.pins = {pin("in_16", "mask"), pin("in_8", "number"), pin("in_130", "numbers", 10),
               pin("out_16", "chosen"), pin("out_8", "answer")};
  return spec;
}

class RtlPortTest : public testing::Test {
 protected:
  RtlPort& port(const RtlSpec& of, std::uint32_t things = 13) {
    spec_ = of;
    library_ = RtlLibrary::load(spec_.source.library);
    port_ = std::make_unique<RtlPort>(spec_, *library_, role(), things, "sm0.unit");
    return *port_;
  }
  RtlSignal& at(const std::string& name) { return *port_->instance().find(name); }
  std::string refusal(const RtlSpec& of, std::uint32_t things = 13) {
    try {
      port(of, things);
    } catch (const RtlError& error) {
      return error.what();
    }
    return "";
  }

  RtlSpec spec_;
  std::shared_ptr<const RtlLibrary> library_;
  std::unique_ptr<RtlPort> port_;
};

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const RtlError& error) {
    return error.what();
  }
  return "";
}

TEST_F(RtlPortTest, NumbersLieOneAfterAnother) {
  RtlPort& block = port(spec());
  block.set(kNumbers, 0, 5);
  block.set(kNumbers, 3, 1023);
  block.set(kNumbers, 12, 512);
  EXPECT_EQ(at("in_130").get(0, 10), 5u);
  EXPECT_EQ(at("in_130").get(30, 10), 1023u);
  EXPECT_EQ(at("in_130").get(120, 10), 512u);
  block.clear(kNumbers);
  EXPECT_TRUE(at("in_130").is_zero());
}

TEST_F(RtlPortTest, NumbersMayLieBitByBit) {
  RtlSpec planes = spec();
  planes.pins[2] = pin("in_130", "numbers", 10, true);
  RtlPort& block = port(planes);
  block.set(kNumbers, 4, 0x201);
  for (std::uint32_t plane = 0; plane < 10; ++plane)
    EXPECT_EQ(at("in_130").get(13 * plane, 13), plane == 0 || plane == 9 ? 0x10u : 0u) << plane;
}

TEST_F(RtlPortTest, AValueThatDoesNotFitIsAnErrorThatNamesThePin) {
  RtlPort& block = port(spec());
  EXPECT_THAT(error_of([&] { block.set(kNumber, 256); }),
              AllOf(HasSubstr("fake.yaml:1:1: rtl.fake at sm0.unit"), HasSubstr("value 256 of number"),
                    HasSubstr("8 bits of pin in_8")));
  EXPECT_THAT(error_of([&] { block.set(kNumbers, 2, 1024); }),
              HasSubstr("numbers[2] does not fit the 10 bits"));
}

TEST_F(RtlPortTest, APinMayBeginWithAHigherBit) {
  RtlSpec lines = spec();
  lines.pins[1].low = 7;
  lines.pins[4].low = 5;
  port(lines);
  port_->set(kNumber, 0x1280);
  EXPECT_EQ(at("in_8").get(), 0x25u);
  port_->settle();
  EXPECT_EQ(port_->number(kAnswer), std::uint64_t{0xda} << 5) << "the complement of the pin";
  EXPECT_THAT(error_of([&] { port_->set(kNumber, 0x1281); }),
              HasSubstr("the value 'h1281 of number has bits below 7, with which pin in_8 begins"));
  EXPECT_THAT(error_of([&] { port_->set(kNumber, 0x8000); }),
              HasSubstr("does not fit the 8 bits of pin in_8"));
}

// The mask is thirteen pins' worth of bits in two pins, and the number is a field of a wide pin.
TEST_F(RtlPortTest, VectorsHaveTheBitsOfTheirPins) {
  RtlSpec joined = spec();
  joined.vectors = {{"mask_i", {{"in_8", {}, 0}, {"in_64", 40, 33}}, "fake.yaml:2:1"},
                    {"field_i", {{"in_64", 32, 3}}, "fake.yaml:3:1"},
                    {"rest_i", {{"in_64", 2, 0}, {"in_64", 63, 41}}, "fake.yaml:4:1"},
                    {"chosen_o", {{"out_8", {}, 0}, {"out_64", 40, 33}}, "fake.yaml:5:1"}};
  joined.pins[0].pin = "mask_i";
  joined.pins[1].pin = "field_i";
  joined.pins[3].pin = "chosen_o";
  joined.pins.push_back(pin("rest_i", ""));
  joined.pins.back().constant = 0x12d;
  RtlPort& block = port(joined);
  block.set_mask(kMask, 0xffff & ~(1u << 11));
  block.set(kNumber, 0x3badcafe);
  block.settle();
  EXPECT_EQ(at("in_8").get(), 0xffu);
  EXPECT_EQ(at("in_64").get(33, 8), 0xf7u);
  EXPECT_EQ(at("in_64").get(3, 30), 0x3badcafeu);
  EXPECT_EQ(at("in_64").get(0, 3), 5u) << "the lowest bits of the constant";
  EXPECT_EQ(at("in_64").get(41, 23), 0x12du >> 3);
  EXPECT_EQ(block.one_hot(kChosen), 11u) << "the complement of the mask";
  EXPECT_THAT(error_of([&] { block.set(kNumber, 0x40000000); }),
              HasSubstr("does not fit the 30 bits of pin field_i"));
}

TEST_F(RtlPortTest, AnFstIsRefusedWithoutTheProgramThatPacksIt) {
  RtlSpec packed = spec();
  packed.dump = RtlDumpSpec{};
  packed.dump->place = "run.yaml:9:3";
  packed.dump->instance = "sm0.unit";
  packed.dump->file = testing::TempDir() + "no_such.fst";
  packed.dump->fst = true;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  EXPECT_THAT(refusal(packed), HasSubstr("run.yaml:9:3: " + packed.dump->file +
                                         " needs the program vcd2fst; Debian: apt install gtkwave"));
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(RtlPortTest, ASignedValueIsATwosComplement) {
  RtlPort& block = port(spec());
  block.set_signed(kNumber, -3);
  EXPECT_EQ(at("in_8").get(), 253u);
  block.set_signed(kNumbers, 1, -512);
  EXPECT_EQ(at("in_130").get(10, 10), 512u);
  EXPECT_THAT(error_of([&] { block.set_signed(kNumber, 128); }), HasSubstr("does not fit 8 bits as a two's"));
  EXPECT_THAT(error_of([&] { block.set_signed(kNumber, -129); }),
              HasSubstr("does not fit 8 bits as a two's"));
}

TEST_F(RtlPortTest, OneBitOfAMaskIsAChoiceAndSeveralAreAnError) {
  RtlPort& block = port(spec());
  for (std::uint32_t thing = 0; thing < 16; ++thing) {
    block.set_mask(kMask, 0xffff & ~(1u << thing));
    block.settle();
    EXPECT_EQ(block.one_hot(kChosen), thing);
  }
  block.set_mask(kMask, 0xffff);
  block.settle();
  EXPECT_EQ(block.one_hot(kChosen), std::nullopt);
  block.set_mask(kMask, 0x7ff7);
  block.settle();
  EXPECT_THAT(error_of([&] { block.one_hot(kChosen); }),
              HasSubstr("out_16 is 8008, which has more than one bit"));
}

TEST_F(RtlPortTest, APinThatIsTooNarrowOrOfTheOtherDirectionIsRefused) {
  EXPECT_EQ(refusal(spec(), 13), "");
  EXPECT_THAT(refusal(spec(), 14), HasSubstr("pin in_130 has 130 bits, and the signal numbers needs 140"));
  RtlSpec turned = spec();
  turned.pins[0].pin = "out_16";
  EXPECT_THAT(refusal(turned), HasSubstr("pin out_16 is no input, as the signal mask needs"));
  RtlSpec absent = spec();
  absent.pins[1].pin = "in_9";
  EXPECT_THAT(refusal(absent), HasSubstr("the block fake has no pin 'in_9'"));
  RtlSpec twice = spec();
  twice.pins.push_back(pin("in_64", "number"));
  EXPECT_THAT(refusal(twice), HasSubstr("signal number is connected to in_8 and in_64"));
}

TEST_F(RtlPortTest, TiedPinsKeepTheirValueAndSignalsWithoutAPinCostNothing) {
  RtlSpec tied = spec();
  tied.pins.erase(tied.pins.begin() + 1);
  tied.pins.push_back(pin("in_32", ""));
  tied.pins.back().constant = 77;
  RtlPort& block = port(tied);
  EXPECT_FALSE(block.has(kNumber));
  block.set(kNumber, 1000);
  block.clear_inputs();
  EXPECT_EQ(at("in_32").get(), 77u);
  tied.pins.back().pin = "in_8";
  tied.pins.back().constant = 256;
  EXPECT_THAT(refusal(tied), HasSubstr("pin in_8: the constant 256 does not fit"));
}

TEST_F(RtlPortTest, CountersGrowModuloTheirWidthFromTheResetOn) {
  RtlSpec counted = spec();
  RtlCounter low;
  low.name = "low";
  low.signal = "unit.evals";
  low.high = 2;
  RtlCounter pulse;
  pulse.name = "pulses";
  pulse.signal = "out_8";
  pulse.pulse = true;
  counted.counters = {low, pulse};
  RtlPort& block = port(counted);
  Group group("counters");
  block.add_stats(group);
  const std::uint64_t from = group.find("counters.low")->value();
  for (std::uint64_t tick = 0; tick < 100; ++tick) {
    block.set(kNumber, tick % 4 == 0 ? 255 : 1);  // out_8 is zero in every fourth tick
    block.settle();
    block.rise();
  }
  EXPECT_EQ(group.find("counters.low")->value() - from, 200u) << "two evaluations a tick, in three bits";
  EXPECT_EQ(group.find("counters.pulses")->value(), 75u);
  counted.counters[0].signal = "unit.missing";
  EXPECT_THAT(refusal(counted), HasSubstr("counter low: the block has no signal 'unit.missing'"));
  counted.counters[0].signal = "out_8";
  counted.counters[0].high = 8;
  EXPECT_THAT(refusal(counted), HasSubstr("bits 8:0 of a signal of 8 bits"));
}

TEST_F(RtlPortTest, AnErrorOfTheRtlIsToldWithItsMessage) {
  RtlPort& block = port(spec());
  block.set(kNumber, 0xee);
  EXPECT_THAT(error_of([&] { block.settle(); }), HasSubstr("fake.sv:7: in_8 is 0xee"));
}

}  // namespace
}  // namespace heddle
