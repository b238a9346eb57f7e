#include "platforms/cli/job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <systemc>

namespace heddle {

namespace {

volatile std::sig_atomic_t interrupted = 0;

const sigset_t& interruptions() {
  static const sigset_t signals = [] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
  }();
  return signals;
}

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  std::size_t job = 0;
  std::string received;
  bool has_result = false;
};

void send_line(int pipe, const nlohmann::ordered_json& message) {
  const std::string line =
      message.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = ::write(pipe, line.data() + sent, line.size() - sent);
    if (n < 0 && errno != EINTR) _exit(3);
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
}

// The child's whole life: simulate, tell, leave without running the parent's destructors.
[[noreturn]] void live(const Job& job, std::size_t number, int pipe) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  nlohmann::ordered_json message;
  try {
    message["data"] = simulate(job, [&](const JobProgress& progress) {
      send_line(pipe, {{"job", number},
                       {"fraction", progress.fraction},
                       {"simulated_ms", progress.simulated_ms},
                       {"cycles_per_second", progress.cycles_per_second}});
    });
  } catch (const sc_core::sc_report& report) {
    message["failure"] = report.get_msg();
  } catch (const std::exception& error) {
    message["failure"] = error.what();
  }
  send_line(pipe, message);
  _exit(0);
}

Child start(const Job& job, std::size_t number) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  std::cout.flush();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (pid == 0) {
    ::close(ends[0]);
    live(job, number, ends[1]);
  }
  ::close(ends[1]);
  Child child;
  child.pid = pid;
  child.pipe = ends[0];
  child.job = number;
  return child;
}

void take_line(Child& child, const std::string& line, JobResult& result,
               const std::function<void(const JobProgress&)>& progress) {
  const auto message = nlohmann::ordered_json::parse(line);
  if (message.contains("fraction")) {
    progress({child.job, message["fraction"], message["simulated_ms"], message["cycles_per_second"]});
    return;
  }
  child.has_result = true;
  result.failure = message.value("failure", "");
  if (message.contains("data")) result.data = message["data"];
}

// Reads what a child has to say; false when it has ended.
bool listen(Child& child, JobResult& result, const std::function<void(const JobProgress&)>& progress) {
  char buffer[65536];
  const ssize_t n = ::read(child.pipe, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return true;
  if (n > 0) {
    child.received.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end; (end = child.received.find('\n')) != std::string::npos;) {
      const std::string line = child.received.substr(0, end);
      child.received.erase(0, end + 1);
      take_line(child, line, result, progress);
    }
    return true;
  }
  ::close(child.pipe);
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!child.has_result)
    result.failure = WIFSIGNALED(status)
                         ? fmt::format("the simulation was ended by signal {}", WTERMSIG(status))
                         : fmt::format("the simulation ended with status {}", WEXITSTATUS(status));
  return false;
}

void stop(std::vector<Child>& children) {
  for (const Child& child : children) ::kill(child.pid, SIGKILL);
  for (const Child& child : children) {
    ::close(child.pipe);
    ::waitpid(child.pid, nullptr, 0);
  }
}

// Which children have something to say. An interruption is let in only while it waits, so that none is
// missed.
std::vector<pollfd> wait_for(const std::vector<Child>& children) {
  std::vector<pollfd> waits;
  waits.reserve(children.size());
  for (const Child& child : children) waits.push_back({child.pipe, POLLIN, 0});
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &interruptions(), &before);
  if (interrupted == 0 && ::ppoll(waits.data(), waits.size(), nullptr, &before) < 0)
    for (pollfd& wait : waits) wait.revents = 0;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (interrupted != 0) throw Interrupted{};
  return waits;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<JobResult> run_jobs(const std::vector<Job>& jobs, std::size_t parallel,
                                const std::function<void(const JobProgress&)>& progress) {
  std::vector<JobResult> results(jobs.size());
  std::vector<Child> children;
  std::size_t next = 0;
  try {
    while (next < jobs.size() || !children.empty()) {
      while (children.size() < parallel && next < jobs.size()) {
        children.push_back(start(jobs[next], next));
        ++next;
      }
      const std::vector<pollfd> waits = wait_for(children);
      for (std::size_t i = waits.size(); i-- > 0;)
        if (waits[i].revents != 0 && !listen(children[i], results[children[i].job], progress))
          children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    }
  } catch (...) {
    stop(children);
    throw;
  }
  return results;
}

}  // namespace heddle
