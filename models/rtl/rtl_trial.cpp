#include "models/rtl/rtl_trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "models/rtl/rtl_library.h"

namespace heddle {

namespace {

constexpr unsigned kMostSeconds = 10;
constexpr std::uint64_t kSeed = 1;

// What the child does. It says nothing, and leaves without the exit handlers of its parent.
[[noreturn]] void load_and_leave(const std::string& file) {
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, output);
  ::alarm(kMostSeconds);
  try {
    const std::unique_ptr<RtlInstance> instance = RtlLibrary::load(file)->create(kSeed);
    instance->eval();
    for (const RtlSignal& signal : instance->signals()) fmt::print("{} {}\n", signal.name(), signal.hex());
  } catch (const RtlError&) {
    // The parent gets the same error when it loads the library.
  }
  ::_exit(0);
}

}  // namespace

void try_rtl_library(const std::string& file) {
  const pid_t child = ::fork();
  if (child < 0) throw RtlError(fmt::format("RTL library {}: fork: {}", file, std::strerror(errno)));
  if (child == 0) load_and_leave(file);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw RtlError(fmt::format("RTL library {}: signal {} ended a trial of it; is the file damaged?", file,
                               WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw RtlError(fmt::format("RTL library {}: a trial of it ended with status {}; is the file damaged?",
                               file, WEXITSTATUS(status)));
}

}  // namespace heddle
