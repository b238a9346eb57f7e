#include "tests/support/in_child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>

namespace heddle::test {

namespace {

[[noreturn]] void run_and_exit(const std::function<std::string()>& work, int out) {
  int status = 1;
  const bool failed_before = testing::Test::HasFailure();
  try {
    const std::string text = work();
    status = testing::Test::HasFailure() && !failed_before ? 1 : 0;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t part = write(out, text.data() + sent, text.size() - sent);
      if (part <= 0) std::_Exit(1);
      sent += static_cast<std::size_t>(part);
    }
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "exception in a child: %s\n", exception.what());
  }
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    ADD_FAILURE() << "no pipe";
    return {};
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_and_exit(work, ends[1]);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "a child failed, status " << status;
  return text;
}

}  // namespace heddle::test
