#pragma once
// What tests share that run blocks in RTL. Verilator makes the libraries of Heddle's own blocks.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "models/rtl/child_process.h"
#include "models/stats/stats_reader.h"
#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"
#include "tests/support/rtl/runtime_objects.h"

namespace heddle::test {

class RtlRun : public CliTest {
 protected:
  RtlRun() { longest_ = std::chrono::seconds(300); }  // a library may have to be made
  void SetUp() override {
    if (!run_tool({"verilator", "--version"}).started) GTEST_SKIP() << "Verilator is not installed";
  }
  // The cache of libraries lasts between tests.
  Outcome cached(const std::string& words) const {
    Outcome outcome = heddle(words, {[] { ::setenv("HEDDLE_CACHE", lasting_cache().c_str(), 1); }, {}, ""});
    // Whether the cache has a library depends on the tests before.
    outcome.err =
        std::regex_replace(outcome.err, std::regex("note: [^\n]* was not built before: [^\n]*\n"), "");
    return outcome;
  }
  // Returns the numbers in the note about a block beside the model: how many choices or requests were
  // compared, and, if some of them differ, how many.
  static std::vector<std::uint64_t> compared(const std::string& err, const std::string& what) {
    const std::regex form(
        "note: rtl\\.own: ([0-9]+) " + what +
        " compared with the model, (none differs(?:; [^\n]*)?\n|([0-9]+) differences; the first: rtl\\.own "
        "at "
        "\\S+ differs from the model in core cycle [0-9]+ [^\n]*; rtl_differences\\.txt has the "
        "first of each instance\n)");
    std::smatch found;
    EXPECT_TRUE(std::regex_match(err, found, form)) << err;
    std::vector<std::uint64_t> numbers;
    for (const std::size_t group : {1, 3})
      if (found[group].matched) numbers.push_back(std::stoull(found[group]));
    return numbers;
  }
  Outcome run(const std::string& words) const { return cached("run " + words + " --quiet"); }
  void run_well(const std::string& words) const {
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
  }
  std::uint64_t statistic(const std::string& directory, const std::string& path) const {
    for (const std::string& file : files())
      if (file.rfind(directory + "/", 0) == 0 && file.find("/stats.json") != std::string::npos)
        for (const ReadStatistic& read : read_stats(read_file(directory_ / file)))
          if (read.path == path) return read.count;
    ADD_FAILURE() << directory << " has no statistic " << path;
    return 0;
  }
  // The summary without the names of policies.
  std::string summary(const std::string& directory) const {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(read(directory + "/summary.json"));
    for (nlohmann::ordered_json& one : json["runs"]) {
      one.erase("policies");
      one.erase("label");
      one.erase("rtl");
    }
    return json.dump();
  }
};

inline const std::string kSmall = "vector_add --platform gtx480 --set parameters.n=4096 --set sm.count=3";
inline const std::string kTraces = source_directory() + "/stimuli/traces/";
inline const std::string kTrace = kTraces + "vecadd4k/kernelslist.g --platform gtx480";

}  // namespace heddle::test
