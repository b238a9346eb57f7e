// What passes a slice or a channel, as a file for a test bench.

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "models/stats/stats_reader.h"
#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

struct Line {
  std::string what, kind, address, enables;
  std::uint64_t cycle = 0, number = 0, bytes = 0, last = 0;
};

class StimuliVerb : public CliTest {
 protected:
  std::vector<Line> stimuli(const std::string& words) const {
    const Outcome outcome = heddle("stimuli vector_add --platform gtx480 " + words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string head = "stimuli: ";
    std::istringstream text(read(outcome.out.substr(head.size(), outcome.out.size() - head.size() - 1)));
    std::vector<Line> lines;
    for (Line line; text >> line.what >> line.cycle >> line.number >> line.kind >> line.address >>
                    line.bytes >> line.enables >> line.last;)
      lines.push_back(line);
    EXPECT_TRUE(text.eof());
    return lines;
  }
  std::string error_of(const std::string& words) const {
    const Outcome outcome = heddle("stimuli " + words);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    return outcome.err;
  }
};

// Some answers wait for the crossbar, which holds their END_RESP back.
TEST_F(StimuliVerb, EachRequestIsWrittenAndAnsweredOnce) {
  const std::vector<Line> lines = stimuli("--at l2_3");
  EXPECT_TRUE(exists("l2_3.txt"));
  std::map<std::uint64_t, Line> open;
  std::size_t answers = 0;
  std::uint64_t cycle = 0;
  for (const Line& line : lines) {
    EXPECT_GE(line.cycle + 1, cycle) << "a request is seen a cycle after it is sent";
    cycle = line.cycle;
    EXPECT_LE(line.bytes, 128u);
    EXPECT_EQ(std::stoull(line.address, nullptr, 16) % 32, 0u);
    if (line.what == "request") {
      EXPECT_EQ(line.number, open.size() + answers);
      EXPECT_EQ(line.enables == "0", line.kind != "write");
      open[line.number] = line;
      continue;
    }
    ASSERT_EQ(line.what, "answer");
    ASSERT_EQ(open.count(line.number), 1u);
    EXPECT_EQ(open[line.number].address, line.address);
    EXPECT_EQ(open[line.number].kind, line.kind);
    EXPECT_GT(line.cycle, open[line.number].cycle);
    open.erase(line.number);
    ++answers;
  }
  EXPECT_TRUE(open.empty());
  const Outcome run = heddle("run vector_add --platform gtx480 --out r --quiet");
  EXPECT_EQ(run.code, 0);
  std::uint64_t requests = 0;
  for (const std::string& name : files())
    if (name.find("/stats.json") != std::string::npos)
      for (const ReadStatistic& read_one : read_stats(read(name)))
        if (read_one.path == "gpu.l2_3.requests") requests = read_one.count;
  EXPECT_EQ(requests, answers);
  EXPECT_GT(answers, 20u);
}

TEST_F(StimuliVerb, AChannelAndPhysicalAddresses) {
  const std::vector<Line> local = stimuli("--at dram1 --out local.txt");
  const std::vector<Line> physical = stimuli("--at dram1 --out physical.txt --addresses physical");
  ASSERT_EQ(local.size(), physical.size());
  ASSERT_GT(local.size(), 20u);
  for (std::size_t i = 0; i < local.size(); ++i) {
    EXPECT_EQ(local[i].cycle, physical[i].cycle);
    EXPECT_EQ(std::stoull(physical[i].address, nullptr, 16) / 256 % 6, 1u) << "channel 1 of 6";
    EXPECT_LE(std::stoull(local[i].address, nullptr, 16), std::stoull(physical[i].address, nullptr, 16));
  }
}

TEST_F(StimuliVerb, TheSameRunWritesTheSameBytes) {
  stimuli("--at l2_0 --out a.txt");
  stimuli("--at l2_0 --out b.txt");
  EXPECT_EQ(read("a.txt"), read("b.txt"));
}

TEST_F(StimuliVerb, RefusesWhatTheMachineLacks) {
  EXPECT_NE(error_of("vector_add --platform gtx480 --at l2_12")
                .find("the machine has l2_0 to l2_11 and dram0 to dram5"),
            std::string::npos);
  write_small();
  EXPECT_NE(error_of("small.yaml --at l2_0").find("which send no requests"), std::string::npos);
  write("there.txt", "mine");
  EXPECT_NE(error_of("vector_add --platform gtx480 --at l2_0 --out there.txt").find("exists"),
            std::string::npos);
  EXPECT_EQ(read("there.txt"), "mine");
}

}  // namespace
}  // namespace heddle::test
