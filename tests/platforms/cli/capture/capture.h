#pragma once
// A CaptureTest compiles CUDA programs with clang, captures them without a GPU and replays them.

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

namespace heddle::test {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CaptureTest : public CliTest {
 protected:
  // Compiles a program of a folder of stimuli/capture/examples. The test is skipped if there is no clang.
  void compile(const std::string& folder, const std::string& name) {
    compile_file(source() / folder / (name + ".cu"), name);
  }

  void compile_text(const std::string& name, const std::string& text,
                    const std::string& soname = "libcudart.so.13") {
    write(name + ".cu", text);
    compile_file(directory_ / (name + ".cu"), name, soname);
  }

  // Compiles sources apart, whose device code is linked.
  void compile_apart(const std::string& name, const std::vector<std::string>& texts) {
    std::vector<std::string> files;
    for (const std::string& text : texts) {
      files.push_back(name + std::to_string(files.size()) + ".cu");
      write(files.back(), text);
    }
    compile_files(files, name, "libcudart.so.13");
  }

  Outcome capture(const std::string& name, const std::string& more = "") const {
    return heddle("capture -o " + name + ".hcap " + more + " -- ./" + name);
  }

  // Compiles a program, which checks its own results and prints "right", captures it twice with the same
  // bytes, and replays it, with this many launches.
  void expect_right(const std::string& name, const std::string& text, int launches,
                    const std::string& soname = "libcudart.so.13") {
    compile_text(name, text, soname);
    if (!IsSkipped()) expect_captured(name, launches);
  }

  // As above, for a program that is there already.
  void expect_captured(const std::string& name, int launches) {
    const Outcome outcome = capture(name);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
    const std::string first = read(name + ".hcap");
    ASSERT_EQ(capture(name).code, 0);
    EXPECT_TRUE(read(name + ".hcap") == first) << "the captures differ";
    const nlohmann::json summary = run(name + ".hcap --platform k20");
    EXPECT_EQ(summary["runs"][0]["applications"][0]["kernels_launched"], launches);
  }

  static std::filesystem::path source() {
    return std::filesystem::path(source_directory()) / "stimuli/capture/examples";
  }

  // Runs a program other than heddle in the directory of the test.
  void perform(const std::vector<std::string>& arguments) const {
    const auto enter = [&] {
      if (chdir(directory_.c_str()) != 0) _exit(126);
    };
    constexpr std::chrono::seconds kLongest{60};
    const Outcome outcome = execute_program(arguments, captured_, kLongest, {enter, {}, {}});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  nlohmann::json run(const std::string& words) const {
    const Outcome outcome = heddle("run " + words + " --json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

 private:
  void compile_file(const std::filesystem::path& file, const std::string& name,
                    const std::string& soname = "libcudart.so.13") {
    compile_files({file.string()}, name, soname);
  }

  void compile_files(const std::vector<std::string>& files, const std::string& name,
                     const std::string& soname) {
    if (kSanitized) GTEST_SKIP() << "programs without sanitizers cannot load a library with them";
    if (std::system("command -v clang++ >/dev/null") != 0) GTEST_SKIP() << "there is no clang++ here";
    const std::string script = source_directory() + "/scripts/compile_cuda";
    std::vector<std::string> words{script, "--runtime", runtime_directory(), "--soname", soname, "-o", name};
    words.insert(words.end(), files.begin(), files.end());
    perform(words);
  }
};

}  // namespace heddle::test
