#pragma once
// A Slurm cluster for tests, with the nodes n1 and n2 on this machine. tests/support/slurm_cluster starts it.

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

struct SlurmOptions {
  int cpus = 2;              // of each node, which also has 512 MiB for each
  int array_indices = 1001;  // Slurm's MaxArraySize; indices are smaller
};

// All processes of the cluster end with the object or with the process. If root runs the test, its jobs and
// the processes that run() starts belong to an ordinary account.
class SlurmCluster {
 public:
  // Throws std::runtime_error with the last output of the daemons if the cluster does not start.
  explicit SlurmCluster(const SlurmOptions& options = {});
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  const std::filesystem::path& directory() const { return directory_; }
  // Returns the directory in which run() and its jobs start. The account may write there, and everybody may
  // read the files that a test makes there.
  std::filesystem::path work() const { return directory_ / "work"; }
  void write(const std::string& name, const std::string& text) const;  // writes a file in work()
  std::string read(const std::string& name) const { return read_file(work() / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(work() / name); }

  // Returns a heddle program that the account can run, whatever the path of the checkout. The first call
  // installs it in directory().
  std::string program() const;

  // Returns the command line that runs this command as the account in work(), from any directory.
  std::vector<std::string> command(const std::vector<std::string>& arguments) const;
  Outcome run(const std::vector<std::string>& arguments) const;

  // Submits the body of a shell script and returns the number of the job or the array. The test fails if
  // Slurm refuses it.
  std::string submit(const std::string& script, const std::vector<std::string>& options = {}) const;
  std::string state(const std::string& node) const;  // such as idle, mixed, down*
  void wait_until_done(const std::string& job) const;

  // Ends all processes on the node, as if its power had failed.
  void kill_node(const std::string& name) const;
  // Starts the node again, and waits until Slurm accepts it.
  void revive_node(const std::string& name) const;

 private:
  Outcome control(const std::string& verb, const std::vector<std::string>& arguments) const;

  std::filesystem::path directory_;
};

// Waits up to five minutes for Slurm on a busy machine, and fails the test after that.
void wait_until(const std::string& what, const std::function<bool()>& condition);

// A test that needs Slurm. Without Slurm it fails on Debian 12, where scripts/setup.sh installs it, and is
// skipped on other systems.
class SlurmTest : public testing::Test {
 protected:
  void SetUp() override;

  SlurmCluster& start(const SlurmOptions& options = {});

 private:
  std::unique_ptr<SlurmCluster> cluster_;
};

}  // namespace heddle::test
