// heddle import arrivals: a trace of requests, from its file to the requests of a run.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

class ImportArrivals : public CliTest {
 protected:
  ImportArrivals() {
    write("trace.csv",
          "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
          "2023-11-16 18:15:46.0000000,374,2\r\n"
          "2023-11-16 18:15:46.1000001,396,3\r\n"
          "2023-11-16 18:15:47.0000000,879,4\r\n");
  }
};

// The server has what the command prints, and a kernel that takes 1 ms for each token of the answer.
TEST_F(ImportArrivals, MakesTheArrivalsOfAServer) {
  const Outcome import = heddle("import arrivals trace.csv -o arrivals.csv --to 1s");
  ASSERT_EQ(import.code, 0) << import.err;
  EXPECT_THAT(import.out, HasSubstr("trace.csv: azure-llm, 3 requests from 2023-11-16 18:15:46.000 on\n"
                                    "left out: 1 outside the window\n"));
  EXPECT_EQ(read("arrivals.csv"), "time [ms],prompt,output\n0,374,2\n100.0001,396,3\n");
  write("server.yaml",
        "application: server\nmeasured_on: k20-cusched\n"
        "kernels:\n"
        "  work: {blocks: 13, threads: 256, registers: 20, time: output * 1ms}\n" +
            import.out.substr(import.out.find("arrivals: ")) +
            "program:\n  - launch: work\n  - synchronise: all\n");
  const Outcome run = heddle("run server.yaml --json --out results");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json requests = nlohmann::json::parse(run.out)["runs"][0]["applications"][0]["requests"];
  EXPECT_EQ(requests["all"]["served"], 2);
}

TEST_F(ImportArrivals, WritesTheSameBytesForASeed) {
  std::string text = "time_ms\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + "\n";
  write("times.csv", text);
  ASSERT_EQ(heddle("import arrivals times.csv -o a.csv --thin 0.5 --seed 7").code, 0);
  ASSERT_EQ(heddle("import arrivals times.csv -o b.csv --thin 0.5 --seed 7").code, 0);
  ASSERT_EQ(heddle("import arrivals times.csv -o c.csv --thin 0.5 --seed 8").code, 0);
  EXPECT_EQ(read("a.csv"), read("b.csv"));
  EXPECT_NE(read("a.csv"), read("c.csv"));
}

TEST_F(ImportArrivals, RefusesBadOptionsAndLeavesNothing) {
  for (const auto& [options, message] : std::vector<std::pair<std::string, std::string>>{
           {"--thin 0", "--thin"},
           {"--thin 1.5", "--thin"},
           {"--rate-scale 0", "--rate-scale"},
           {"--requests 0", "--requests"},
           {"--format azure", "--format"},
           {"--place odd", "--place"},
           {"--time-unit h", "--time-unit"},
           {"--from yesterday", "--from yesterday: needs a time"},
           {"--model x", "--model does not suit the format azure-llm"}}) {
    const Outcome import = heddle("import arrivals trace.csv -o arrivals.csv " + options);
    EXPECT_EQ(import.code, 2) << options;
    EXPECT_THAT(import.err, HasSubstr(message)) << options;
    EXPECT_FALSE(exists("arrivals.csv")) << options;
  }
}

TEST_F(ImportArrivals, ListsTheFormatsInItsHelp) {
  const Outcome help = heddle("import arrivals --help");
  EXPECT_EQ(help.code, 0);
  for (const char* format : {"azure-llm (TIMESTAMP, ContextTokens, GeneratedTokens)", "burstgpt (",
                             "mooncake (", "azure-functions-2019 (", "azure-functions-2021 (", "table: "})
    EXPECT_THAT(help.out, HasSubstr(format));
}

}  // namespace
}  // namespace heddle::test
