#pragma once
// Traces for tests, which are written from strings and run to their end.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/config/config.h"
#include "stimuli/traceg/trace_program.h"

namespace heddle::test {

// A file with this content in a folder of its own, which the destructor removes. `name` is the name of the
// file, as readers may depend on its suffix.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content, const std::string& name = "kernel.traceg")
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("heddle-trace-" + std::to_string(getpid()) + "-" + std::to_string(count()++))) {
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / name).string();
    add(name, content);
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void add(const std::string& name, std::string_view content) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  const std::string& path() const { return path_; }
  std::string folder() const { return folder_.string(); }

 private:
  static int& count() {
    static int files = 0;
    return files;
  }
  std::filesystem::path folder_;
  std::string path_;
};

// Returns a header for one warp of 32 threads. A line of `more` replaces the line with the same key.
inline std::string trace_header(const std::vector<std::string>& more = {}) {
  std::vector<std::string> lines{"kernel name = k",
                                 "grid dim = (1,1,1)",
                                 "block dim = (32,1,1)",
                                 "shmem = 0",
                                 "nregs = 8",
                                 "binary version = 70",
                                 "cuda stream id = 0",
                                 "shmem base_addr = 0x00007f0000000000",
                                 "local mem base_addr = 0x00007f1000000000",
                                 "accelsim tracer version = 4"};
  for (const std::string& line : more) {
    const std::string key = line.substr(0, line.find('='));
    bool replaced = false;
    for (std::string& known : lines)
      if (known.substr(0, known.find('=')) == key) {
        known = line;
        replaced = true;
      }
    if (!replaced) lines.push_back(line);
  }
  std::string text;
  for (const std::string& line : lines) text += "-" + line + "\n";
  return text + "\n#traces format = PC mask ...\n\n";
}

inline std::string trace_warp(std::uint32_t warp, const std::vector<std::string>& instructions) {
  std::string text =
      "warp = " + std::to_string(warp) + "\ninsts = " + std::to_string(instructions.size()) + "\n";
  for (const std::string& instruction : instructions) text += instruction + " \n";
  return text + "\n";
}

inline std::string trace_block(std::string_view place, const std::vector<std::string>& warps) {
  std::string text = "#BEGIN_TB\n\nthread block = " + std::string(place) + "\n\n";
  for (const std::string& warp : warps) text += warp;
  return text + "#END_TB\n\n";
}

// Returns the trace of one block of one warp.
inline std::string trace_of(const std::vector<std::string>& instructions,
                            const std::vector<std::string>& header = {}) {
  return trace_header(header) + trace_block("0,0,0", {trace_warp(0, instructions)});
}

// Returns all instructions that the warp issues.
inline std::vector<IssuedInstruction> issue_all(BlockStream& stream, std::uint32_t warp) {
  std::vector<IssuedInstruction> result;
  while (stream.peek(warp, 0) != nullptr) {
    result.emplace_back();
    stream.issue(warp, result.back());
  }
  return result;
}

// Returns the paths of the files below a folder, sorted. The folder may not exist.
inline std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// Runs all blocks one after another and returns the number of issued instructions.
inline std::uint64_t run_trace(const std::string& file, const TraceLimits& limits = {},
                               const std::string& cache = "") {
  TraceProgram program(file, limits, false, cache);
  IssuedInstruction issued;
  std::uint64_t count = 0;
  for (std::uint64_t block = 0; block < program.header().blocks; ++block) {
    BlockStream& stream = program.start(BlockId{block});
    for (std::uint32_t warp = 0; warp < program.header().warps(); ++warp)
      for (; stream.peek(warp, 0) != nullptr; ++count) stream.issue(warp, issued);
    program.finish(stream);
  }
  return count;
}

// Returns the message of the only problem with the file, or "" if there is none. The test fails if there are
// several.
inline std::string problem_of(const std::string& file, const TraceLimits& limits = {},
                              const std::string& cache = "") {
  try {
    run_trace(file, limits, cache);
  } catch (const config::Error& error) {
    EXPECT_EQ(error.problems().size(), 1U);
    return error.what();
  }
  return "";
}

}  // namespace heddle::test
