// Waveforms that GTKWave's own programs read back: fst2vcd reads what FstWriter writes, and vcd2fst what
// VcdWriter writes.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <random>
#include <sstream>

#include "models/stats/waves/fst_writer.h"
#include "models/stats/waves/vcd_writer.h"
#include "tests/support/rtl/waves.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using test::read_waves;
using test::Waves;
using test::WaveSignal;

class WaveFiles : public testing::Test {
 protected:
  WaveFiles() : directory_(fs::temp_directory_path() / fmt::format("heddle-waves-{}", getpid())) {
    fs::create_directory(directory_);
  }
  ~WaveFiles() override { fs::remove_all(directory_); }

  // Converts a dump as text with vcd2fst.
  fs::path converted(const fs::path& vcd) const {
    fs::path fst = vcd;
    fst += ".fst";
    const std::string command = "vcd2fst -v '" + vcd.string() + "' -f '" + fst.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return fst;
  }

  fs::path directory_;
};

// Makes the same waveform of a seed with any writer, and keeps what a reader must find.
class RandomWaves {
 public:
  explicit RandomWaves(std::uint64_t seed) : random_(seed) {}

  Waves write(WaveWriter& waves, std::size_t variables, std::size_t times) {
    declare(waves, variables);
    std::uint64_t now = random_() % 2 == 0 ? 0 : random_() % 100000;
    for (std::size_t i = 0; i < times; ++i) {
      waves.advance(now);
      for (std::size_t variable = 0; variable < variables; ++variable)
        if (random_() % 4 == 0) change(waves, variable, now);
      now += 1 + (random_() >> (random_() % 40 + 24));
    }
    waves.finish(now);
    written_.end = now;
    return written_;
  }

 private:
  void declare(WaveWriter& waves, std::size_t variables) {
    std::vector<std::string> open;
    for (std::size_t i = 0; i < variables; ++i) {
      for (; !open.empty() && random_() % 3 == 0; open.pop_back()) waves.close_scope();
      while (open.size() < 5 && random_() % 3 == 0) {
        open.push_back(fmt::format("scope{}", i));
        waves.open_scope(open.back());
      }
      const std::string name = fmt::format("v{}", i);
      paths_.push_back(open.empty() ? name : fmt::format("{}.{}", fmt::join(open, "."), name));
      written_.signals[paths_.back()] = declare_variable(waves, name);
    }
    for (std::size_t i = 0; i < open.size(); ++i) waves.close_scope();
  }

  WaveSignal declare_variable(WaveWriter& waves, const std::string& name) {
    const std::uint64_t kind = random_() % 4;
    if (kind == 0) {
      ids_.push_back(waves.add_real(name));
      return {"real", 64, {}};
    }
    if (kind == 1) {
      ids_.push_back(waves.add_integer(name));
      return {"integer", 64, {}};
    }
    const unsigned width = kind == 2 ? 1 : static_cast<unsigned>(random_() % 64 + 1);
    ids_.push_back(waves.add_bits(name, width));
    return {"wire", width, {}};
  }

  void change(WaveWriter& waves, std::size_t variable, std::uint64_t now) {
    WaveSignal& signal = written_.signals.at(paths_[variable]);
    if (signal.type == "real") {
      // A reader prints 16 digits, which are all digits of these.
      const double value =
          random_() % 8 == 0 ? std::nan("") : static_cast<double>(random_() % 4096) / 64 - 32;
      waves.set_real(ids_[variable], value);
      test::add_change(signal, now, fmt::format("{}", value));
    } else {
      const std::uint64_t value = random_() >> (64 - signal.width);
      if (signal.type == "integer")
        waves.set_integer(ids_[variable], static_cast<std::int64_t>(value));
      else
        waves.set_bits(ids_[variable], value);
      test::add_change(signal, now, fmt::format("{:b}", value));
    }
  }

  std::mt19937_64 random_;
  std::vector<WaveId> ids_;
  std::vector<std::string> paths_;
  Waves written_;
};

template <typename Writer>
Waves write_random(const fs::path& file, std::uint64_t seed, std::size_t variables, std::size_t times) {
  std::ofstream out(file, std::ios::binary);
  Writer waves(out);
  return RandomWaves(seed).write(waves, variables, times);
}

void expect_equal(const Waves& read, const Waves& written) {
  EXPECT_EQ(read.end, written.end);
  ASSERT_EQ(read.signals.size(), written.signals.size());
  for (const auto& [path, signal] : written.signals) {
    ASSERT_EQ(read.signals.count(path), 1u) << path;
    EXPECT_TRUE(read.signals.at(path) == signal) << path;
  }
}

constexpr std::size_t kHeaderLength = 330;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint64_t number_at(const std::string& fst, std::size_t place) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | static_cast<unsigned char>(fst.at(place + i));
  return number;
}

// Returns the number of value change blocks that the header states.
std::uint64_t blocks_of(const std::string& fst) {
  return number_at(fst, 1 + 8 * 8);  // a type and eight numbers stand before it
}

TEST_F(WaveFiles, FstHasTheChangesThatWereWritten) {
  for (std::uint64_t seed = 0; seed < cases(30); ++seed) {
    const fs::path file = directory_ / fmt::format("{}.fst", seed);
    const Waves written = write_random<FstWriter>(file, seed, 1 + seed * seed % 200, 1 + seed * 7 % 100);
    expect_equal(read_waves(file), written);
  }
}

TEST_F(WaveFiles, VcdHasTheChangesThatWereWritten) {
  for (std::uint64_t seed = 0; seed < cases(30); ++seed) {
    const fs::path file = directory_ / fmt::format("{}.vcd", seed);
    const Waves written = write_random<VcdWriter>(file, seed, 1 + seed * seed % 200, 1 + seed * 7 % 100);
    expect_equal(read_waves(converted(file)), written);
    expect_equal(read_waves(file), written);
  }
}

TEST_F(WaveFiles, ALongFstHasManyBlocksThatGoOnWhereTheLastOneEnded) {
  const fs::path file = directory_ / "long.fst";
  const Waves written = write_random<FstWriter>(file, 1, 12, 100000);
  EXPECT_GE(blocks_of(text_of(file)), 4u);  // of at least 65536 changes, and there are about 300,000
  expect_equal(read_waves(file), written);
}

TEST_F(WaveFiles, AnFstOfTenThousandSignalsIsReadBack) {
  const fs::path file = directory_ / "wide.fst";
  const Waves written = write_random<FstWriter>(file, 2, 10000, full_size() ? 1000 : 20);
  EXPECT_EQ(blocks_of(text_of(file)), full_size() ? 2u : 1u);  // of at least 1,280,000 changes
  expect_equal(read_waves(file), written);
}

TEST_F(WaveFiles, BlocksReachTheFileWhileTheWaveformGrowsAndEachBeginsWithThePresentValues) {
  std::ostringstream out;
  FstWriter waves(out);
  const WaveId level = waves.add_bits("level", 20);
  constexpr std::uint64_t kFull = 65536;  // changes
  for (std::uint64_t time = 0; time < 3 * kFull; ++time) {
    waves.advance(10 * time);
    waves.set_bits(level, time);
  }
  const std::string fst = out.str();
  std::size_t place = kHeaderLength;
  for (std::uint64_t block = 0; block < 2; ++block) {
    ASSERT_LT(place, fst.size()) << "block " << block;
    EXPECT_EQ(fst[place], 8);  // value changes with dynamic aliases
    EXPECT_EQ(number_at(fst, place + 9), block == 0 ? 0 : 10 * (block * kFull - 1));  // begin
    EXPECT_EQ(number_at(fst, place + 17), 10 * ((block + 1) * kFull - 1));            // end
    const std::size_t frame = place + 33 + 3;  // two lengths and the number of variables have a byte each
    EXPECT_EQ(fst.substr(frame, 20),
              block == 0 ? std::string(20, 'x') : fmt::format("{:020b}", block * kFull - 1));
    place += 1 + number_at(fst, place + 1);
  }
  EXPECT_EQ(place, fst.size());  // the third block is in memory
}

TEST_F(WaveFiles, WithoutAChangeAFileHasItsSignals) {
  for (const std::size_t variables : {1, 40}) {
    const fs::path file = directory_ / fmt::format("{}.fst", variables);
    expect_equal(read_waves(file), [&] {
      std::ofstream out(file, std::ios::binary);
      FstWriter waves(out);
      return RandomWaves(5).write(waves, variables, 0);
    }());
  }
}

TEST_F(WaveFiles, TheSameCallsGiveTheSameBytes) {
  write_random<FstWriter>(directory_ / "first.fst", 3, 50, 50);
  write_random<FstWriter>(directory_ / "second.fst", 3, 50, 50);
  EXPECT_GT(text_of(directory_ / "first.fst").size(), 1000u);
  EXPECT_EQ(text_of(directory_ / "second.fst"), text_of(directory_ / "first.fst"));
}

}  // namespace
}  // namespace heddle
