#include "platforms/campaign/backends/run_driver.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <stdexcept>
#include <thread>

#include "platforms/campaign/backends/run_messages.h"
#include "platforms/campaign/backends/run_process.h"
#include "platforms/campaign/store/run_files.h"
#include "platforms/run/child.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBeat{500};

struct Active {
  Child child;
  const PlannedRun* run = nullptr;
  Clock::time_point started;
  Clock::time_point heard;
  std::optional<RunRecord> record;  // set once the run has its place in the store
  unsigned threads = 1;
  std::string unwritten;             // why the run could not be written
  std::optional<RunRecord> stopped;  // why the driver killed the run
};

// Returns the warp instructions that an application alone issued.
std::uint64_t instructions_of(const RunStore& store, const PlannedRun& alone) {
  const RunRecord record = store.find(alone.id);
  if (record.state != RunState::kOk)
    throw std::runtime_error(fmt::format("{}: {}; it would tell how many instructions to run", alone.label,
                                         name_of(record.state)));
  return load_result(store.path_of(alone.id)).applications.front().warp_instructions;
}

// Runs several runs at a time.
class Driver {
 public:
  Driver(const Campaign& campaign, const RunPlan& plan, const RunStore& store,
         const RunDriverOptions& options, RunProgress& progress)
      : campaign_(campaign), plan_(plan), store_(store), options_(options), progress_(progress) {}

  void work(const std::vector<const PlannedRun*>& runs) {
    pending_.assign(runs.begin(), runs.end());
    try {
      while (!active_.empty() || (!pending_.empty() && unwritten_.empty())) {
        while (busy() < options_.jobs && unwritten_.empty() && start_next()) {
        }
        if (active_.empty() && !pending_.empty())
          std::this_thread::sleep_for(kBeat);  // other processes do the runs it needs
        read_messages();
        beat();
        progress_.update();
      }
    } catch (...) {
      stop();
      throw;
    }
    if (!unwritten_.empty()) throw OutputError(unwritten_);
  }

  std::size_t done() const { return done_; }

 private:
  // Starts the first pending run that waits for no other run, unless another process does it, and returns
  // true. A run that waits for one that no process works at starts that one first. Returns false if all runs
  // wait.
  bool start_next() {
    for (auto at = pending_.begin(); at != pending_.end(); ++at) {
      const PlannedRun* const need = missing(**at);
      if (need == nullptr) {
        const PlannedRun& run = **at;
        pending_.erase(at);
        start(run);
        return true;
      }
      if (!is_ours(*need) && start(*need)) return true;
    }
    return false;
  }

  // Returns the first run that gives `run` its targets and has not ended or is to be repeated, or null.
  const PlannedRun* missing(const PlannedRun& run) const {
    for (const PlannedRun* need : needs_of(plan_, run))
      if (is_ours(*need) || store_.find(need->id).state == RunState::kQueued) return need;
    return nullptr;
  }

  std::size_t busy() const {  // threads
    std::size_t threads = 0;
    for (const Active& active : active_) threads += active.threads;
    return threads;
  }

  bool is_ours(const PlannedRun& run) const {  // pending or active in this driver
    return std::find(pending_.begin(), pending_.end(), &run) != pending_.end() ||
           std::any_of(active_.begin(), active_.end(),
                       [&run](const Active& active) { return active.run == &run; });
  }

  // Returns false if another process works at the run or the run is ok.
  bool start(const PlannedRun& run) {
    try {
      if (!store_.begin(run.id)) return false;
    } catch (const OutputError& error) {
      unwritten_ = error.what();
      return false;
    }
    const unsigned threads = threads_of_next(options_.jobs - busy(), pending_.size() + 1, options_.threads);
    const RunTask task{run.id,
                       run.label,
                       [&] { return inputs_with_targets(run); },
                       campaign_.memory_bytes,
                       campaign_.series,
                       options_.argv,
                       threads};
    const pid_t parent = ::getpid();
    Active active;
    active.child = start_child([&](int pipe) { live_run(store_, task, parent, pipe); });
    active.run = &run;
    active.threads = threads;
    active.started = active.heard = Clock::now();
    active_.push_back(std::move(active));
    return true;
  }

  // This is called in the run's own process.
  Experiment inputs_with_targets(const PlannedRun& run) const {
    Experiment inputs = inputs_of(campaign_, plan_, run);
    const std::vector<const PlannedRun*> needs = needs_of(plan_, run);
    for (std::size_t i = 0; i < needs.size(); ++i)
      inputs.applications[i].target_instructions = instructions_of(store_, *needs[i]);
    return inputs;
  }

  void read_messages() {
    if (active_.empty()) return;
    std::vector<const Child*> children;
    for (const Active& active : active_) children.push_back(&active.child);
    const std::vector<bool> speaks = wait_for(children, until_next());
    for (std::size_t i = speaks.size(); i-- > 0;) {
      if (!speaks[i]) {
        check(active_[i]);
      } else if (!listen(active_[i].child,
                         [&](const std::string& line) { take(active_[i], read_run_message(line)); })) {
        conclude(active_[i]);
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  static void take(Active& active, const RunMessage& message) {
    active.heard = Clock::now();
    if (message.unwritten) active.unwritten = *message.unwritten;
    if (message.ended) active.record = message.ended;
  }

  std::optional<Clock::duration> time_limit() const {
    if (!campaign_.time_limit_ps) return std::nullopt;
    return std::chrono::nanoseconds(std::max<std::uint64_t>(*campaign_.time_limit_ps / 1000, 1));
  }

  milliseconds until_next() const {
    Clock::duration wait = kBeat;
    if (const auto limit = time_limit())
      for (const Active& active : active_) wait = std::min(wait, active.started + *limit - Clock::now());
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(wait));
  }

  // Kills a run that exceeds its time or sends no message for too long.
  void check(Active& active) {
    if (active.stopped) return;
    const Clock::time_point now = Clock::now();
    const auto limit = time_limit();
    if (limit && now - active.started >= *limit)
      active.stopped = {RunState::kTimeout, fmt::format("killed after {} s, the limit of time",
                                                        std::chrono::duration<double>(*limit).count())};
    else if (now - active.heard >= options_.silence)
      active.stopped = {RunState::kFailed,
                        fmt::format("killed: no message for {} s",
                                    std::chrono::duration<double>(options_.silence).count())};
    if (active.stopped) ::kill(active.child.pid, SIGKILL);
  }

  void conclude(Active& active) {
    const int status = reap(active.child);
    if (active.unwritten.empty() && !active.record) write_end(active, status);
    if (active.record) {
      ++done_;
      progress_.ended(active.run->label, *active.record);
    } else if (unwritten_.empty()) {
      unwritten_ = active.unwritten;
    }
  }

  RunRecord record_of(const Active& active, int status) const {
    if (active.stopped) return *active.stopped;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryStatus)
      return {RunState::kOutOfMemory,
              fmt::format("more than {} MiB, the limit of memory",
                          static_cast<double>(campaign_.memory_bytes.value_or(0)) / (1 << 20))};
    return {RunState::kFailed, describe_end("the simulation", status)};
  }

  // Records the end of a process that ended without a message.
  void write_end(Active& active, int status) {
    const RunRecord record = record_of(active, status);
    const std::string draft = store_.draft_of(active.run->id);
    try {
      if (::access(store_.path_of(active.run->id).c_str(), F_OK) ==
          0) {  // the run was killed after it was written
        active.record = store_.find(active.run->id);
        return;
      }
      OutputFile log(draft + "/log", std::ios::app);
      log << "heddle: " << record.reason << "\n";
      log.finish();
      store_.finish(active.run->id, record);
      active.record = record;
    } catch (const OutputError& error) {
      active.unwritten = error.what();
      store_.remove(draft);
    }
  }

  void beat() {
    const Clock::time_point now = Clock::now();
    if (now - beaten_ < kBeat / 2) return;
    beaten_ = now;
    for (const Active& active : active_) store_.beat(active.run->id);
  }

  void stop() {
    for (const Active& active : active_) ::kill(active.child.pid, SIGKILL);
    for (const Active& active : active_) {
      reap(active.child);
      store_.remove(store_.draft_of(active.run->id));
    }
    active_.clear();
  }

  const Campaign& campaign_;
  const RunPlan& plan_;
  const RunStore& store_;
  const RunDriverOptions& options_;
  RunProgress& progress_;
  std::list<const PlannedRun*> pending_;
  std::vector<Active> active_;
  Clock::time_point beaten_{};
  std::string unwritten_;
  std::size_t done_ = 0;
};

}  // namespace

unsigned threads_of_next(std::size_t free, std::size_t pending, unsigned most) {
  return static_cast<unsigned>(std::clamp<std::size_t>(free / std::max<std::size_t>(pending, 1), 1, most));
}

std::vector<const PlannedRun*> due_runs(const RunPlan& plan, const RunStore& store, bool resume) {
  std::vector<const PlannedRun*> due;
  for (const PlannedRun& run : plan.runs)
    if (is_due(store.find(run.id), resume)) due.push_back(&run);
  return due;
}

WorkResult work_through(const Campaign& campaign, const RunPlan& plan,
                        const std::vector<const PlannedRun*>& runs, const RunStore& store,
                        const RunDriverOptions& options, RunProgress& progress) {
  catch_interrupts();
  WorkResult result;
  result.runs = runs.size();
  progress.begin(runs.size());
  Driver driver(campaign, plan, store, options, progress);
  try {
    driver.work(runs);
  } catch (const Interrupted&) {
    result.end = WorkResult::End::kInterrupted;
  } catch (const OutputError& error) {
    result.end = WorkResult::End::kUnwritten;
    result.reason = error.what();
  }
  result.done = driver.done();
  return result;
}

}  // namespace heddle
