// What an import writes is what the reader of arrivals reads, and what it tells.

#include "platforms/import/arrivals/arrival_text.h"

#include <sstream>

#include "stimuli/application/arrival_file.h"
#include "tests/platforms/import/arrivals/trace_files.h"

namespace heddle::imported {
namespace {

class ArrivalText : public TraceFiles {
 protected:
  static std::string text_of(const ArrivalTable& table) {
    std::ostringstream out;
    write_arrivals(out, table);
    return out.str();
  }
};

TEST_F(ArrivalText, HasTimesToThePicosecond) {
  ArrivalTable table;
  table.times_ps = {0, 1, 1'000, 2'500'000'000, 3'000'000'000, 12'345'678'901'234'567};
  table.columns = {{"n", {1, 0.1, -3, 1e20, 1e-7, 4e15}, false}};
  EXPECT_EQ(text_of(table),
            "time [ms],n\n0,1\n0.000000001,0.1\n0.000001,-3\n2.5,1e+20\n3,1e-07\n12345678.901234567,"
            "4000000000000000\n");
}

TEST_F(ArrivalText, IsReadBackAsItWasWritten) {
  std::string text = "time_ns,tokens\n";
  for (std::uint64_t i = 0; i < 3000; ++i) text += fmt::format("{},{}\n", i * i * 1'000'003, i % 17);
  ArrivalOptions options;
  options.rate_scale = 3;
  const ArrivalImport result = import(text, options);
  write(text_of(result.table));
  const std::shared_ptr<const ArrivalTable> read = read_arrivals(path());
  EXPECT_EQ(read->times_ps, result.table.times_ps);
  ASSERT_EQ(read->columns.size(), 1U);
  EXPECT_EQ(read->columns[0].name, "tokens");
  EXPECT_EQ(read->columns[0].values, result.table.columns[0].values);
  EXPECT_TRUE(read->columns[0].is_whole);
}

TEST_F(ArrivalText, OfAFileOfArrivalsIsThatFile) {
  const std::string text = "time [ms],tokens,share\n0,12,0.25\n0.5,13,0.125\n7,14,3\n";
  EXPECT_EQ(text_of(import(text).table), text);
}

TEST_F(ArrivalText, TellsWhatWasReadLeftOutAndWritten) {
  ArrivalOptions options;
  options.model = "ChatGPT";
  EXPECT_EQ(summary_of(import(kBurstGpt, options), "burst.csv", "arrivals.csv"),
            "burst.csv: burstgpt, 4 requests\n"
            "left out: 1 that failed, 1 of other models\n"
            "arrivals.csv: 2 requests over 115.5s, 0.008658 a second; means: prompt 916, output 332.5\n");
  EXPECT_EQ(summary_of(import("time_ms,n,who\n2000,1,a\n0,2,b\n"), "t.csv", "a.csv"),
            "t.csv: table, 2 requests\n"
            "left out: the columns 'who', which are no parameters\n"
            "sorted: 1 request stood behind a later one\n"
            "a.csv: 2 requests over 2s, 0.5 a second; means: n 1.5\n");
  EXPECT_EQ(
      summary_of(import("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,1,2\n"), "t", "a"),
      "t: azure-llm, 1 request from 2023-11-16 18:15:46.680 on\n"
      "a: 1 request over 0s; means: prompt 1, output 2\n");
}

TEST_F(ArrivalText, HasTheEntryThatUsesTheFile) {
  EXPECT_EQ(entry_for(import(kBurstGpt).table, "out/arrivals.csv"),
            "arrivals: {kind: times, file: out/arrivals.csv}\n"
            "parameters: {prompt: {column: prompt}, output: {column: output}}\n");
  EXPECT_EQ(entry_for(import("time_ms\n1\n").table, "a b.csv"), "arrivals: {kind: times, file: 'a b.csv'}\n");
  EXPECT_EQ(entry_for(import("time_ms,Request tokens\n1,2\n").table, "a"),
            "arrivals: {kind: times, file: a}\nparameters: {Request_tokens: {column: 'Request tokens'}}\n");
}

}  // namespace
}  // namespace heddle::imported
