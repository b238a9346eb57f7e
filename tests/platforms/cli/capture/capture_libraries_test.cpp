// NVIDIA's libraries whose kernels are machine code are named before a program runs, or when it opens one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

class CaptureLibrariesTest : public CaptureTest {
 protected:
  // Makes a library that holds nothing, and a program or library from C++.
  void make_library(const std::string& name, const std::string& more = "") {
    write(name + ".cpp", "int in_" + std::to_string(made_++) + ";\n");
    perform_words("clang++ -shared -fPIC " + name + ".cpp -Wl,-soname," + name + " -o " + name +
                  " -Wl,--no-as-needed " + more);
  }
  void make_program(const std::string& name, const std::string& text, const std::string& libraries) {
    write(name + ".cpp", text);
    perform_words("clang++ " + name + ".cpp -o " + name + " -Wl,-rpath,$ORIGIN -Wl,--no-as-needed " +
                  libraries);
  }
  void SetUp() override {
    CaptureTest::SetUp();
    if (kSanitized) GTEST_SKIP() << "programs without sanitizers cannot load a library with them";
    if (std::system("command -v clang++ >/dev/null") != 0) GTEST_SKIP() << "there is no clang++ here";
  }

 private:
  void perform_words(const std::string& words) {
    std::vector<std::string> arguments;
    std::istringstream in(words);
    for (std::string word; in >> word;) arguments.push_back(word == "clang++" ? "/usr/bin/clang++" : word);
    perform(arguments);
  }
  int made_ = 0;
};

TEST_F(CaptureLibrariesTest, AreNamedBeforeTheProgramRuns) {
  if (IsSkipped()) return;
  make_library("libcublas.so.12");
  make_program("solver", "#include <cstdio>\nint main() { std::printf(\"runs\\n\"); }\n", "libcublas.so.12");
  const Outcome outcome = capture("solver");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.err, "./solver needs libcublas.so.12, which is not supported")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "put kernels in CUDA C++ in its place")) << outcome.err;
  EXPECT_FALSE(has(outcome.out, "runs"));
}

TEST_F(CaptureLibrariesTest, ThatALibraryNeedsAreNamedBeforeTheProgramRuns) {
  if (IsSkipped()) return;
  make_library("libcurand.so.10");
  make_library("libchance.so", "libcurand.so.10");
  make_program("gambler", "#include <cstdio>\nint main() { std::printf(\"runs\\n\"); }\n", "libchance.so");
  const Outcome outcome = capture("gambler");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "libchance.so needs libcurand.so.10, which is not supported")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "curand_kernel.h")) << outcome.err;
  EXPECT_FALSE(has(outcome.out, "runs"));
}

TEST_F(CaptureLibrariesTest, ThatAProgramOpensAreNamedAndNotFound) {
  if (IsSkipped()) return;
  make_library("libcudnn.so.9");
  make_program("opener",
               "#include <cstdio>\n#include <dlfcn.h>\n"
               "int main() { std::printf(dlopen(\"./libcudnn.so.9\", RTLD_NOW) == nullptr ? \"none\\n\" : "
               "\"found\\n\"); }\n",
               "-ldl");
  const Outcome outcome = capture("opener");
  EXPECT_TRUE(has(outcome.out, "none")) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "opens libcudnn.so.9, which is not supported")) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
