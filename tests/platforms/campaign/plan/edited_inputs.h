#pragma once
// Input files of a test, in a folder of its own, of which the test replaces one part at a time.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/problems.h"

namespace heddle::test {

class EditedInputs {
 public:
  // `name` is that of the folder, which is removed at the end.
  explicit EditedInputs(const std::string& name)
      : directory_(std::filesystem::path(testing::TempDir()) / fmt::format("{}{}", name, ::getpid())) {
    std::filesystem::create_directories(directory_);
  }
  ~EditedInputs() { std::filesystem::remove_all(directory_); }
  EditedInputs(const EditedInputs&) = delete;
  EditedInputs& operator=(const EditedInputs&) = delete;

  const std::filesystem::path& directory() const { return directory_; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  // Writes the text, in which `to` stands for the first `from` unless that is empty. Returns the file's path.
  std::string write_edited(const std::string& name, std::string text, const std::string& from,
                           const std::string& to) const {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    write(name, text);
    return (directory_ / name).string();
  }

 private:
  const std::filesystem::path directory_;
};

// Returns the only problem of the action from `start` on, which stands in it; "none" if there is none.
template <typename Action>
std::string only_problem(const std::string& start, const Action& action) {
  const Problems problems = problems_of(action);
  if (problems.empty()) return "none";
  EXPECT_EQ(problems.size(), 1U) << fmt::format("{}", problems.front());
  return problems.front().substr(problems.front().find(start));
}

}  // namespace heddle::test
