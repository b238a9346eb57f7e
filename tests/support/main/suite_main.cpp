// The cases of a suite run in one process, one after another.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kSkipped = 77;  // ctest then calls the suite skipped

// Each case finds the environment that the case before it found.
class OwnEnvironment : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*info*/) override {
    variables_.clear();
    for (char** variable = environ; *variable != nullptr; ++variable) variables_.emplace_back(*variable);
  }
  void OnTestEnd(const testing::TestInfo& /*info*/) override {
    ::clearenv();
    for (const std::string& variable : variables_) {
      const std::size_t end = variable.find('=');
      ::setenv(variable.substr(0, end).c_str(), variable.c_str() + end + 1, 1);
    }
  }

  std::vector<std::string> variables_;
};

// The process whose cases have not all ended. A case that calls exit() fails the suite.
pid_t running = 0;

void fail_at_early_exit() {
  if (::getpid() != running) return;
  std::fputs("The process ended before its last case.\n", stderr);
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  tests.listeners().Append(new OwnEnvironment);
  running = ::getpid();
  std::atexit(fail_at_early_exit);
  const int result = RUN_ALL_TESTS();
  running = 0;
  const bool is_skipped = tests.skipped_test_count() > 0 && tests.successful_test_count() == 0;
  return result == 0 && is_skipped ? kSkipped : result;
}
