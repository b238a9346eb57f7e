#pragma once
// A Slurm of a test's own, with the nodes n1 and n2 on this machine: tests/support/slurm_cluster.

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

struct SlurmOptions {
  int cpus = 2;              // of each node, with 512 MiB each
  int array_indices = 1001;  // Slurm's MaxArraySize: indices are below
};

// Everything of it ends with the object or with the process. Its jobs, and what run() starts, belong to an
// ordinary account where the test belongs to root.
class SlurmCluster {
 public:
  explicit SlurmCluster(const SlurmOptions& options = {});  // std::runtime_error with the daemons' last words
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  const std::filesystem::path& directory() const { return directory_; }
  // Where run() and its jobs start, for the account to write in; what the test makes there, all may read.
  std::filesystem::path work() const { return directory_ / "work"; }
  void write(const std::string& name, const std::string& text) const;  // in work()
  std::string read(const std::string& name) const { return read_file(work() / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(work() / name); }

  // A heddle that the account can run, wherever the clone lies: installed in directory() at the first call.
  std::string program() const;

  // What to execute, in any directory, for a command to run as the account in work(): it becomes the command.
  std::vector<std::string> command(const std::vector<std::string>& arguments) const;
  Outcome run(const std::vector<std::string>& arguments) const;

  // The array's or job's number; a refusal fails the test. `script` is the body of a shell script.
  std::string submit(const std::string& script, const std::vector<std::string>& options = {}) const;
  std::string state(const std::string& node) const;  // such as idle, mixed, down*
  void wait_until_done(const std::string& job) const;

  void kill_node(const std::string& name) const;    // with all that runs there, as if its power had failed
  void revive_node(const std::string& name) const;  // and waits until Slurm has it back

 private:
  Outcome control(const std::string& verb, const std::vector<std::string>& arguments) const;

  std::filesystem::path directory_;
};

// As eventually(), for what Slurm does on a busy machine: up to five minutes, and a failure after that.
void wait_until(const std::string& what, const std::function<bool()>& condition);

// A test that needs Slurm: without, it fails on Debian 12, where scripts/setup.sh installs it, and is skipped
// elsewhere.
class SlurmTest : public testing::Test {
 protected:
  void SetUp() override;

  SlurmCluster& start(const SlurmOptions& options = {});

 private:
  std::unique_ptr<SlurmCluster> cluster_;
};

}  // namespace heddle::test
