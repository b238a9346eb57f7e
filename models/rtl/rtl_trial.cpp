#include "models/rtl/rtl_trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "models/rtl/rtl_library.h"

namespace heddle {

namespace {

constexpr unsigned kMostSeconds = 10;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kMostText = 4096;  // of a message: a pipe takes it at once

// What the child does. It writes an error to the pipe, and leaves without the exit handlers of its parent.
[[noreturn]] void load_and_leave(const std::string& file, int pipe) {
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, output);
  ::alarm(kMostSeconds);
  try {
    const std::unique_ptr<RtlInstance> instance = RtlLibrary::load(file)->create(kSeed);
    instance->eval();
    for (const RtlSignal& signal : instance->signals()) fmt::print("{} {}\n", signal.name(), signal.hex());
  } catch (const RtlError& error) {
    const std::string text = error.what();
    if (::write(pipe, text.data(), std::min(text.size(), kMostText)) < 0) ::_exit(1);
  }
  ::_exit(0);
}

std::string read_text(int pipe) {
  std::string text(kMostText, '\0');
  ssize_t length = 0;
  while ((length = ::read(pipe, text.data(), text.size())) < 0 && errno == EINTR) {
  }
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return text;
}

// Returns the status of a child that has ended.
int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

void try_rtl_library(const std::string& file) {
  const auto refuse = [&file](const std::string& why) {
    throw RtlError(fmt::format("RTL library {}: {}", file, why));
  };
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse(fmt::format("pipe: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) load_and_leave(file, ends[1]);
  const int fork_error = errno;
  ::close(ends[1]);
  const std::string error =
      child < 0 ? fmt::format("fork: {}", std::strerror(fork_error)) : read_text(ends[0]);
  ::close(ends[0]);
  if (child < 0) refuse(error);
  const int status = wait_for(child);
  if (!error.empty()) throw RtlError(error);
  if (WIFSIGNALED(status))
    refuse(fmt::format("signal {} ended a trial of it; is the file damaged?", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    refuse(fmt::format("a trial of it ended with status {}; is the file damaged?", WEXITSTATUS(status)));
}

}  // namespace heddle
