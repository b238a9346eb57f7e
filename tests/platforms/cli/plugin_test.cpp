// Policies that a user has compiled. The first plug-in is the one of policies/README.md, compiled as it says.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class PolicyPlugin : public CliTest {
 protected:
  // Compiles NAME.cpp to NAME.so with the flags of this build, or with others.
  void compile(const std::string& name, std::string flags = "") const {
    if (flags.empty()) flags = heddle("list plugin-flags").out;
    std::vector<std::string> words{"g++"};
    std::istringstream text(flags);
    for (std::string word; text >> word;) words.push_back(word);
    words.insert(words.end(),
                 {(directory_ / (name + ".cpp")).string(), "-o", (directory_ / (name + ".so")).string()});
    const Outcome outcome = execute_program(words, captured_, longest_);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  static std::string example_of_the_page() {
    const std::string page = read_file(source_directory() + "/policies/README.md");
    std::smatch found;
    EXPECT_TRUE(std::regex_search(page, found, std::regex("```cpp\n([^`]*)```")));
    return found[1];
  }
  void expect_refused(const std::string& file, const std::string& message) const {
    const Outcome outcome = heddle("list policies --plugin " + file);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("heddle: --plugin " + file + ": " + message));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  nlohmann::json provenance(const std::string& directory) const {
    return nlohmann::json::parse(read(directory + "/provenance.json"));
  }
};

constexpr const char* kRun = "run vector_add --platform gtx480 --set parameters.n=4096 --quiet --json ";

TEST_F(PolicyPlugin, DecidesInARunInACheckAndInACampaign) {
  write("youngest.cpp", example_of_the_page());
  ASSERT_NO_FATAL_FAILURE(compile("youngest"));
  const std::string plugin = "--plugin youngest.so ";
  EXPECT_THAT(heddle(plugin + "list policies").out,
              HasSubstr("  youngest       the warp that started last [my own]\n"));
  EXPECT_THAT(heddle("list policies").out, Not(HasSubstr("\n  youngest ")));
  EXPECT_THAT(heddle(std::string(kRun) + "--policy warp_scheduler=youngest").err,
              HasSubstr("unknown warp_scheduler policy 'youngest'"));
  EXPECT_EQ(heddle(plugin + "check gtx480 --set policies.warp_scheduler=youngest").code, 0);

  const Outcome run = heddle(std::string(kRun) + plugin + "--policy warp_scheduler=youngest --out mine");
  ASSERT_EQ(run.code, 0) << run.err;
  const Outcome usual = heddle(std::string(kRun) + "--policy warp_scheduler=oldest --out usual");
  ASSERT_EQ(usual.code, 0) << usual.err;
  const auto cycles = [](const Outcome& outcome) { return nlohmann::json::parse(outcome.out)["cycles"]; };
  EXPECT_NE(cycles(run), cycles(usual)) << "the youngest warp first is another order than the oldest first";
  const nlohmann::json origin = provenance("mine");
  EXPECT_EQ(origin["plugins"][0]["file"], (std::filesystem::canonical(directory_) / "youngest.so").string());
  EXPECT_EQ(origin["plugins"][0]["policies"], nlohmann::json::array({"warp_scheduler youngest"}));
  EXPECT_EQ(origin["plugins"][0]["hash"].get<std::string>().size(), 40u);
  EXPECT_FALSE(provenance("usual").contains("plugins"));

  // Another content of the file makes other runs; the same content is found again.
  write("two.yaml",
        "experiment: two\nplatform: gtx480\napplications: [vector_add]\n"
        "policies: {warp_scheduler: youngest}\n");
  write("c.yaml", "campaign: c\nexperiment: two.yaml\naxes: [{product: {sm.count: [2, 4]}}]\n");
  const Outcome first = heddle(plugin + "batch run c.yaml --quiet --jobs 1 --dir kept");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(read("kept/task"), HasSubstr("/youngest.so'"));
  const auto runs = [this] {
    return std::distance(std::filesystem::directory_iterator(directory_ / "kept/runs"), {});
  };
  const auto before = runs();
  EXPECT_THAT(heddle("batch resume kept --quiet").err, HasSubstr("unknown warp_scheduler policy 'youngest'"));
  EXPECT_EQ(heddle(plugin + "batch resume kept --quiet").code, 0);
  EXPECT_EQ(runs(), before) << "the same plug-in has no runs left";
  write("youngest.cpp", example_of_the_page() + "int another;\n");
  ASSERT_NO_FATAL_FAILURE(compile("youngest"));
  EXPECT_EQ(heddle(plugin + "batch resume kept --quiet --jobs 1").code, 0);
  EXPECT_EQ(runs(), 2 * before) << "another plug-in makes other runs";
}

TEST_F(PolicyPlugin, IsRefusedBeforeItRunsUnlessItWasMadeForThisBuild) {
  expect_refused("none.so", "there is no such file");
  write("text.so", "no library");
  expect_refused("text.so", "is no shared library");
  const std::string flags = heddle("list plugin-flags").out;
  const std::string dies = "#include <cstdlib>\nstatic const int kDead = (std::abort(), 0);\n";
  write("plain.cpp", dies);
  ASSERT_NO_FATAL_FAILURE(compile("plain", "-shared -fPIC"));
  expect_refused("plain.so", "is no plug-in: it was compiled without the flags of heddle list plugin-flags");
  write("other.cpp", dies);
  ASSERT_NO_FATAL_FAILURE(compile("other", flags.substr(0, flags.rfind('=') + 1) + "0123456789"));
  expect_refused("other.so", "was made for another build of Heddle (0123456789, and this is ");
  write("empty.cpp", "int nothing;\n");
  ASSERT_NO_FATAL_FAILURE(compile("empty"));
  expect_refused("empty.so", "registers no policy");
}

TEST_F(PolicyPlugin, IsRefusedForANameThatIsTakenAndForAWrongDefault) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = example_of_the_page();
    text.replace(text.rfind(from), from.size(), to);
    return text;
  };
  write("taken.cpp", changed("\"youngest\"", "\"gto\""));
  ASSERT_NO_FATAL_FAILURE(compile("taken"));
  expect_refused("taken.so", "warp_scheduler policy 'gto' is registered twice");
  write("bad.cpp", changed("{});", "{{\"bound\", \"cycles\", 16, 20, 30, \"what it is\", true}});"));
  ASSERT_NO_FATAL_FAILURE(compile("bad"));
  expect_refused("bad.so", "youngest parameter 'bound' is 16; it must lie in 20 .. 30 cycles");
}

TEST_F(PolicyPlugin, ParametersOfAPolicyMayStandOnTheCommandLine) {
  write_small();
  const auto run = [this](const std::string& policy) {
    return execute({"run", "small.yaml", "--set", "compare=[]", "--quiet", "--json", "--cache", "none",
                    "--policy", "sm_partitioner=" + policy});
  };
  const Outcome half = run("{name: mps, active_threads: [50, 50]}");
  ASSERT_EQ(half.code, 0) << half.err;
  const nlohmann::json policies = nlohmann::json::parse(half.out)["runs"][0]["policies"];
  EXPECT_EQ(policies["sm_partitioner"]["name"], "mps");
  EXPECT_THAT(policies["sm_partitioner"]["active_threads"].dump(), HasSubstr("50"));
  const Outcome whole = run("mps");
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_NE(nlohmann::json::parse(whole.out)["runs"][0]["policies"]["sm_partitioner"]["active_threads"],
            policies["sm_partitioner"]["active_threads"]);
  for (const auto& [policy, message] :
       {std::pair<std::string, std::string>{"{name: mps, active_thread: [50]}",
                                            "unknown mps parameter 'active_thread'"},
        {"{name: mps, active_threads: [500]}", "--policy sm_partitioner={name: mps, active_threads: [500]}"},
        {"{name: mps", "--policy sm_partitioner={name: mps"},
        {"{active_threads: [50]}", "needs the key 'name'"}}) {
    const Outcome outcome = run(policy);
    EXPECT_EQ(outcome.code, 2) << policy;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << policy;
  }
}

}  // namespace
}  // namespace heddle::test
