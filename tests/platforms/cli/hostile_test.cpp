// Signals, full disks and mutated files cause no crash, no hang and no incomplete file.

#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_size.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;

class Hostile : public CliTest {
 protected:
  Hostile() { write_small(); }

  // Changes the application so that both runs and both applications alone take hours.
  void make_endless() const {
    for (const char* name : {"tiny.yaml", "other.yaml"}) {
      std::string text = read(name);
      write(name, text.replace(text.find("repeat: 2"), 9, "repeat: 900000000"));
    }
  }
};

TEST_F(Hostile, InterruptionKeepsNothing) {
  make_endless();
  const std::vector<std::string> before = files();
  for (const int signal : {SIGINT, SIGTERM}) {
    Surroundings surroundings;
    std::vector<pid_t> simulations;
    surroundings.meanwhile = [&](pid_t program) {
      EXPECT_TRUE(eventually([&] { return children_of(program).size() == 4; }));
      simulations = children_of(program);
      EXPECT_FALSE(exists("deep/er/kept"));  // it has another name until it is complete
      EXPECT_TRUE(eventually([&] { return files().size() > before.size() + 3; }));
      kill(program, signal);
    };
    const Outcome outcome = heddle("run small.yaml --jobs 4 --out deep/er/kept --timeline", surroundings);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_EQ(outcome.out, "");
    // Before it, each simulation may tell in which cycle it was.
    EXPECT_EQ(outcome.err.substr(std::min(outcome.err.size(), outcome.err.rfind("heddle: interrupted;"))),
              "heddle: interrupted; nothing was kept\n")
        << outcome.err;
    EXPECT_EQ(files(), before);
    for (const pid_t simulation : simulations) EXPECT_NE(kill(simulation, 0), 0) << "a simulation goes on";
  }
}

TEST_F(Hostile, ASimulationThatIsKilledFailsTheRun) {
  make_endless();
  const std::vector<std::string> before = files();
  Surroundings surroundings;
  surroundings.meanwhile = [&](pid_t program) {
    EXPECT_TRUE(eventually([&] { return children_of(program).size() == 4; }));
    for (const pid_t simulation : children_of(program)) kill(simulation, SIGKILL);
  };
  const Outcome outcome = heddle("run small.yaml --jobs 4", surroundings);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(
      outcome.err.rfind("heddle: small, tiny alone: the simulation was ended by signal 9\nsmall, other", 0),
      0u)
      << outcome.err;
  EXPECT_EQ(files(), before);
}

TEST_F(Hostile, FilesThatMayNotGrowFailTheRun) {
  if (kSanitized) GTEST_SKIP() << "an exception after a simulation: the sanitizer misjudges the stack";
  const std::vector<std::string> before = files();
  // The limits suffice for no file, for the statistics in CSV, and for all but the largest file.
  for (const rlim_t bytes : {0, 1000, 6000}) {
    Surroundings surroundings;
    surroundings.prepare = [bytes] {
      signal(SIGXFSZ, SIG_DFL);
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
    };
    const Outcome outcome = heddle("run small.yaml --timeline --cache none", surroundings);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.out, "");
    if (bytes > 0) {  // otherwise standard error has no room either
      EXPECT_EQ(outcome.err.rfind("heddle: ", 0), 0u) << outcome.err;
      EXPECT_NE(outcome.err.find("cannot write"), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(files(), before);
  }
}

TEST_F(Hostile, ResultsOfThisProcessThatMayNotGrowFailTheRun) {
  ASSERT_EQ(heddle("run small.yaml --out kept").code, 0);
  const auto largest_stats = fs::file_size(directory_ / "kept/2-token-imbalance-2/stats.json");
  // A long question makes the summary larger than any file of a simulation.
  write("small.yaml",
        small_experiment().replace(small_experiment().find("Which?"), 6, std::string(60000, 'q')));
  const std::vector<std::string> before = files();
  Surroundings surroundings;
  surroundings.prepare = [&] {
    const rlimit limit{largest_stats + 1000, largest_stats + 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Outcome outcome = heddle("run small.yaml --out again", surroundings);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err.rfind("heddle: cannot write again.partial/", 0), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find("experiment.yaml: File too large"), std::string::npos) << outcome.err;
  EXPECT_EQ(files(), before);
}

TEST_F(Hostile, AFullDiskFailsTheRun) {
  if (kSanitized) GTEST_SKIP() << "an exception after a simulation: the sanitizer misjudges the stack";
  const fs::path disk = directory_ / "disk";
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=24k") != 0)
    GTEST_SKIP() << "no disk of our own without root";
  const Outcome outcome = heddle("run small.yaml --out disk/kept");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::is_empty(disk));
  umount(disk.c_str());
}

TEST_F(Hostile, ACacheThatCannotBeWrittenCostsTimeOnly) {
  write("cache", "a file in its place");
  const Outcome outcome = heddle("run small.yaml --out kept");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Hostile, ADanglingLinkIsNotOverwritten) {
  fs::create_symlink("nowhere", directory_ / "kept");
  const Outcome outcome = heddle("run small.yaml --out kept");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("kept: the results directory exists"), std::string::npos) << outcome.err;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (std::size_t n = 1 + below(3); n > 0 && !text.empty(); --n)
      text = below(2) == 0 ? bytes(text) : lines(text);
    return text;
  }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

 private:
  std::string bytes(std::string text) {
    const std::string kinds = "[]{}:,-#&*!|>'\"%@`\t\n 0189.eEinfxKMGBusHz\\~\x01\x80\xff";
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text[at] = kinds[below(kinds.size())];
        break;
      case 2:
        text.insert(at, 1, kinds[below(kinds.size())]);
        break;
      default:
        text.erase(at, 1 + below(4));
        break;
    }
    return text;
  }

  std::string lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line + "\n");
    if (all.empty()) return text;
    const std::size_t at = below(all.size());
    const std::string line = all[at];
    switch (below(5)) {
      case 0:
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(below(all.size())), line);
        break;
      case 2:
        std::swap(all[at], all[below(all.size())]);
        break;
      case 3:
        all[at] = std::string(below(6), ' ') + line;
        break;
      default:
        all.resize(at + 1);
        break;
    }
    std::string result;
    for (const std::string& one : all) result += one;
    return result;
  }

  std::mt19937_64 random_;
};

// One of a shipped experiment, its platform and an application is mutated. The result is accepted or refused.
TEST_F(CliTest, MutatedFilesAreCheckedWithoutHarm) {
  const fs::path root = source_directory();
  const int mutations = full_size() ? 20000 : 100;
  const std::vector<std::pair<std::string, fs::path>> sources{
      {"experiment.yaml", root / "stimuli/experiments/parboil-eight.yaml"},
      {"gpu.yaml", root / "platforms/k20-cusched.yaml"},
      {"sgemm.yaml", root / "stimuli/applications/sgemm.yaml"}};
  std::vector<std::string> texts;
  for (const auto& [name, path] : sources) texts.push_back(read_file(path));
  const auto replace = [&](const std::string& from, const std::string& to) {
    texts[0].replace(texts[0].find(from), from.size(), to);
  };
  replace("platform: k20-cusched", "platform: gpu.yaml");
  replace("sgemm", "sgemm.yaml");
  for (std::size_t i = 0; i < texts.size(); ++i) write(sources[i].first, texts[i]);
  ASSERT_EQ(heddle("check experiment.yaml").code, 0);
  Mutator mutate(20240607);
  int accepted = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::size_t which = i % 2 == 0 ? 0 : 1 + mutate.below(2);
    const std::string mutated = mutate(texts[which]);
    write(sources[which].first, mutated);
    const Outcome outcome = heddle("check experiment.yaml");
    ASSERT_TRUE(outcome.code == 0 || outcome.code == 2) << outcome.code << "\n"
                                                        << outcome.err << "\n"
                                                        << mutated;
    ASSERT_EQ(outcome.err.rfind("heddle: ", 0), outcome.code == 2 ? 0u : std::string::npos) << outcome.err;
    accepted += outcome.code == 0 ? 1 : 0;
    write(sources[which].first, texts[which]);
  }
  EXPECT_GT(accepted, mutations / 20);  // a mutation may only affect comments, texts or order
  EXPECT_LT(accepted, mutations * 3 / 4);
}

}  // namespace

}  // namespace heddle::test
