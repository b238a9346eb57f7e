#pragma once
// Runs campaigns as the program does, in a process that may be killed.

#include <map>

#include "platforms/campaign/backends/local_backend.h"
#include "tests/platforms/cli/cli.h"

namespace heddle::test {

struct BatchRun {  // under way
  pid_t pid = -1;
  std::filesystem::path out;
  std::filesystem::path err;
};

// By path below DIRECTORY/runs: what each file holds, but for what tells of the host.
std::map<std::string, std::string> results_below(const std::filesystem::path& directory);

// Of a database, a line for each row.
std::string rows_of(const std::filesystem::path& database, const std::string& query);

// What a database of collect holds by table, but for the provenance.
std::map<std::string, std::string> tables_of(const std::filesystem::path& database);

class BatchTest : public CliTest {
 protected:
  BatchTest();            // in the test's directory, with write_small() there
  ~BatchTest() override;  // ends what still runs

  // small.yaml with jitter, under every seed up to `seeds`: two variants each, and two applications alone.
  static Campaign small_campaign(std::uint64_t seeds);
  static CampaignPoint point(std::vector<Assignment> values,
                             std::optional<std::uint64_t> seed = std::nullopt);

  BatchRun start(const Campaign& campaign, const BackendOptions& options,
                 const std::function<void()>& prepare = nullptr);
  static Outcome await(const BatchRun& run);  // at most 60 s
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

  // Both applications take hours.
  void make_endless() const;

 private:
  std::vector<pid_t> started_;
};

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace heddle::test
