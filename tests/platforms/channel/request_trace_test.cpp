#include "platforms/channel/request_trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/core/base/random.h"
#include "models/core/config/config.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

class RequestTraceFile : public testing::Test {
 protected:
  RequestTraceFile()
      : path_(testing::TempDir() + "trace-" + testing::UnitTest::GetInstance()->current_test_info()->name() +
              ".txt") {}
  ~RequestTraceFile() override { std::filesystem::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string problem(const std::string& text) const {
    write(text);
    try {
      RequestTrace trace(path_);
      while (trace.next()) continue;
    } catch (const config::Error& error) {
      const std::string what = error.what();
      return what.rfind(path_ + ":", 0) == 0 ? what.substr(path_.size() + 1) : what;
    }
    return "";
  }

  const std::string path_;
};

TEST_F(RequestTraceFile, GivesItsRequestsInOrder) {
  write("R 0x00000040\nW 0xdeadBEEF\n\nR 0xffffffffffffffff\r\nW 0x0");
  RequestTrace trace(path_);
  const auto expect = [&](bool is_write, Address address, std::uint64_t line) {
    const auto request = trace.next();
    ASSERT_TRUE(request);
    EXPECT_EQ(request->write, is_write);
    EXPECT_EQ(request->address, address);
    EXPECT_EQ(trace.line(), line);
  };
  expect(false, 0x40, 1);
  expect(true, 0xdeadbeef, 2);
  expect(false, ~Address{0}, 4);
  expect(true, 0, 5);
  EXPECT_FALSE(trace.next());
  EXPECT_FALSE(trace.next());
}

TEST_F(RequestTraceFile, ReadsLinesAcrossItsBuffer) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += i % 7 == 0 ? "W 0x1\n" : "R 0x123456789\n";
  write(text);
  RequestTrace trace(path_);
  for (int i = 0; i < 30'000; ++i) ASSERT_EQ(trace.next()->address, i % 7 == 0 ? 1u : 0x123456789u) << i;
  EXPECT_FALSE(trace.next());
}

TEST_F(RequestTraceFile, NamesTheLineOfWhatIsNoRequest) {
  const std::string good = "R 0x40\n";
  for (const char* bad : {"X 0x40", "R 40", "R 0x", "R0x40", "R  0x40", " R 0x40", "R 0x40 ", "R 0x4g",
                          "r 0x40", "R 0x-4", "R 0x12345678901234567", "R", "0x40", "R 0X40"})
    EXPECT_EQ(problem(good + bad + "\n" + good),
              "2: '" + std::string(bad) + "' is no request such as 'R 0x1000' or 'W 0x40'");
  EXPECT_EQ(problem(good + std::string("R 0x4\0\n", 7)),
            "2: 'R 0x4\\x00' is no request such as 'R 0x1000' or 'W 0x40'");
  EXPECT_EQ(problem(good + std::string(65, 'R')), "2: a line of more than 64 bytes");
  const std::size_t huge = 10'000'000;
  EXPECT_EQ(problem(std::string(huge, '0')), "1: a line of more than 64 bytes");
}

TEST_F(RequestTraceFile, SaysWhyAFileCannotBeRead) {
  EXPECT_THROW(RequestTrace(path_ + ".none"), config::Error);
  std::filesystem::create_directory(path_);
  EXPECT_THROW(RequestTrace trace(path_), config::Error);
}

TEST_F(RequestTraceFile, SurvivesRandomBytes) {
  Random random(4);
  for (std::uint64_t i = 0; i < cases(300); ++i) {
    std::string text = "R 0x40\nW 0x80\nR 0xc0\n";
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits)
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    problem(text);  // an error or none
  }
}

}  // namespace
}  // namespace heddle
