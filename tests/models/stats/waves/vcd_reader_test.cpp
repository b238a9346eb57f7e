// Dumps as text are read back: declarations, changes, and what is wrong with a damaged file.

#include "models/stats/waves/vcd_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/stats/waves/vcd_writer.h"
#include "tests/support/rtl/damage.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

// Notes every change as a text "TIME INDEX=VALUE".
class Notes final : public VcdListener {
 public:
  void advance(std::uint64_t time) override { time_ = time; }
  void change(std::size_t watched, std::string_view text) override {
    notes.push_back(fmt::format("{} {}={}", time_, watched, text));
  }
  std::vector<std::string> notes;

 private:
  std::uint64_t time_ = 0;
};

class VcdFiles : public testing::Test {
 protected:
  VcdFiles() : file_((fs::temp_directory_path() / fmt::format("heddle-vcd-{}.vcd", getpid())).string()) {}
  ~VcdFiles() override { fs::remove(file_); }

  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }

  // Returns the changes of all values, or of the watched ones.
  std::vector<std::string> read(const std::vector<std::string>& names) const {
    VcdReader reader(file_);
    std::vector<std::uint32_t> watched;
    for (const std::string& name : names)
      watched.push_back(reader.header().variables.at(reader.header().find(name).value()).value);
    Notes notes;
    reader.read(watched, notes);
    return notes.notes;
  }

  // Returns the message about a file, without the name of the file.
  std::string refusal_of(const std::string& text, const std::vector<std::string>& names = {}) const {
    write(text);
    try {
      read(names);
    } catch (const WaveFileError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind(file_ + ": ", 0), 0u) << message;
      return message.substr(file_.size() + 2);
    }
    return "";
  }

  std::string file_;
};

const char* const kHead =
    "$comment made by hand $end $timescale 10ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n"
    "$var reg 4 \" count [3:0] $end\n$scope begin gen[0] $end\n$var wire 4 \" alias[3:0] $end\n"
    "$var wire 1 # bus [7] $end\n$var real 1 $ level $end $var string 0 % state $end\n$upscope $end\n"
    "$upscope $end\n$enddefinitions $end\n";

TEST_F(VcdFiles, DeclarationsAreNamesInTheirScopes) {
  write(kHead);
  const VcdReader reader(file_);
  const VcdHeader& header = reader.header();
  std::vector<std::string> names;
  for (const VcdVariable& variable : header.variables) names.push_back(header.name_of(variable));
  EXPECT_EQ(names, (std::vector<std::string>{"top.clk", "top.count", "top.gen[0].alias", "top.gen[0].bus[7]",
                                             "top.gen[0].level", "top.gen[0].state"}));
  EXPECT_EQ(header.time_unit_fs, 10'000'000u);
  EXPECT_EQ(header.values.size(), 5u);
  EXPECT_EQ(header.variables[1].value, header.variables[2].value);
  EXPECT_EQ(header.variables[1].range.left, 3);
  EXPECT_EQ(header.find("top.gen[0].bus[7]"), 3u);
  EXPECT_EQ(header.find("top.gen[0].bus"), std::nullopt);
}

TEST_F(VcdFiles, ChangesOfWatchedValuesComeInOrder) {
  write(
      std::string(kHead) +
      "$dumpvars\n0!\nbx \"\n$end\n#5\n1! b1z0 \"\n\n$comment #9 1! $end r-2.5e3 $\nsIDLE %\n#7 Z#\r\n#7\nU! "
      "b00000101 \"");
  EXPECT_EQ(read({"top.gen[0].alias", "top.clk", "top.gen[0].level", "top.gen[0].bus[7]"}),
            (std::vector<std::string>{"0 1=0", "0 0=x", "5 1=1", "5 0=1z0", "5 2=-2.5e3", "7 3=Z", "7 1=x",
                                      "7 0=0101"}));
  EXPECT_TRUE(read({}).empty());
}

TEST_F(VcdFiles, ReadWhatTheWriterWrites) {
  std::ofstream out(file_, std::ios::binary);
  VcdWriter waves(out);
  waves.open_scope("gpu");
  const WaveId reads = waves.add_integer("reads"), rate = waves.add_real("rate");
  waves.open_scope("sm0");
  std::vector<WaveId> bits;
  for (unsigned width = 1; width <= 64; ++width)
    bits.push_back(waves.add_bits(fmt::format("b{}", width), width));
  Random random(7);
  std::vector<std::string> expected;
  for (std::uint64_t time = 0; time < 300; ++time) {
    waves.advance(10 * time);
    const auto count = static_cast<std::int64_t>(time) - 150;
    waves.set_integer(reads, count);
    expected.push_back(fmt::format("{} 0={:b}", 10 * time, static_cast<std::uint64_t>(count)));
    waves.set_real(rate, static_cast<double>(time) / 8);
    expected.push_back(fmt::format("{} 1={}", 10 * time, static_cast<double>(time) / 8));
    // A value of 63 bits with the time in it changes each time.
    const std::uint64_t wide = (random.next() >> 11U) << 10U | time;
    waves.set_bits(bits[62], wide);
    expected.push_back(fmt::format("{} 2={:b}", 10 * time, wide));
  }
  waves.finish(3000);
  out.close();
  EXPECT_EQ(read({"gpu.reads", "gpu.rate", "gpu.sm0.b63"}), expected);
}

TEST_F(VcdFiles, WhatIsWrongIsOneMessageWithTheByte) {
  const std::string head = kHead;
  const std::size_t start = head.size();
  const auto at = [start](std::size_t byte, const std::string& message) {
    return fmt::format("byte {}: {}", start + byte, message);
  };
  EXPECT_EQ(refusal_of(""), "cannot be read: it is empty");
  EXPECT_EQ(refusal_of("$date x"), "byte 7: ends before $end");
  EXPECT_EQ(refusal_of("hello"), "byte 0: 'hello' is no declaration of a VCD");
  EXPECT_EQ(refusal_of("$enddefinitions $end\n"), "byte 16: no $timescale before $enddefinitions");
  EXPECT_EQ(refusal_of("$timescale 3 ns $end\n"), "byte 16: '3ns' is no time such as 10 ps");
  EXPECT_EQ(refusal_of("$upscope $end\n"), "byte 0: $upscope outside of every scope");
  EXPECT_EQ(refusal_of("$var wire 1048577 ! a $end"), "byte 10: a width is a number of at most 1048576");
  EXPECT_EQ(refusal_of("$var wire 0 ! a $end"), "byte 12: a variable of 0 bits");
  EXPECT_EQ(refusal_of("$var wire 8 ! a [3:0] $end"), "byte 16: a range of 4 bits for a width of 8");
  EXPECT_EQ(refusal_of("$var wire 1 ! a $end $var wire 2 ! b $end"),
            "byte 33: an identifier code stands for 1 and for 2 bits");
  EXPECT_EQ(refusal_of("$var wire 1 123456789 a $end"),
            "byte 12: an identifier code has 1 to 8 printable characters");
  EXPECT_EQ(refusal_of(head + "#5\n#4\n"), at(3, "time 4 after time 5"));
  EXPECT_EQ(refusal_of(head + "#18446744073709551616\n"), at(0, "'#18446744073709551616' is no time"));
  EXPECT_EQ(refusal_of(head + "1?\n"), at(0, "no variable has the identifier code '?'"));
  EXPECT_EQ(refusal_of(head + "b1010"), at(0, "ends within a change"));
  EXPECT_EQ(refusal_of(head + "q!"), at(0, "'q!' is no change"));
  EXPECT_EQ(refusal_of(head + "b10101 \"", {"top.count"}), at(0, "a value of 5 digits for 4 bits"));
  EXPECT_EQ(refusal_of(head + "b12 \"", {"top.count"}), at(0, "'12' is no value of bits"));
  EXPECT_EQ(refusal_of(head + "1\"\nr1 \"", {"top.count"}), at(3, "'1' is no value of the variable"));
  EXPECT_EQ(refusal_of(head + "rone $", {"top.gen[0].level"}), at(0, "'one' is no real number"));
  EXPECT_EQ(refusal_of(head + "$dumpports"), at(0, "'$dumpports' is no change"));
}

TEST_F(VcdFiles, WhatIsNoFileIsRefused) {
  const auto refusal = [](const std::string& path) -> std::string {
    try {
      VcdReader reader(path);
    } catch (const WaveFileError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("/none.vcd"), "/none.vcd: cannot be read: No such file or directory");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null: cannot be read: it is no regular file");
  EXPECT_EQ(refusal(fs::temp_directory_path().string()),
            fs::temp_directory_path().string() + ": cannot be read: it is no regular file");
}

TEST_F(VcdFiles, ManyScopesWithinEachOtherAreRefused) {
  std::string text = "$timescale 1ps $end\n";
  for (int level = 0; level < 100'000; ++level) text += "$scope module m $end\n";
  EXPECT_NE(refusal_of(text).find("more than 1000 scopes within each other"), std::string::npos);
}

TEST_F(VcdFiles, DamagedFilesAreReadOrRefusedWithTheByte) {
  const std::string whole =
      std::string(kHead) +
      "#0\n$dumpvars\n0!\nb101 \"\n0#\nr0.5 $\nsIDLE %\n$end\n#5\n1!\nb11 \"\n#10\n0!\nbx1 "
      "\"\nr1.5 $\n#15\n1!\nb0 \"\nz#\n#20\n0!\n";
  std::uint64_t read_well = 0;
  const std::uint64_t variants = cases(1000);
  for (std::uint64_t i = 0; i < variants; ++i) {
    Random random(i);
    write(test::damaged(whole, random));
    try {
      VcdReader reader(file_);
      std::vector<std::uint32_t> all(reader.header().values.size());
      for (std::uint32_t value = 0; value < all.size(); ++value) all[value] = value;
      Notes notes;
      reader.read(all, notes);
      ++read_well;
    } catch (const WaveFileError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.find(": byte ") != std::string::npos ||
                  message.find("it is empty") != std::string::npos)
          << i << ": " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << i;
    }
  }
  EXPECT_GT(read_well, variants / 20);
  EXPECT_LT(read_well, variants / 2);
}

}  // namespace
}  // namespace heddle
