#include "tests/platforms/campaign/slurm_rig.h"
#include "tests/support/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace heddle::test {

namespace fs = std::filesystem;

namespace {

constexpr auto kLongest = std::chrono::minutes(5);
constexpr auto kPause = std::chrono::milliseconds(500);  // each look starts a program of Slurm

const std::string& script() {
  static const std::string path = fs::path(source_directory()) / "tests/support/slurm_cluster";
  return path;
}

// The directory is not in $TMPDIR, because its path must be short enough for a socket and accessible to the
// account.
fs::path fresh_directory() {
  std::string path = "/tmp/heddle-slurm-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory");
  return path;
}

std::vector<std::string> missing_programs() {
  std::vector<std::string> missing;
  for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch", "setpriv"}) {
    std::istringstream path(std::string(std::getenv("PATH")) + ":/usr/sbin:/sbin");
    bool found = false;
    for (std::string folder; std::getline(path, folder, ':');)
      found = found || access((folder + "/" + name).c_str(), X_OK) == 0;
    if (!found) missing.emplace_back(name);
  }
  return missing;
}

bool is_debian_12() {
  const std::string release = "\n" + read_file("/etc/os-release");
  return release.find("\nID=debian\n") != std::string::npos &&
         release.find("\nVERSION_ID=\"12\"\n") != std::string::npos;
}

}  // namespace

SlurmCluster::SlurmCluster(const SlurmOptions& options) : directory_(fresh_directory()) {
  const Outcome started =
      control("start", {"--cpus", std::to_string(options.cpus), "--max-array",
                        std::to_string(options.array_indices), "--watch", std::to_string(getpid())});
  if (started.code == 0) return;
  fs::remove_all(directory_);
  throw std::runtime_error("no Slurm: " + started.err);
}

SlurmCluster::~SlurmCluster() {
  const Outcome stopped = control("stop", {});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

Outcome SlurmCluster::control(const std::string& verb, const std::vector<std::string>& arguments) const {
  std::vector<std::string> all{script(), verb, directory_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return execute_program(std::move(all), directory_, kLongest);
}

void SlurmCluster::write(const std::string& name, const std::string& text) const {
  const fs::path path = work() / name;
  std::ofstream(path, std::ios::binary) << text;
  chmod(path.c_str(), 0755);
}

std::string SlurmCluster::program() const {
  const fs::path prefix = directory_ / "heddle";
  if (!fs::exists(prefix)) {
    Surroundings readable;
    readable.prepare = [] { umask(022); };
    const Outcome installed = execute_program(
        {cmake_program(), "--install", fs::path(heddle_program()).parent_path(), "--prefix", prefix},
        directory_, kLongest, readable);
    EXPECT_EQ(installed.code, 0) << installed.err;
  }
  return prefix / "bin/heddle";
}

std::vector<std::string> SlurmCluster::command(const std::vector<std::string>& arguments) const {
  std::vector<std::string> all{script(), "run", directory_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

Outcome SlurmCluster::run(const std::vector<std::string>& arguments) const {
  return execute_program(command(arguments), directory_, kLongest);
}

std::string SlurmCluster::submit(const std::string& body, const std::vector<std::string>& options) const {
  std::vector<std::string> arguments{"sbatch", "--parsable"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.emplace_back("script");
  write("script", "#!/bin/sh\n" + body);
  const Outcome submitted = run(arguments);
  EXPECT_EQ(submitted.code, 0) << submitted.err;
  return submitted.out.substr(0, submitted.out.find('\n'));
}

std::string SlurmCluster::state(const std::string& node) const {
  const std::string out = run({"sinfo", "-h", "-N", "-n", node, "-o", "%T"}).out;
  return out.substr(0, out.find('\n'));
}

// Slurm forgets a job some time after it has ended.
void SlurmCluster::wait_until_done(const std::string& job) const {
  wait_until("job " + job + " to end", [&] {
    const Outcome left = run({"squeue", "-h", "-j", job});
    return left.out.empty() &&
           (left.code == 0 || left.err.find("Invalid job id specified") != std::string::npos);
  });
}

void SlurmCluster::kill_node(const std::string& name) const {
  const Outcome killed = control("kill-node", {name});
  EXPECT_EQ(killed.code, 0) << killed.err;
}

void SlurmCluster::revive_node(const std::string& name) const {
  const Outcome revived = control("revive-node", {name});
  EXPECT_EQ(revived.code, 0) << revived.err;
}

void wait_until(const std::string& what, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "in vain waited for " << what;
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

void SlurmTest::SetUp() {
  const std::vector<std::string> missing = missing_programs();
  if (missing.empty()) return;
  if (is_debian_12()) FAIL() << "Slurm is not installed: there is no " << missing.front();
  GTEST_SKIP() << "Slurm is not installed: there is no " << missing.front();
}

SlurmCluster& SlurmTest::start(const SlurmOptions& options) {
  cluster_ = std::make_unique<SlurmCluster>(options);
  return *cluster_;
}

}  // namespace heddle::test
