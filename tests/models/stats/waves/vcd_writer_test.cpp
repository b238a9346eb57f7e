// Waveforms as text: what the writer makes of declarations and changes.

#include "models/stats/waves/vcd_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace heddle {
namespace {

TEST(VcdWriter, AWaveformIsItsDeclarationsAndThenTheChangesAtEachTime) {
  std::ostringstream out;
  VcdWriter waves(out);
  waves.open_scope("gpu");
  const WaveId reads = waves.add_integer("reads");
  waves.open_scope("sm0");
  const WaveId busy = waves.add_bits("busy", 1);
  waves.close_scope();
  const WaveId rate = waves.add_real("miss_rate");
  waves.close_scope();
  waves.advance(0);
  waves.set_integer(reads, 5);
  waves.set_bits(busy, 1);
  waves.set_real(rate, 0.25);
  waves.advance(1000);
  waves.set_integer(reads, 0);
  waves.set_bits(busy, 0);
  waves.set_real(rate, std::nan(""));
  waves.advance(2500);
  waves.set_integer(reads, -2);
  waves.finish(4000);
  EXPECT_EQ(out.str(),
            "$version Heddle $end\n"
            "$timescale 1 ps $end\n"
            "$scope module gpu $end\n"
            "$var integer 64 ! reads $end\n"
            "$scope module sm0 $end\n"
            "$var wire 1 \" busy $end\n"
            "$upscope $end\n"
            "$var real 64 # miss_rate $end\n"
            "$upscope $end\n"
            "$enddefinitions $end\n"
            "#0\nb101 !\n1\"\nr0.25 #\n"
            "#1000\nb0 !\n0\"\nrnan #\n"
            "#2500\nb" +
                std::string(63, '1') + "0 !\n#4000\n");
}

TEST(VcdWriter, AValueThatIsSetAgainIsNoChangeAndATimeWithoutChangesIsNotWritten) {
  std::ostringstream out;
  VcdWriter waves(out);
  const WaveId level = waves.add_bits("level", 8);
  const WaveId rate = waves.add_real("rate");
  waves.advance(10);
  waves.set_bits(level, 0);
  waves.set_real(rate, std::nan(""));
  waves.advance(20);
  waves.set_bits(level, 0);
  waves.set_real(rate, std::nan(""));
  waves.advance(30);
  waves.set_bits(level, 2);
  waves.advance(30);
  waves.set_bits(level, 3);
  waves.finish(30);
  const std::string text = out.str();
  EXPECT_EQ(text.substr(text.find('#')), "#10\nb0 !\nrnan \"\n#30\nb10 !\nb11 !\n");
}

TEST(VcdWriter, ManyVariablesHaveSymbolsOfTheirOwn) {
  std::ostringstream out;
  VcdWriter waves(out);
  for (int i = 0; i < 94 + 94 * 94 + 1; ++i) waves.add_bits("v" + std::to_string(i), 2);
  waves.finish(0);
  for (const char* line :
       {"$var wire 2 ~ v93 $end\n", "$var wire 2 !! v94 $end\n", "$var wire 2 \"! v95 $end\n",
        "$var wire 2 !\" v188 $end\n", "$var wire 2 ~~ v8929 $end\n", "$var wire 2 !!! v8930 $end\n"})
    EXPECT_NE(out.str().find(line), std::string::npos) << line;
}

TEST(VcdWriter, BlanksInNamesBecomeUnderscores) {
  std::ostringstream out;
  VcdWriter waves(out);
  waves.open_scope("my application");
  waves.add_bits("blocks\tdone", 4);
  waves.close_scope();
  waves.finish(0);
  EXPECT_NE(out.str().find("$scope module my_application $end\n$var wire 4 ! blocks_done $end\n"),
            std::string::npos);
}

TEST(VcdWriter, MisuseIsAnErrorThatNamesTheVariableOrTheTime) {
  std::ostringstream out;
  VcdWriter waves(out);
  const auto message_of = [](const std::function<void()>& misuse) -> std::string {
    try {
      misuse();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  const WaveId level = waves.add_bits("level", 3);
  EXPECT_EQ(message_of([&] { waves.add_bits("wide", 65); }), "waveform: wide has 65 bits");
  EXPECT_EQ(message_of([&] { waves.add_bits("empty", 0); }), "waveform: empty has 0 bits");
  EXPECT_EQ(message_of([&] { waves.set_bits(level, 1); }), "waveform: a value before the first time");
  waves.advance(100);
  EXPECT_EQ(message_of([&] { waves.set_bits(level, 8); }), "waveform: 8 in 3 bits");
  EXPECT_EQ(message_of([&] { waves.advance(99); }), "waveform: 99 ps after 100 ps");
  EXPECT_EQ(message_of([&] { waves.add_real("late"); }), "waveform: late is declared after the first time");
  EXPECT_EQ(message_of([&] { waves.open_scope("late"); }), "waveform: late is declared after the first time");
}

}  // namespace
}  // namespace heddle
