// Cycle SMs give the same bytes in any kind of run: repeated, with a timeline, on one core, constructed in
// reverse order, and on several threads.

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

class CycleDeterminism : public CliTest {
 protected:
  // Runs `what` in six ways, and compares all files but for the place and time of the run.
  void expect_same_bytes(const std::string& what) const {
    keep(what, "one", "");
    keep(what, "two", " --jobs 1 --cache none");
    keep(what, "three", " --timeline=blocks");
    keep(what, "four", " --timeline=blocks --build-reversed --cache none");
    keep(what, "five", " --timeline=blocks --threads 2 --cache none");
    keep(what, "six", " --threads 3 --jobs 2 --cache none");
    std::size_t compared = 0;
    for (const std::string& name : files()) {
      if (name.rfind("one/", 0) != 0 || name == "one/provenance.json") continue;
      ++compared;
      for (const char* other : {"two", "three", "four", "five", "six"})
        EXPECT_TRUE(read(name) == read(other + name.substr(3))) << other << " differs in " << name;
    }
    EXPECT_GE(compared, 5U);
    expect_same_timelines();
  }

 private:
  void expect_same_timelines() const {
    std::size_t compared = 0;
    for (const std::string& name : files()) {
      if (name.rfind("three/", 0) != 0 || name.find("timeline.perfetto-trace") == std::string::npos) continue;
      ++compared;
      for (const char* other : {"four", "five"})
        EXPECT_TRUE(read(name) == read(other + name.substr(5))) << other << " differs in " << name;
    }
    EXPECT_GE(compared, 1U);
  }
  void keep(const std::string& what, const std::string& name, const std::string& how) const {
    const Outcome outcome = heddle("run " + what + " --out " + name + how);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

TEST_F(CycleDeterminism, OfATrace) {
  expect_same_bytes(source_directory() + "/stimuli/traces/vecadd4k/kernelslist.g --platform gtx480");
}

// Its blocks add to the same counters of device memory.
TEST_F(CycleDeterminism, OfAKernelWithAtomics) {
  expect_same_bytes("histogram --set parameters.n=20000 --platform gtx480");
}

TEST_F(CycleDeterminism, OfKernelsOfTwoContextsAtOnce) {
  const std::string rest = ", registers: 16, shared_memory: 2KiB, code: ";
  write("left.yaml", "application: left\ndescription: d\nsource: s\nkernels:\n  k: {blocks: 60, threads: 96" +
                         rest +
                         "[{loop: {least: 1, most: 5, of: lanes}, body: [{load: global, pattern: random, "
                         "region: 1MiB, lines: 3}, "
                         "{atomic: global, pattern: scatter, region: 1KiB}]}, {barrier: 0}, {store: "
                         "local}]}\nprogram: [{launch: k}]\n");
  write("right.yaml",
        "application: right\ndescription: d\nsource: s\nbuffers: {b: 64KiB}\nkernels:\n  k: {blocks: 90, "
        "threads: 64" +
            rest +
            "[{if: 0.5, of: warps, then: [{op: sfu, count: 9}]}, {load: global, pattern: stream, buffer: b}, "
            "{store: shared, conflicts: 4}]}\n"
            "program: [{allocate: b}, {copy_up: b}, {repeat: 3, body: [{launch: k}]}, {copy_down: b}]\n");
  write("both.yaml",
        "experiment: both\nplatform: kepler-titan\napplications: [./left.yaml, {application: ./right.yaml, "
        "priority: 1}]\n"

        "compare: [{sm_partitioner: fcfs-s}, {sm_partitioner: ppq}, {sm_partitioner: fixed, warp_scheduler: "
        "lrr}]\n");
  expect_same_bytes("both.yaml");
}

}  // namespace
}  // namespace heddle::test
