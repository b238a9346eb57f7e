// heddle dram: closed forms as a user sees them, its output, and invalid input.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

class Dram : public CliTest {
 protected:
  // Writes a trace of `count` requests at distances of `stride` bytes.
  void write_trace(std::uint64_t count, std::uint64_t stride, char kind = 'R') const {
    std::ostringstream text;
    for (std::uint64_t i = 0; i < count; ++i)
      text << kind << " 0x" << std::hex << i * stride % (1u << 30) << "\n";
    write("trace.txt", text.str());
  }
  Json run(const std::string& options) const {
    const Outcome outcome = heddle("dram trace.txt --platform gtx480 --json " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
    return Json::parse(outcome.out);
  }
  void expect_refusal(const std::string& words, const std::string& message) const {
    const std::vector<std::string> before = files();
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_EQ(outcome.err.rfind("heddle: ", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << words << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(files(), before) << words;
  }
};

TEST_F(Dram, ASequentialStreamFillsTheBus) {
  write_trace(100'000, 64);
  const Json json = run("--no-refresh");
  EXPECT_GE(json["cycles"], 200'028);
  EXPECT_LE(json["cycles"], 200'030);
  EXPECT_NEAR(json["peak_fraction"].get<double>(), 0.99986, 1e-5);
  EXPECT_NEAR(json["bytes_per_second"].get<double>(), 29.564e9, 1e6);
  EXPECT_EQ(json["commands"]["RD"], 100'000);
  EXPECT_EQ(json["commands"]["REF"], 0);
  std::uint64_t sum = 0;
  for (const auto& [reason, cycles] : json["data_bus"].items()) sum += cycles.get<std::uint64_t>();
  EXPECT_EQ(json["cycles"], sum);
}

TEST_F(Dram, AnotherMapAndRefreshChangeWhatAStrideCosts) {
  write_trace(100'000, 4096);
  const std::string map = "--channel-map RRRRRRRRRRRRRRBBGGCCCCCCSSSSSS ";
  const std::uint64_t without = run(map + "--no-refresh")["cycles"];
  EXPECT_GE(without, 650'019u);
  EXPECT_LE(without, 650'021u);
  const Json with = run(map);
  const double refreshes = with["commands"]["REF"];
  EXPECT_EQ(refreshes, 185);
  EXPECT_NEAR((with["cycles"].get<double>() - static_cast<double>(without)) / refreshes, 94.5, 0.5);
}

TEST_F(Dram, OneReadOutstandingSeesTheLatencyOfARowHitAndItsAcceptance) {
  write_trace(100, 64);
  const Json json = run("--no-refresh --outstanding 1 --channel-map RRRRRRRRRRRRRRBBGGCCCCCCSSSSSS");
  EXPECT_EQ(json["read_latency"],
            (Json{{"mean", (100 * 15 + 2 * 12) / 100.0}, {"p50", 15}, {"p95", 15}, {"p99", 27}}));
  EXPECT_EQ(json["row_misses"], 2);
  EXPECT_EQ(json["row_hits"], 98);
  EXPECT_EQ(json["cycles"], 100 * 15 + 2 * 12);
}

TEST_F(Dram, WritesHaveNoReadLatency) {
  write_trace(1000, 64, 'W');
  const Json json = run("--no-refresh");
  EXPECT_EQ(json["writes"], 1000);
  EXPECT_TRUE(json["read_latency"]["mean"].is_null());
}

TEST_F(Dram, WritesEveryCommandToItsTrace) {
  write_trace(300, 4096);
  const Json json = run("--command-trace commands.txt --policy page_policy=closed");
  EXPECT_EQ(json["policies"]["page_policy"], "closed");
  std::istringstream lines(read("commands.txt"));
  std::map<std::string, int> commands;
  std::uint64_t last = 0, clk = 0, group = 0, bank = 0, row = 0;
  std::string command;
  for (bool first = true; lines >> clk >> command >> group >> bank >> row; first = false) {
    EXPECT_TRUE(first || clk > last);
    last = clk;
    ++commands[command];
  }
  EXPECT_TRUE(lines.eof());
  for (const auto& [name, count] : json["commands"].items()) EXPECT_EQ(count, commands[name]) << name;
  // With this map, two neighbouring requests in the same 8 KiB share a row.
  EXPECT_EQ(commands["ACT"], 150);
}

TEST_F(Dram, PrintsATable) {
  write_trace(1000, 64);
  const Outcome outcome = heddle("dram trace.txt --platform gtx480 --set dram.timing.cl=14");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"requests       1000 (1000 reads, 0 writes, 64000 B)", "read latency   mean",
                           "commands       ACT", "nothing_queued", "data bus"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
}

TEST_F(Dram, RefusesBadInputWithOneMessage) {
  write_trace(10, 64);
  write("bad.txt", "R 0x40\nR 64\n");
  write("far.txt", "R 0x40\nR 0x40000000\n");
  write("empty.txt", "");
  const std::string good = "dram trace.txt --platform gtx480 ";
  expect_refusal("dram", "trace is required");
  expect_refusal("dram trace.txt", "--platform is required");
  expect_refusal("dram none.txt --platform gtx480", "none.txt: No such file");
  expect_refusal("dram bad.txt --platform gtx480 --command-trace out.txt", "bad.txt:2: 'R 64' is no request");
  expect_refusal("dram far.txt --platform gtx480", "far.txt:2: address 0x40000000 lies beyond the channel's");
  expect_refusal("dram empty.txt --platform gtx480", "empty.txt: no request");
  expect_refusal("dram . --platform gtx480", ".: cannot be read: it is a directory");
  expect_refusal("dram trace.txt --platform gtx48", "did you mean 'gtx480'?");
  expect_refusal(good + "--channel-map RRXX", "--set dram.map=RRXX: dram.map: letter 4 of the map");
  EXPECT_EQ(execute({"dram", "trace.txt", "--platform", "gtx480", "--channel-map", ""}).code, 2);
  expect_refusal(good + "--outstanding 0", "--outstanding");
  expect_refusal(good + "--outstanding -1", "--outstanding");
  expect_refusal(good + "--set dram.timing.cl=x", "dram.timing.cl: needs an integer");
  expect_refusal(good + "--set dram.timing.tcl=3", "did you mean 'cl'?");
  expect_refusal(good + "--policy dram_scheduler=frfcfs", "did you mean 'fr-fcfs'?");
  expect_refusal(good + "--fast", "--fast");
  expect_refusal(good + "--command-trace none/out.txt",
                 "--command-trace none/out.txt: there is no such folder");
}

TEST_F(Dram, ACommandTraceReplacesNoInput) {
  write_trace(10, 64);
  write("own.yaml", "base: gtx480\nplatform: own\ndescription: gtx480\n");
  std::filesystem::create_symlink("trace.txt", directory_ / "link.txt");
  const std::string words = "dram trace.txt --platform own.yaml --command-trace ";
  for (const char* input : {"trace.txt", "./trace.txt"})
    expect_refusal(words + input, std::string("--command-trace ") + input + ": is the input trace.txt");
  expect_refusal(words + "link.txt", "--command-trace link.txt: is a link");
  expect_refusal(words + "own.yaml", "--command-trace own.yaml: is the input own.yaml");
  EXPECT_EQ(heddle(words + "out.txt").code, 0);
  EXPECT_EQ(heddle(words + "out.txt").code, 0) << "an earlier output is replaced";
  EXPECT_EQ(read("out.txt").rfind("1 ACT 0 0 0\n", 0), 0u);
}

TEST_F(Dram, CheckPrintsThePeakBandwidth) {
  const Outcome outcome = heddle("check " + source_directory() + "/platforms/gtx480.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("177.408 GB/s, 6 channels of 29.568 GB/s and 1024 MiB"), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace heddle::test
