#include "platforms/run/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

namespace heddle {

Child start_child(const std::function<void(int pipe)>& life) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  std::cout.flush();
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::runtime_error(fmt::format("fork: {}", std::strerror(error)));
  }
  if (pid == 0) {
    ::close(ends[0]);
    life(ends[1]);
    _exit(0);
  }
  ::close(ends[1]);
  return {pid, ends[0], ""};
}

void send_line(int pipe, std::string line) {
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = ::write(pipe, line.data() + sent, line.size() - sent);
    if (n < 0 && errno != EINTR) _exit(3);
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
}

std::vector<bool> wait_for(const std::vector<const Child*>& children,
                           std::optional<std::chrono::milliseconds> most) {
  std::vector<pollfd> waits;
  waits.reserve(children.size());
  for (const Child* child : children) waits.push_back({child->pipe, POLLIN, 0});
  poll_or_interrupt(waits.data(), waits.size(), most);
  std::vector<bool> speaks;
  speaks.reserve(waits.size());
  for (const pollfd& wait : waits) speaks.push_back(wait.revents != 0);
  return speaks;
}

bool listen(Child& child, const std::function<void(const std::string& line)>& take) {
  char buffer[65536];
  const ssize_t n = ::read(child.pipe, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  child.received.append(buffer, static_cast<std::size_t>(n));
  for (std::size_t end; (end = child.received.find('\n')) != std::string::npos;) {
    const std::string line = child.received.substr(0, end);
    child.received.erase(0, end + 1);
    take(line);
  }
  return true;
}

bool has_ended(const Child& child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child.pid;
}

int reap(const Child& child) {
  ::close(child.pipe);
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string describe_end(const std::string& what, int status) {
  return WIFSIGNALED(status) ? fmt::format("{} was ended by signal {}", what, WTERMSIG(status))
                             : fmt::format("{} ended with status {}", what, WEXITSTATUS(status));
}

}  // namespace heddle
