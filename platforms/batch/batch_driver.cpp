#include "platforms/batch/batch_driver.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "models/core/config.h"
#include "platforms/batch/batch_points.h"
#include "platforms/batch/batch_progress.h"
#include "platforms/batch/run_plan.h"
#include "platforms/batch/run_process.h"
#include "platforms/batch/run_store.h"
#include "platforms/cli/child.h"
#include "platforms/cli/commands.h"
#include "platforms/cli/output.h"

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
  std::optional<RunRecord> told;     // by the run itself: it has its place
  std::string unwritten;             // why it has none
  std::optional<RunRecord> stopped;  // why it was killed
};

// Runs what is given to it, so many at a time.
class Driver {
 public:
  Driver(const Campaign& campaign, const BatchOptions& options, const RunPlan& plan, const RunStore& store,
         std::size_t jobs)
      : campaign_(campaign), options_(options), plan_(plan), store_(store), jobs_(jobs) {}

  // Throws Interrupted, and OutputError where something could not be written: no run was started after
  // that, and those under way have ended.
  void work(const std::vector<const PlannedRun*>& runs, BatchProgress& progress) {
    try {
      for (std::size_t next = 0; !active_.empty() || (next < runs.size() && unwritten_.empty());) {
        while (active_.size() < jobs_ && next < runs.size() && unwritten_.empty()) start(*runs[next++]);
        hear(progress);
        beat();
        progress.draw();
      }
    } catch (...) {
      stop();
      throw;
    }
    if (!unwritten_.empty()) throw OutputError(unwritten_);
  }

 private:
  void start(const PlannedRun& run) {
    store_.remove(store_.path_of(run.id));
    const RunTask task{run.id, run.label, [&] { return inputs_of(campaign_, plan_, run); },
                       campaign_.memory_bytes, options_.argv};
    const pid_t parent = ::getpid();
    Active active;
    active.child = start_child([&](int pipe) { live_run(store_, task, parent, pipe); });
    active.run = &run;
    active.started = active.heard = Clock::now();
    active_.push_back(std::move(active));
  }

  void hear(BatchProgress& progress) {
    std::vector<const Child*> children;
    for (const Active& active : active_) children.push_back(&active.child);
    const std::vector<bool> speaks = wait_for(children, until_next());
    for (std::size_t i = speaks.size(); i-- > 0;) {
      if (!speaks[i]) {
        check(active_[i]);
      } else if (!listen(active_[i].child, [&](const auto& message) { take(active_[i], message); })) {
        conclude(active_[i], progress);
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  static void take(Active& active, const nlohmann::ordered_json& message) {
    active.heard = Clock::now();
    active.unwritten = message.value("unwritten", "");
    if (!message.contains("state")) return;
    const std::string reason = message["reason"];
    active.told =
        RunRecord{message["state"] == name_of(RunState::kOk) ? RunState::kOk : RunState::kFailed, reason};
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

  // Kills a run that takes too long, or tells nothing.
  void check(Active& active) {
    if (active.stopped) return;
    const Clock::time_point now = Clock::now();
    const auto limit = time_limit();
    if (limit && now - active.started >= *limit)
      active.stopped = {RunState::kTimeout, fmt::format("killed after {} s, the limit of time",
                                                        std::chrono::duration<double>(*limit).count())};
    else if (now - active.heard >= options_.silence)
      active.stopped = {RunState::kFailed,
                        fmt::format("killed: it told nothing for {} s", options_.silence.count())};
    if (active.stopped) ::kill(active.child.pid, SIGKILL);
  }

  void conclude(Active& active, BatchProgress& progress) {
    const int status = reap(active.child);
    if (active.unwritten.empty() && !active.told) write_end(active, status);
    if (active.told)
      progress.ended(active.run->label, *active.told);
    else if (unwritten_.empty())
      unwritten_ = active.unwritten;
  }

  RunRecord record_of(const Active& active, int status) const {
    if (active.stopped) return *active.stopped;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryStatus)
      return {RunState::kOutOfMemory,
              fmt::format("more than {} MiB, the limit of memory",
                          static_cast<double>(campaign_.memory_bytes.value_or(0)) / (1 << 20))};
    return {RunState::kFailed, describe_end(status)};
  }

  // For a process that has left without a word.
  void write_end(Active& active, int status) {
    const RunRecord record = record_of(active, status);
    const std::string draft = store_.draft_of(active.run->id, active.child.pid);
    try {
      if (::access(store_.path_of(active.run->id).c_str(), F_OK) == 0) {  // killed after it was done
        active.told = store_.find(active.run->id);
        return;
      }
      if (::access((draft + "/log").c_str(), F_OK) != 0) store_.begin(active.run->id, active.child.pid);
      std::ofstream log(draft + "/log", std::ios::app);
      log << "heddle: " << record.reason << "\n";
      log.close();
      if (!log) throw OutputError("cannot write " + draft + "/log");
      store_.finish(active.run->id, active.child.pid, record);
      active.told = record;
    } catch (const OutputError& error) {
      active.unwritten = error.what();
      store_.remove(draft);
    }
  }

  void beat() {
    const Clock::time_point now = Clock::now();
    if (now - beaten_ < kBeat / 2) return;
    beaten_ = now;
    for (const Active& active : active_) store_.beat(active.run->id, active.child.pid);
  }

  void stop() {
    for (const Active& active : active_) ::kill(active.child.pid, SIGKILL);
    for (const Active& active : active_) {
      reap(active.child);
      store_.remove(store_.draft_of(active.run->id, active.child.pid));
    }
    active_.clear();
  }

  const Campaign& campaign_;
  const BatchOptions& options_;
  const RunPlan& plan_;
  const RunStore& store_;
  const std::size_t jobs_;
  std::vector<Active> active_;
  Clock::time_point beaten_{};
  std::string unwritten_;
};

std::string points_of(const Campaign& campaign, const RunPlan& plan) {
  std::ostringstream text;
  write_points(campaign, plan, text);
  return text.str();
}

// How the whole campaign stands; the exit code.
int close(const Campaign& campaign, const RunPlan& plan, const RunStore& store) {
  std::size_t well = 0;
  for (const PlannedRun& run : plan.runs) well += store.find(run.id).state == RunState::kOk ? 1 : 0;
  std::cout << fmt::format("{}: {} points, {} runs, {} ok, {} not; results: {}", campaign.name,
                           campaign.points.size(), plan.runs.size(), well, plan.runs.size() - well,
                           store.directory())
            << std::endl;
  return well == plan.runs.size() ? 0 : kExitFailed;
}

}  // namespace

std::string directory_of(const Campaign& campaign, const std::string& directory) {
  return directory.empty() ? "results/campaigns/" + campaign.name : directory;
}

std::size_t jobs_of(std::size_t jobs) {
  return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

int batch_run(const Campaign& campaign, const BatchOptions& options) {
  const std::string directory = directory_of(campaign, options.directory);
  if (options.resume && ::access((directory + "/campaign.yaml").c_str(), F_OK) != 0)
    throw config::Error({directory + ": there is no campaign to resume"});
  const std::size_t jobs = jobs_of(options.jobs);
  const RunPlan plan = plan_runs(campaign, jobs);
  catch_interrupts();
  const CampaignLock lock(directory);
  const RunStore store(directory);
  store.sweep();
  replace_file(directory + "/campaign.yaml", campaign.yaml);
  replace_file(directory + "/points.json", points_of(campaign, plan));

  std::vector<const PlannedRun*> due;
  for (const PlannedRun& run : plan.runs)
    if (is_due(store.find(run.id), options.resume)) due.push_back(&run);
  BatchProgress progress(due.size(), options.quiet);
  try {
    Driver(campaign, options, plan, store, jobs).work(due, progress);
    progress.clear();
  } catch (const Interrupted&) {
    progress.clear();
    std::cerr << fmt::format("heddle: interrupted; {} of {} runs were done, heddle batch resume goes on\n",
                             progress.done(), due.size());
    return 130;
  } catch (const OutputError& error) {
    progress.clear();
    throw OutputError(fmt::format("{}; {} of {} runs were done, heddle batch resume goes on", error.what(),
                                  progress.done(), due.size()));
  }
  return close(campaign, plan, store);
}

}  // namespace heddle
