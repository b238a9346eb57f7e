#include "models/core/config/noted_inputs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace heddle::config {
namespace {

namespace fs = std::filesystem;

class NotedInputs : public testing::Test {
 protected:
  NotedInputs()
      : folder_(fs::temp_directory_path() / (std::to_string(::getpid()) +
                                             testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
    std::ofstream(input()) << "read";
  }
  ~NotedInputs() override { fs::remove_all(folder_); }
  std::string input() const { return folder_ / "input.yaml"; }
  std::string other() const { return folder_ / "other.yaml"; }

  const fs::path folder_;
};

TEST_F(NotedInputs, AreFoundUnderEachNameOfTheFile) {
  EXPECT_EQ(input_at(input()), "");
  note_input(input());
  fs::create_hard_link(input(), other());
  EXPECT_EQ(input_at(input()), input());
  EXPECT_EQ(input_at(other()), input());
}

// A file system gives the number of a removed file to a later one, here to the same file under another name.
TEST_F(NotedInputs, AreNoneAnyMoreWhenAnotherFileHasTheNumberOfARemovedOne) {
  note_input(input());
  fs::rename(input(), other());
  EXPECT_EQ(input_at(other()), "");
  std::ofstream(input()) << "written anew";
  EXPECT_EQ(input_at(other()), "");
}

}  // namespace
}  // namespace heddle::config
