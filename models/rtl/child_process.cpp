#include "models/rtl/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

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
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipe, STDERR_FILENO);
  if (!directory.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  const int error = ::posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string read_all(int pipe) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t n = ::read(pipe, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

ChildOutput run_tool(const std::vector<std::string>& arguments, const std::string& directory) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  pid_t pid = -1;
  ChildOutput output;
  output.started = start(arguments, directory, ends[1], pid) == 0;
  ::close(ends[1]);
  if (output.started) {
    output.text = read_all(ends[0]);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    output.end = describe_failure(status);
  }
  ::close(ends[0]);
  return output;
}

}  // namespace heddle
