#pragma once
// Invalid input as a table: edits of files, words of the command, and required parts of the one message.

#include <string>
#include <utility>
#include <vector>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

struct Edit {
  std::string file;
  // The text whose first occurrence is replaced. If it is empty, the whole file is replaced.
  std::string from;
  std::string to;
  std::size_t times = 1;  // `to` is written so often; long texts would slow down the start of every test
};

struct Bad {
  std::string name;
  std::vector<Edit> edits;
  std::string words;               // empty for the usual words of the test
  std::vector<std::string> parts;  // required parts of standard error
  int code = 2;
};

inline std::ostream& operator<<(std::ostream& out, const Bad& bad) {
  return out << bad.name;
}

// Expects a single message, whose first line alone starts with the name of the program.
inline void expect_one_message(const std::string& text) {
  EXPECT_EQ(text.rfind("heddle: ", 0), 0u) << text;
  EXPECT_EQ(text.find("\nheddle: "), std::string::npos) << text;
  EXPECT_EQ(text.back(), '\n') << text;
}

class BadInput : public CliTest, public testing::WithParamInterface<Bad> {
 protected:
  void apply(const Edit& edit) const {
    std::string to;
    for (std::size_t i = 0; i < edit.times; ++i) to += edit.to;
    if (edit.from.empty()) return write(edit.file, to);
    std::string text = read(edit.file);
    const std::size_t at = text.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.from;
    write(edit.file, text.replace(at, edit.from.size(), to));
  }
  // Makes the edits and calls the program, with the words `usual` if the case has none. Expects the message
  // and the exit code, and that every file is unchanged.
  void expect_one_message_from(const std::string& usual) const {
    for (const Edit& edit : GetParam().edits) apply(edit);
    const std::vector<std::string> before = files();
    const Outcome outcome = heddle(GetParam().words.empty() ? usual : GetParam().words);
    EXPECT_EQ(outcome.code, GetParam().code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    expect_one_message(outcome.err);
    for (const std::string& part : GetParam().parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " in\n" << outcome.err;
    EXPECT_EQ(files(), before);
  }
};

inline std::string name_of(const testing::TestParamInfo<Bad>& info) {
  return info.param.name;
}

inline std::string program_of(const std::string& calls) {
  return "application: tiny\ndescription: d\nsource: s\nmeasured_on: k20-cusched\nbuffers: {data: 16KiB}\n"
         "kernels: {k: {blocks: 10, time: 20us, threads: 64, registers: 8, shared_memory: "
         "0B}}\nprogram:\n" +
         calls;
}

// Returns the edit that gives an application these calls, which start on line 8.
inline std::vector<Edit> calls(const std::string& list) {
  return {{"tiny.yaml", "", program_of(list)}};
}

inline std::vector<Edit> own_platform(const std::string& from, const std::string& to) {
  return {{"small.yaml", "k20-cusched", "gpu.yaml"}, {"gpu.yaml", from, to}};
}

}  // namespace heddle::test
