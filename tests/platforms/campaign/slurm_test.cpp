// The Slurm cluster of the tests has the properties of a real one: job arrays, limits, and nodes that die.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include "tests/platforms/campaign/slurm_rig.h"
#include "tests/support/paths.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;

class SlurmClusters : public SlurmTest {
 protected:
  // Returns the processes that work in `directory` or have a file open there.
  static std::set<std::string> processes_in(const fs::path& directory) {
    std::set<std::string> found;
    std::error_code gone;
    for (const auto& process : fs::directory_iterator("/proc")) {
      const auto note = [&](const fs::path& link) {
        const std::string target = fs::read_symlink(link, gone);
        if (target.rfind(directory.string() + "/", 0) == 0) found.insert(process.path().filename());
      };
      note(process.path() / "cwd");
      for (const auto& file : fs::directory_iterator(process.path() / "fd", gone)) note(file.path());
    }
    return found;
  }
};

TEST_F(SlurmClusters, RunsAnArrayOnBothNodes) {
  const SlurmCluster& slurm = start();
  const std::string job = slurm.submit(R"(echo $SLURMD_NODENAME >node.$SLURM_ARRAY_TASK_ID
until [ -e node.0 ] && [ -e node.1 ] && [ -e node.2 ] && [ -e node.3 ]; do sleep 0.1; done
)",
                                       {"--array=0-3"});
  slurm.wait_until_done(job);
  std::multiset<std::string> nodes;
  for (int task = 0; task < 4; ++task) nodes.insert(slurm.read("node." + std::to_string(task)));
  EXPECT_EQ(nodes, (std::multiset<std::string>{"n1\n", "n1\n", "n2\n", "n2\n"}));
}

TEST_F(SlurmClusters, NodesHaveTheProcessorsAskedFor) {
  const SlurmCluster& slurm = start({5, 1001});
  EXPECT_EQ(slurm.run({"sinfo", "-h", "-N", "-o", "%N %c"}).out, "n1 5\nn2 5\n");
  EXPECT_EQ(slurm.run({"sbatch", "--cpus-per-task=6", "--wrap=true"}).code, 1);
  slurm.wait_until_done(slurm.submit("echo $SLURM_CPUS_PER_TASK >cpus\n", {"--cpus-per-task=5"}));
  EXPECT_EQ(slurm.read("cpus"), "5\n");
}

TEST_F(SlurmClusters, TakesOnlyIndicesBelowTheLimit) {
  const SlurmCluster& slurm = start({2, 5});
  const Outcome refused = slurm.run({"sbatch", "--array=0-5", "--wrap=true"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("Invalid job array specification"), std::string::npos) << refused.err;
  slurm.submit("true\n", {"--array=0-4"});
}

TEST_F(SlurmClusters, RunsHeddleAsAnOrdinaryAccount) {
  const SlurmCluster& slurm = start();
  slurm.wait_until_done(slurm.submit("id -u >account; heddle='" + slurm.program() + R"('
"$heddle" --version >version && "$heddle" list platforms >platforms
echo $? >code
)"));
  EXPECT_EQ(slurm.read("code"), "0\n") << slurm.run({"cat", "slurm-1.out"}).out;
  EXPECT_NE(slurm.read("account"), "0\n");
  EXPECT_EQ(slurm.read("version"),
            execute_program({heddle_program(), "--version"}, slurm.directory(), std::chrono::minutes(1)).out);
  EXPECT_NE(slurm.read("platforms").find("k20-cusched"), std::string::npos);
}

// Each node runs a task. The lost task runs on the other node when that node is free, with the same index.
TEST_F(SlurmClusters, LosesANodesTasksWhenItDies) {
  const SlurmCluster& slurm = start();
  const std::string job =
      slurm.submit(R"(echo $$ $SLURMD_NODENAME >task.$SLURM_ARRAY_TASK_ID.${SLURM_RESTART_COUNT:-0}
until [ -e go ]; do sleep 0.1; done
)",
                   {"--array=0-1", "--cpus-per-task=2"});
  wait_until("both tasks", [&] { return slurm.exists("task.0.0") && slurm.exists("task.1.0"); });
  const int lost = slurm.read("task.0.0").find("n1") != std::string::npos ? 0 : 1;
  const std::string task = "task." + std::to_string(lost);
  std::string process = slurm.read(task + ".0");
  process.resize(process.find(' '));
  ASSERT_EQ(processes_in(slurm.work()).count(process), 1u);

  slurm.kill_node("n1");
  EXPECT_EQ(processes_in(slurm.work()).count(process), 0u);
  wait_until("the death to be noticed", [&] { return slurm.state("n1") == "down*"; });
  EXPECT_EQ(slurm.state("n2"), "allocated");
  slurm.write("go", "");
  slurm.wait_until_done(job);
  EXPECT_NE(slurm.read(task + ".1").find(" n2\n"), std::string::npos) << slurm.read(task + ".1");
  EXPECT_FALSE(slurm.exists("task." + std::to_string(1 - lost) + ".1"));

  slurm.revive_node("n1");
  slurm.wait_until_done(slurm.submit("echo $SLURMD_NODENAME >revived\n", {"-w", "n1"}));
  EXPECT_EQ(slurm.read("revived"), "n1\n");
}

TEST_F(SlurmClusters, LeavesNothingBehind) {
  fs::path directory;
  {
    const SlurmCluster slurm;
    directory = slurm.directory();
    slurm.submit("touch running; sleep 1000\n");
    wait_until("the task", [&] { return slurm.exists("running"); });
    EXPECT_GE(processes_in(directory).size(), 5u);
  }
  EXPECT_EQ(processes_in(directory), std::set<std::string>());
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(SlurmClusters, EndsWithTheProcessThatStartedIt) {
  const SlurmCluster& mine = start();
  const fs::path found = mine.directory() / "found";
  const pid_t child = fork();
  if (child == 0) {
    const SlurmCluster slurm;
    slurm.submit("touch running; sleep 1000\n");
    wait_until("the task", [&] { return slurm.exists("running"); });
    std::ofstream(found) << slurm.directory().string();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const fs::path orphan = read_file(found);
  ASSERT_TRUE(fs::exists(orphan));
  wait_until("its processes to end", [&] { return processes_in(orphan).empty(); });
  fs::remove_all(orphan);
  EXPECT_EQ(mine.state("n1"), "idle");
}

}  // namespace

}  // namespace heddle::test
