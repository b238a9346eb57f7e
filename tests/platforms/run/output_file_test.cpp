#include <gtest/gtest.h>

#include <string>

#include "platforms/run/output.h"

namespace heddle {
namespace {

// Returns the message of finish() after `bytes` bytes in pieces of 100; empty: none.
std::string message_after(const std::string& path, int bytes, bool flushes = false) {
  OutputFile file(path);
  for (int i = 0; i < bytes / 100; ++i) file << std::string(100, 'x');
  if (flushes) file.flush();
  try {
    file.finish();
  } catch (const OutputError& error) {
    return error.what();
  }
  return "";
}

TEST(OutputFiles, ThatAFullDiskCutsOffTellTheReasonHoweverMuchIsWritten) {
  for (const int bytes : {100, 10'000, 1'000'000})
    for (const bool flushes : {false, true})
      EXPECT_EQ(message_after("/dev/full", bytes, flushes), "cannot write /dev/full: No space left on device")
          << bytes;
}

TEST(OutputFiles, ThatCannotBeOpenedTellTheReasonAtTheEnd) {
  EXPECT_EQ(message_after("no/such/folder", 100), "cannot write no/such/folder: No such file or directory");
}

TEST(OutputFiles, ThatAreCompleteEndWithoutAMessage) {
  EXPECT_EQ(message_after("/dev/null", 1'000'000), "");
}

}  // namespace
}  // namespace heddle
