#include "platforms/run/job.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <systemc>
#include <thread>
#include <utility>

#include "models/core/base/interrupts.h"
#include "platforms/run/job_messages.h"
#include "stimuli/functional/interruption.h"

namespace heddle {

namespace {

struct Running {
  Child child;
  std::size_t job = 0;
  bool has_result = false;
};

// The body of the child process: it simulates and sends its progress and its result.
void live(const Job& job, std::size_t number, int pipe) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  const InterruptFlag flag;
  JobMessage message;
  try {
    message.done = simulate(job, [&](const JobProgress& progress) {
      JobMessage update;
      update.progress = progress;
      update.progress->job = number;
      send_line(pipe, line_of(update));
    });
  } catch (const InterruptedRun& stopped) {
    std::cerr << fmt::format("{}heddle: {}: {}\n", ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "", job.label,
                             stopped.what())
              << std::flush;
    InterruptFlag::end_process();
  } catch (const sc_core::sc_report& report) {
    message.failure = report.get_msg();
  } catch (const std::exception& error) {
    message.failure = error.what();
  }
  send_line(pipe, line_of(message));
}

void take(Running& running, JobMessage message, JobResult& result,
          const std::function<void(const JobProgress&)>& progress) {
  if (message.progress) return progress(*message.progress);
  running.has_result = true;
  if (message.failure) result.failure = *message.failure;
  if (message.done) result.done = std::move(*message.done);
}

// Reads the messages of a child. Returns false when the child has ended.
bool read_messages(Running& running, JobResult& result,
                   const std::function<void(const JobProgress&)>& progress) {
  const bool goes_on = listen(running.child, [&](const std::string& line) {
    take(running, read_job_message(line), result, progress);
  });
  if (goes_on) return true;
  const int status = reap(running.child);
  result.has_ended = true;
  if (!running.has_result) result.failure = describe_end("the simulation", status);
  return false;
}

// After Ctrl-C the jobs say where their warps are before they end.
void end_all(const std::vector<Running>& running) {
  constexpr std::chrono::seconds kMost{2};
  const auto begin = std::chrono::steady_clock::now();
  const bool is_polite = interrupting_signal() == SIGINT;
  for (const Running& one : running) ::kill(one.child.pid, is_polite ? SIGINT : SIGKILL);
  for (const Running& one : running) {
    while (is_polite && !has_ended(one.child) && std::chrono::steady_clock::now() - begin < kMost)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(one.child.pid, SIGKILL);
  }
  for (const Running& one : running) reap(one.child);
}

// Fills in the results of the jobs as they end.
void run_jobs(const std::vector<Job>& jobs, std::size_t parallel,
              const std::function<void(const JobProgress&)>& progress, std::vector<JobResult>& results) {
  std::vector<Running> running;
  std::size_t next = 0;
  try {
    while (next < jobs.size() || !running.empty()) {
      while (running.size() < parallel && next < jobs.size()) {
        running.push_back({start_child([&](int pipe) { live(jobs[next], next, pipe); }), next});
        ++next;
      }
      std::vector<const Child*> children;
      children.reserve(running.size());
      for (const Running& one : running) children.push_back(&one.child);
      const std::vector<bool> speaks = wait_for(children);
      for (std::size_t i = speaks.size(); i-- > 0;)
        if (speaks[i] && !read_messages(running[i], results[running[i].job], progress))
          running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  } catch (...) {
    end_all(running);
    throw;
  }
}

}  // namespace

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
  run_jobs(jobs, parallel, progress, results);
  return results;
}

std::vector<JobResult> run_jobs_until_interrupted(const std::vector<Job>& jobs, std::size_t parallel,
                                                  const std::function<void(const JobProgress&)>& progress) {
  std::vector<JobResult> results(jobs.size());
  try {
    run_jobs(jobs, parallel, progress, results);
  } catch (const Interrupted&) {  // the results say which jobs have not ended
  }
  return results;
}

}  // namespace heddle
