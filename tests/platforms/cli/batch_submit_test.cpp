// The calls that heddle batch submit makes to Slurm, observed by stand-ins for its commands, and the
// behaviour of its task script.

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class BatchSubmit : public CliTest {
 protected:
  BatchSubmit() {
    write_small();
    write("c.yaml",
          "campaign: c\nexperiment: small.yaml\naxes:\n  - product: {sm.count: [4, 8, 13]}\n"
          "slurm: {pack: 2, partition: short, extra: [--qos=low]}\n");
    command("sbatch", "printf '%s\\n' \"$*\" >>sbatch.log; echo $((7 + $(wc -l <sbatch.log)))");
    command("scontrol", "echo 'MaxArraySize            = 4'");
    command("squeue", "cat queue 2>/dev/null || true");
  }

  void command(const std::string& name, const std::string& script) {
    fs::create_directories(directory_ / "bin");
    write("bin/" + name, "#!/bin/bash\n" + script + "\n");
    fs::permissions(directory_ / "bin" / name, fs::perms::owner_all);
  }

  Outcome with_slurm(const std::string& words) const {
    Surroundings surroundings;
    surroundings.prepare = [this] {
      setenv("PATH", ((directory_ / "bin").string() + ":/usr/bin:/bin").c_str(), 1);
    };
    return heddle(words, surroundings);
  }

  // Runs a copy of the task script in another place, as Slurm does.
  int task(const std::string& arguments) const {
    return std::system(("cp " + path("kept/task") + " " + path("copy") + "; cd /; bash " + path("copy") +
                        " " + arguments + " >" + path("task.log") + " 2>&1")
                           .c_str());
  }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  Json status() const { return Json::parse(heddle("batch status kept --json").out); }
};

TEST_F(BatchSubmit, AnOptionThatMayRunACommandIsTheUsersToTrust) {
  const std::string words = "batch submit c.yaml --dir kept --set slurm.extra=[--qos=low,--bcast=/x,-pshort";
  for (const char* harmless : {"]", ",-xnode7]"}) {
    const Outcome refused = with_slurm(words + harmless);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("slurm.extra: '--bcast' may make sbatch run a command; --trust allows it"),
              std::string::npos)
        << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_FALSE(exists("sbatch.log"));
    EXPECT_FALSE(exists("kept"));
  }
  ASSERT_EQ(with_slurm(words + "] --trust").code, 0);
  EXPECT_NE(read("kept/task").find(" --trust\n"), std::string::npos) << read("kept/task");
  EXPECT_NE(read("kept/task").find("#SBATCH --bcast=/x\n"), std::string::npos);
}

TEST_F(BatchSubmit, GivesChunksAsArraysUnderTheSitesLimit) {
  const Outcome outcome = with_slurm("batch submit c.yaml --dir kept");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "c: 12 runs, 0 done, 0 in the queue; 12 submitted in 6 tasks: job 8 9; heddle batch status kept\n");
  const std::string here = path("kept/submissions/1");
  const auto line = [&](const std::string& first, const std::string& elements) {
    return "--parsable --job-name=heddle-c --comment=" + first + " " + here + " --chdir=" + here +
           " --output=%A_%a.log --array=" + elements + " " + path("kept/task") + " " + here + " " + first +
           "\n";
  };
  EXPECT_EQ(read("sbatch.log"), line("0", "0-3") + line("4", "0-1"));
  const std::string script = read("kept/task");
  EXPECT_NE(script.find("\n#SBATCH --partition=short\n#SBATCH --cpus-per-task=1\n#SBATCH --no-requeue\n"
                        "#SBATCH --qos=low\n"),
            std::string::npos)
      << script;
  EXPECT_EQ(status()["states"], (Json{{"queued", 12}}));
}

TEST_F(BatchSubmit, ThrottledArraysFollowOneAnother) {
  ASSERT_EQ(with_slurm("batch submit c.yaml --dir kept --set slurm.throttle=3").code, 0);
  const std::string log = read("sbatch.log");
  EXPECT_NE(log.find(" --array=0-3%3 "), std::string::npos) << log;
  EXPECT_NE(log.find(" --array=0-1%3 --dependency=afterany:8 "), std::string::npos) << log;
}

TEST_F(BatchSubmit, WhatIsInTheQueueIsNotSubmittedAgain) {
  ASSERT_EQ(with_slurm("batch submit c.yaml --dir kept").code, 0);
  const std::string here = path("kept/submissions/1");
  write("queue", "N/A (null)\n1 0 /elsewhere/submissions/1\n2 0 " + here + "\n3 0 " + here + "\n0 4 " + here +
                     "\n1 4 " + here + "\n");
  const Outcome again = with_slurm("batch submit c.yaml --dir kept");
  EXPECT_EQ(again.out,
            "c: 12 runs, 0 done, 8 in the queue; 4 submitted in 2 tasks: job 10; heddle batch status kept\n");
  EXPECT_EQ(read("kept/submissions/2/chunks/0.json"), read("kept/submissions/1/chunks/0.json"));
  write("queue", read("queue") + "0 0 " + here + "\n1 0 " + path("kept/submissions/2") + "\n");
  EXPECT_EQ(with_slurm("batch submit c.yaml --dir kept").out,
            "c: 12 runs, 0 done, 12 in the queue; nothing to submit; heddle batch status kept\n");
}

TEST_F(BatchSubmit, ItsTaskScriptRunsAChunkWhereverItIs) {
  ASSERT_EQ(with_slurm("batch submit c.yaml --dir kept").code, 0);
  const std::string here = path("kept/submissions/1");
  EXPECT_EQ(task(here + " 5"), 0) << read("task.log");
  setenv("SLURM_ARRAY_TASK_ID", "1", 1);
  EXPECT_EQ(task(here + " 0"), 0) << read("task.log");
  EXPECT_NE(read("task.log").find("\nchunk 1: 2 runs, 2 ok, 0 not\n"), std::string::npos) << read("task.log");
  EXPECT_EQ(status()["states"], (Json{{"ok", 4}, {"queued", 8}}));
  EXPECT_EQ(task(here + " 0"), 0);  // finished runs are not repeated
  EXPECT_EQ(read("task.log"), "chunk 1: 2 runs, 2 ok, 0 not\n");
  EXPECT_EQ(task(""), 0) << read("task.log");  // the same script completes the rest
  EXPECT_EQ(status()["states"], (Json{{"ok", 12}}));
}

TEST_F(BatchSubmit, GoesOnWhereItRanLast) {
  ASSERT_EQ(with_slurm("batch submit c.yaml --dir kept").code, 0);
  ASSERT_EQ(task(path("kept/submissions/1") + " 0"), 0) << read("task.log");
  EXPECT_EQ(with_slurm("batch resume kept").out,
            "c: 12 runs, 2 done, 0 in the queue; 10 submitted in 5 tasks: job 10 11; "
            "heddle batch status kept\n");
  EXPECT_EQ(heddle("batch resume kept --backend local --quiet").out,
            "c: 3 points, 12 runs, 12 ok, 0 not; results: kept\n");
  EXPECT_EQ(with_slurm("batch submit c.yaml --dir kept").out,
            "c: 12 runs, 12 done, 0 in the queue; nothing to submit; heddle batch status kept\n");
}

TEST_F(BatchSubmit, WhatChangedSinceIsNotRunUnderItsOldName) {
  ASSERT_EQ(with_slurm("batch submit c.yaml --dir kept").code, 0);
  std::string application = read("tiny.yaml");
  write("tiny.yaml", application.replace(application.find("20us"), 4, "21us"));
  EXPECT_NE(task(path("kept/submissions/1") + " 0"), 0);
  EXPECT_EQ(read("task.log").rfind("heddle: the program or an input has changed since", 0), 0u);
  fs::copy_file(path("task.log"), path("kept/submissions/1/8_0.log"));
  EXPECT_EQ(status()["states"], (Json{{"queued", 12}}));
  EXPECT_EQ(status()["tasks"][0]["file"], "kept/submissions/1/8_0.log");
}

TEST_F(BatchSubmit, ARefusalOfSlurmIsReportedInItsWords) {
  command("sbatch", "echo 'sbatch: error: invalid partition specified: short' >&2; exit 1");
  const Outcome outcome = with_slurm("batch submit c.yaml --dir kept");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "heddle: sbatch: error: invalid partition specified: short\n");
  EXPECT_EQ(status()["states"], (Json{{"queued", 12}}));
}

TEST_F(BatchSubmit, WithoutSlurmNothingIsMade) {
  Surroundings nowhere;
  nowhere.prepare = [] { setenv("PATH", "/none", 1); };
  const Outcome outcome = heddle("batch submit c.yaml --dir kept", nowhere);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "heddle: submit wants Slurm: there is no scontrol here\n");
  EXPECT_FALSE(exists("kept"));
}

}  // namespace

}  // namespace heddle::test
