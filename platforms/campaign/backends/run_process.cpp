#include "platforms/campaign/backends/run_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <systemc>

#include "platforms/campaign/backends/run_messages.h"
#include "platforms/campaign/store/run_files.h"
#include "platforms/run/child.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance_codec.h"
#include "platforms/run/result/result_codec.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

// Only the parent stops a run. A terminal sends its interrupt to both, and without this the run would look
// failed.
void belong_to(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) _exit(1);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
}

void log_to(const std::string& file) {
  const int log = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0 || ::dup2(log, STDOUT_FILENO) < 0 || ::dup2(log, STDERR_FILENO) < 0)
    throw OutputError(fmt::format("cannot open {}: {}", file, std::strerror(errno)));
  ::close(log);
}

// Limits the address space to `bytes` more than the process has now. A failed allocation ends the process at
// once.
void limit_memory(std::uint64_t bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t now = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const rlimit limit{now + bytes, now + bytes};
  if (::setrlimit(RLIMIT_AS, &limit) != 0)
    throw std::runtime_error(fmt::format("cannot limit the memory: {}", std::strerror(errno)));
  std::set_new_handler([] { _exit(kOutOfMemoryStatus); });
}

// Returns the part of the address space that the threads reserve for their stacks. The function also keeps
// the C library from reserving a heap for each thread.
std::uint64_t space_of_threads(unsigned threads) {
  constexpr std::uint64_t kStack = std::uint64_t{8} << 20U;  // glibc's default
  if (threads == 1) return 0;
  ::mallopt(M_ARENA_MAX, 1);
  return threads * kStack;
}

// Returns the wall clock in seconds since 1970.
double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

RunRecord simulate_run(const RunTask& task, const std::string& draft, Provenance& origin, int pipe) {
  try {
    Job job;
    {
      const Experiment inputs = task.inputs();
      origin.notes = inputs.kernel_notes;
      write_inputs(inputs, draft);
      job.machine = machine_for(inputs, inputs.variants.front());
    }
    job.label = task.label;
    job.directory = draft;
    job.series = task.series;
    job.threads = task.threads;
    if (task.memory_bytes) limit_memory(*task.memory_bytes + space_of_threads(task.threads));
    const Simulation done = simulate(job, [&](const JobProgress& progress) {
      RunMessage message;
      message.fraction = progress.fraction;
      send_line(pipe, line_of(message));
    });
    origin.speed = {done.cost.wall_seconds, done.cost.cycles_per_second(done.result)};
    origin.cpu_seconds = done.cost.cpu_seconds;
    write_file(result_file_of(draft), result_text(done.result));
    write_checksums(draft);
    return {RunState::kOk, ""};
  } catch (const OutputError&) {
    throw;
  } catch (const fs::filesystem_error& error) {
    throw OutputError(error.what());
  } catch (const sc_core::sc_report& report) {
    return {RunState::kFailed, report.get_msg()};
  } catch (const std::exception& error) {
    return {RunState::kFailed, error.what()};
  }
}

}  // namespace

void live_run(const RunStore& store, const RunTask& task, pid_t parent, int pipe) {
  belong_to(parent);
  const std::string draft = store.draft_of(task.id);
  RunMessage message;
  try {
    log_to(draft + "/log");
    const std::string file = draft + "/provenance.json";
    Provenance origin = provenance(task.argv);
    origin.started = now();
    write_file(file, provenance_text(origin));  // a run that is killed has it, too
    const RunRecord record = simulate_run(task, draft, origin, pipe);
    origin.ended = now();
    write_file(file, provenance_text(origin));
    if (!record.reason.empty()) std::cerr << "heddle: " << record.reason << "\n";
    std::cout.flush();
    if (!std::cout || !std::cerr) throw OutputError(fmt::format("cannot write {}/log", draft));
    store.finish(task.id, record);
    message.ended = record;
  } catch (const OutputError& error) {
    std::error_code ignored;
    fs::remove_all(draft, ignored);
    message.unwritten = error.what();
  }
  send_line(pipe, line_of(message));
}

}  // namespace heddle
