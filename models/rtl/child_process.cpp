#include "models/rtl/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "models/core/base/interrupts.h"

extern char** environ;

namespace heddle {

namespace {

std::string describe_failure(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with status {}", WEXITSTATUS(status));
}

// Starts the program with its output in the pipe. Returns 0 or an error number.
int start(const std::vector<std::string>& arguments, const std::string& directory, int pipe, pid_t& pid) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  // A group of its own, so that the program can be ended with what it has started. Its signals are those of a
  // program that a shell starts.
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipe, STDERR_FILENO);
  if (!directory.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  const int error = ::posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Throws Interrupted.
std::string read_all(int pipe) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    pollfd wait{pipe, POLLIN, 0};
    poll_or_interrupt(&wait, 1);
    if (wait.revents == 0) continue;
    const ssize_t n = ::read(pipe, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

int wait_for_end(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Ends the program and all that it has started: SIGTERM lets a compiler remove its files, and SIGKILL ends
// what is left a second later.
void end_group(pid_t group) {
  constexpr int kSteps = 100;
  constexpr useconds_t kStep = 10'000;  // microseconds
  ::kill(-group, SIGTERM);
  for (int i = 0; i < kSteps && ::waitpid(group, nullptr, WNOHANG) == 0; ++i) ::usleep(kStep);
  ::kill(-group, SIGKILL);
  wait_for_end(group);
}

}  // namespace

ChildOutput run_tool(const std::vector<std::string>& arguments, const std::string& directory) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  pid_t pid = -1;
  ChildOutput output;
  const CaughtInterrupts caught;
  output.started = start(arguments, directory, ends[1], pid) == 0;
  ::close(ends[1]);
  if (output.started) try {
      output.text = read_all(ends[0]);
    } catch (const Interrupted&) {
      end_group(pid);
      ::close(ends[0]);
      throw;
    }
  ::close(ends[0]);
  if (output.started) output.end = describe_failure(wait_for_end(pid));
  poll_or_interrupt(nullptr, 0, std::chrono::milliseconds(0));  // for a signal since the last output
  return output;
}

}  // namespace heddle
