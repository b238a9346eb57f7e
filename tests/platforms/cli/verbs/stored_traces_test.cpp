// Traces in the user's cache, as a user runs them.

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class StoredTraces : public CliTest {
 protected:
  void run(const std::string& name, const std::string& how, const Surroundings& surroundings = {}) const {
    const Outcome outcome =
        heddle("run " + source_directory() +
                   "/stimuli/traces/vecadd4k/kernelslist.g --platform gtx480 --out " + name + how,
               surroundings);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  std::size_t stored_in(const std::string& folder) const {
    std::size_t count = 0;
    if (!fs::exists(directory_ / folder)) return 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / folder))
      count += entry.path().extension() == ".blocks";
    return count;
  }
};

TEST_F(StoredTraces, GiveTheSameBytesOnAnyNumberOfThreads) {
  run("one", " --cache none");
  run("two", " --cache kept");
  EXPECT_EQ(stored_in("kept"), 1U);
  run("three", " --cache kept");
  run("four", " --cache kept --threads 3");
  run("five", "");
  run("six", " --threads 2");
  EXPECT_EQ(stored_in("cache"), 1U);
  std::size_t compared = 0;
  for (const std::string& name : files()) {
    if (name.rfind("one/", 0) != 0 || name == "one/provenance.json") continue;
    ++compared;
    for (const char* other : {"two", "three", "four", "five", "six"})
      EXPECT_TRUE(read(name) == read(other + name.substr(3))) << other << " differs in " << name;
  }
  EXPECT_GE(compared, 5U);
}

TEST_F(StoredTraces, NoneIsWrittenOrReadWithoutACache) {
  run("one", " --cache none");
  Surroundings without;
  without.prepare = [] { setenv("HEDDLE_CACHE", "none", 1); };
  run("two", "", without);
  EXPECT_EQ(stored_in("."), 0U);
  run("three", " --cache kept");
  ASSERT_EQ(stored_in("kept"), 1U);
  EXPECT_EQ(stored_in("cache"), 0U);
}

TEST_F(StoredTraces, OfACampaignLieInTheUsersCache) {
  write("few.yaml",
        "campaign: few\nquestion: q\nexperiment: trace.yaml\naxes:\n  - product:\n      sm.count: [2, 3]\n");
  write("trace.yaml", "experiment: trace\nquestion: q\nplatform: gtx480\napplications: [" +
                          source_directory() + "/stimuli/traces/vecadd4k/kernelslist.g]\n");
  const Outcome outcome = heddle("batch run few.yaml --dir few --quiet");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(stored_in("cache"), 1U);
}

}  // namespace
}  // namespace heddle::test
