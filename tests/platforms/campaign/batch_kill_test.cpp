// A campaign that is killed at any moment and resumed has the same results as a campaign that was not killed.

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "tests/platforms/campaign/batch_rig.h"
#include "tests/support/test_size.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeeds = 4;

class BatchKills : public BatchTest {
 protected:
  // Returns the inode and the modification time, in ns, of the state file of each run that has succeeded, by
  // the identity of the run.
  static std::map<std::string, std::pair<ino_t, std::int64_t>> ended(const std::string& directory) {
    std::map<std::string, std::pair<ino_t, std::int64_t>> found;
    if (!fs::exists(directory + "/runs")) return found;
    for (const auto& [id, state] : states(directory)) {
      struct stat info {};
      if (state != "ok" || id.find('.') != std::string::npos) continue;
      if (stat((directory + "/runs/" + id + "/state.json").c_str(), &info) == 0)
        found[id] = {info.st_ino, info.st_mtim.tv_sec * 1000000000LL + info.st_mtim.tv_nsec};
    }
    return found;
  }

  static void wait_for_runs(const std::string& directory, std::uint64_t number) {
    EXPECT_TRUE(eventually([&] {
      std::error_code none;
      const fs::directory_iterator runs(directory + "/runs", none);
      return number == 0 ||
             static_cast<std::uint64_t>(std::distance(begin(runs), fs::directory_iterator{})) >= number;
    }));
  }

  // Kills the driver, a run or both, if they exist.
  static void strike(const BatchRun& batch, std::uint64_t what, std::uint64_t which) {
    const std::vector<pid_t> runs = children_of(batch.pid);
    const bool a_run = what != 0 && !runs.empty();
    if (what != 1) kill(batch.pid, SIGKILL);
    if (a_run) kill(runs[which % runs.size()], SIGKILL);
  }
};

TEST_F(BatchKills, GoesOnAsIfNothingHadHappened) {
  const Campaign campaign = small_campaign(kSeeds);
  ASSERT_EQ(run(campaign, in("whole")).code, 0);
  const auto whole = results("whole");
  ASSERT_GT(whole.size(), kSeeds * 4 * 10);

  std::mt19937_64 random(42);
  std::size_t interrupted = 0;
  const std::uint64_t moments = full_size() ? 100 : 5;
  for (std::uint64_t i = 0; i < moments; ++i) {
    const std::string directory = "killed" + std::to_string(i);
    const std::uint64_t runs_before = random() % (kSeeds * 4 - 2);
    const std::uint64_t moment = random() % 20000;
    const std::uint64_t which = random();
    const BatchRun batch = start(campaign, in(directory));
    wait_for_runs(directory, runs_before);
    std::this_thread::sleep_for(std::chrono::microseconds(moment));
    strike(batch, i % 3, which);
    await(batch);
    const auto before = ended(directory);
    interrupted += before.size() < kSeeds * 4 ? 1 : 0;
    const Outcome outcome =
        run(campaign, exists(directory + "/campaign.yaml") ? resume(directory) : in(directory));
    ASSERT_EQ(outcome.code, 0) << "moment " << i << ": " << outcome.err << outcome.out;
    const auto after = ended(directory);
    for (const auto& [id, file] : before) EXPECT_EQ(after.at(id), file) << "run twice at moment " << i;
    ASSERT_EQ(results(directory), whole) << "moment " << i;
    for (const auto& entry : fs::directory_iterator(directory))
      EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
    fs::remove_all(directory);
  }
  EXPECT_GT(2 * interrupted, moments);
}

}  // namespace

}  // namespace heddle::test
