#pragma once
// Runs campaigns as the program does, in a process that a test may kill.

#include <map>

#include "platforms/campaign/backends/local_backend.h"
#include "tests/platforms/cli/cli.h"
#include "tests/support/sanitized.h"

namespace heddle::test {

struct BatchRun {  // a campaign in progress
  pid_t pid = -1;
  std::filesystem::path out;
  std::filesystem::path err;
};

// Returns the contents of every file by its path below DIRECTORY/runs, without the parts that depend on the
// host.
std::map<std::string, std::string> results_below(const std::filesystem::path& directory);

// Returns the result of a query on a database, with a line for each row.
std::string rows_of(const std::filesystem::path& database, const std::string& query);

// Returns the contents of a database of collect by table, without the provenance.
std::map<std::string, std::string> tables_of(const std::filesystem::path& database);

class BatchTest : public CliTest {
 protected:
  // Changes to the directory of the test and calls write_small() there.
  BatchTest();
  // Ends all runs that are still in progress.
  ~BatchTest() override;

  // Returns small.yaml with jitter and every seed up to `seeds`. Each seed has two variants and two
  // applications alone.
  static Campaign small_campaign(std::uint64_t seeds);
  static CampaignPoint point(std::vector<Assignment> values,
                             std::optional<std::uint64_t> seed = std::nullopt);

  BatchRun start(const Campaign& campaign, const BackendOptions& options,
                 const std::function<void()>& prepare = nullptr);
  static Outcome await(const BatchRun& run);  // waits for at most 60 s
  Outcome run(const Campaign& campaign, const BackendOptions& options = in("kept"),
              const std::function<void()>& prepare = nullptr) {
    return await(start(campaign, options, prepare));
  }
  static BackendOptions in(const std::string& directory, std::size_t jobs);
  static BackendOptions in(const std::string& directory) { return in(directory, 2); }
  static BackendOptions resume(const std::string& directory);

  Outcome status_of(const std::string& directory, bool json) const;

  static std::map<std::string, std::string> results(const std::string& directory) {
    return results_below(directory);
  }
  static std::map<std::string, std::string> states(const std::string& directory);  // by identity

  // Changes both applications so that they take hours.
  void make_endless() const;

 private:
  std::vector<pid_t> started_;
};

}  // namespace heddle::test
