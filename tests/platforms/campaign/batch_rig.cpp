#include "tests/platforms/campaign/batch_rig.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "models/core/config/config.h"
#include "platforms/campaign/results/database.h"
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/run/child.h"

namespace heddle::test {

namespace fs = std::filesystem;

namespace {

void redirect(int descriptor, const fs::path& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

// Returns the exit code that main() of the program returns.
int code_of(const std::function<int()>& verb) {
  try {
    return verb();
  } catch (const config::Error& error) {
    std::cerr << "heddle: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "heddle: " << error.what() << "\n";
    return 3;
  }
}

}  // namespace

BatchTest::BatchTest() {
  write_small();
  fs::current_path(directory_);
}

BatchTest::~BatchTest() {
  for (const pid_t pid : started_)
    if (waitpid(pid, nullptr, WNOHANG) == 0) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
}

CampaignPoint BatchTest::point(std::vector<Assignment> values, std::optional<std::uint64_t> seed) {
  CampaignPoint made;
  made.values = std::move(values);
  made.seed = seed;
  return made;
}

Campaign BatchTest::small_campaign(std::uint64_t seeds) {
  Campaign campaign;
  campaign.name = "spread";
  campaign.experiment = "small.yaml";
  campaign.yaml = "campaign: spread\n";
  campaign.keys = {"jitter"};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    campaign.points.push_back(point({{"jitter", "0.2"}}, seed));
    campaign.points.back().number = seed - 1;
  }
  return campaign;
}

BackendOptions BatchTest::in(const std::string& directory, std::size_t jobs) {
  BackendOptions options;
  options.directory = directory;
  options.jobs = jobs;
  return options;
}

BackendOptions BatchTest::resume(const std::string& directory) {
  BackendOptions options = in(directory);
  options.resume = true;
  return options;
}

BatchRun BatchTest::start(const Campaign& campaign, const BackendOptions& options,
                          const std::function<void()>& prepare) {
  const std::string number = std::to_string(started_.size());
  BatchRun run{-1, captured_ / ("out" + number), captured_ / ("err" + number)};
  std::cout.flush();
  run.pid = fork();
  started_.push_back(run.pid);
  if (run.pid != 0) return run;
  redirect(STDOUT_FILENO, run.out);
  redirect(STDERR_FILENO, run.err);
  if (prepare) prepare();
  const int code = code_of([&] { return run_on_console(campaign, options, false); });
  std::cout.flush();
  _exit(code);
}

Outcome BatchTest::await(const BatchRun& run) {
  int status = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(240);
  while (waitpid(run.pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "the campaign hangs";
      kill(run.pid, SIGKILL);
      waitpid(run.pid, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_file(run.out);
  outcome.err = read_file(run.err);
  return outcome;
}

Outcome BatchTest::status_of(const std::string& directory, bool json) const {
  return heddle("batch status " + directory + (json ? " --json" : ""));
}

std::string rows_of(const fs::path& file, const std::string& query) {
  Database database(file);
  Statement rows(database, query);
  std::string text;
  while (rows.step()) {
    for (int i = 0; i < rows.columns(); ++i) text += (i == 0 ? "" : "|") + rows.text(i);
    text += "\n";
  }
  return text;
}

std::map<std::string, std::string> tables_of(const fs::path& file) {
  std::istringstream names(rows_of(file, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"));
  std::map<std::string, std::string> tables;
  for (std::string name; std::getline(names, name);)
    if (name != "provenance") tables[name] = rows_of(file, "SELECT * FROM \"" + name + "\"");
  return tables;
}

std::map<std::string, std::string> results_below(const fs::path& directory) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory / "runs")) {
    const std::string name = entry.path().filename();
    found[entry.path().lexically_relative(directory)] =
        entry.is_directory() || name == "provenance.json" || name == "log" ? "" : read_file(entry.path());
  }
  return found;
}

std::map<std::string, std::string> BatchTest::states(const std::string& directory) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator(directory + "/runs")) {
    const auto json = nlohmann::json::parse(read_file(entry.path() / "state.json"), nullptr, false);
    found[entry.path().filename()] = json.is_object() ? json["state"].get<std::string>() : "";
  }
  return found;
}

void BatchTest::make_endless() const {
  for (const char* name : {"tiny.yaml", "other.yaml"}) {
    std::string text = read(name);
    write(name, text.replace(text.find("repeat: 2"), 9, "repeat: 900000000"));
  }
}

}  // namespace heddle::test
