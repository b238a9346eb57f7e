// Public traces of requests, each recognised by its columns.

#include <algorithm>

#include "tests/platforms/import/arrivals/trace_files.h"

namespace heddle::imported {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kMs = 1'000'000'000;  // ps
constexpr std::uint64_t kSecond = 1000 * kMs;
constexpr std::uint64_t kMinute = 60 * kSecond;

class TraceFormats : public TraceFiles {};

TEST_F(TraceFormats, AzureLlmOf2023HasDatesOfSevenDigitsAndLinesThatEndInCrLf) {
  const ArrivalImport result = import(kAzure2023);
  EXPECT_EQ(result.format, "azure-llm");
  EXPECT_EQ(result.first_date, "2023-11-16 18:15:46.680");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 4'314'579'000'000U, 64'314'579'100'000U));
  EXPECT_THAT(column_names(result), ElementsAre("prompt", "output"));
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(374, 396, 879));
  EXPECT_THAT(result.table.columns[1].values, ElementsAre(44, 109, 55));
}

TEST_F(TraceFormats, AzureLlmOf2024HasDatesWithAnOffset) {
  const ArrivalImport result = import(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2024-05-12 23:59:59.999999+00:00,10,1\n"
      "2024-05-13 00:00:01+00:00,20,2\n"
      "2024-05-13 02:00:02.5+02:00,30,3");
  EXPECT_EQ(result.first_date, "2024-05-12 23:59:59.999");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 1'000'001'000'000U, 2'500'001'000'000U));
}

TEST_F(TraceFormats, AzureLlmOf2025HasImages) {
  const ArrivalImport result = import(
      "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
      "2024-10-15T12:00:00.269Z,0,770,491\n2024-10-15T12:00:05.819Z,2,949,126\n");
  EXPECT_EQ(result.format, "azure-llm");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 5550 * kMs));
  EXPECT_THAT(column_names(result), ElementsAre("prompt", "output", "images"));
  EXPECT_THAT(result.table.columns[2].values, ElementsAre(0, 2));
}

TEST_F(TraceFormats, BurstGptLeavesOutRequestsWithoutAnAnswerUnlessTheyAreWanted) {
  const ArrivalImport result = import(kBurstGpt);
  EXPECT_EQ(result.format, "burstgpt");
  EXPECT_EQ(result.read, 4U);
  EXPECT_EQ(result.left_out.failed, 1U);
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 113 * kSecond, 115 * kSecond + 500 * kMs));
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(472, 417, 1360));
  ArrivalOptions all;
  all.with_failed = true;
  EXPECT_EQ(import(kBurstGpt, all).table.times_ps.size(), 4U);
}

TEST_F(TraceFormats, BurstGptWithSessionsIsRecognised) {
  const ArrivalImport result = import(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "19440110.0,1722ac82,43,GPT-4,906,446,1352,Conversation log\n"
      "19440161.25,d5983bf9,2,ChatGPT,36,29,65,Conversation log\n");
  EXPECT_EQ(result.format, "burstgpt");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 51 * kSecond + 250 * kMs));
  EXPECT_THAT(result.table.columns[1].values, ElementsAre(446, 29));
}

TEST_F(TraceFormats, BurstGptHasModelsOfWhichOneIsChosen) {
  ArrivalOptions options;
  options.model = "GPT-4";
  const ArrivalImport result = import(kBurstGpt, options);
  EXPECT_THAT(result.table.columns[1].values, ElementsAre(276));
  EXPECT_EQ(result.left_out.other_models, 3U);
  EXPECT_EQ(result.read, 4U);
}

TEST_F(TraceFormats, MooncakeHasAnObjectOnEachLine) {
  const ArrivalImport result = import(kMooncake);
  EXPECT_EQ(result.format, "mooncake");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 3053 * kMs));
  EXPECT_THAT(column_names(result), ElementsAre("prompt", "output"));
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(6955, 6472));
  EXPECT_THAT(result.table.columns[1].values, ElementsAre(52, 26));
}

constexpr const char* kCounts =
    "HashOwner,HashApp,HashFunction,Trigger,1,2,3\n"
    "o1,a1,f1,http,1,0,2\n"
    "o1,a1,f2,timer,0,0,1\n"
    "o2,a2,f1,queue,1,0,0\n";

TEST_F(TraceFormats, CountsOfAllFunctionsAreSummedAndPlacedInEqualSteps) {
  const ArrivalImport result = import(kCounts);
  EXPECT_EQ(result.format, "azure-functions-2019");
  EXPECT_EQ(result.read, 5U);
  // Of the first minute, at 15 and 45 s; of the third, at 10, 30 and 50 s. The first arrival is 0.
  EXPECT_THAT(result.table.times_ps,
              ElementsAre(0U, 30 * kSecond, 115 * kSecond, 135 * kSecond, 155 * kSecond));
  EXPECT_THAT(result.table.columns, IsEmpty());
}

TEST_F(TraceFormats, CountsOfOneFunctionAreChosenByItsNameOrThatWithinAnApp) {
  ArrivalOptions options;
  options.function = "f1";
  const ArrivalImport both = import(kCounts, options);
  EXPECT_EQ(both.table.times_ps.size(), 4U);
  EXPECT_EQ(both.left_out.other_functions, 1U);
  EXPECT_EQ(both.read, 5U);
  options.function = "a1/f1";
  // At 30 s, 135 s and 165 s.
  EXPECT_THAT(import(kCounts, options).table.times_ps, ElementsAre(0U, 105 * kSecond, 135 * kSecond));
}

TEST_F(TraceFormats, CountsArePlacedAtUniformTimesOfTheirMinuteByTheSeed) {
  ArrivalOptions options;
  options.place = "uniform";
  const std::string text = "HashOwner,HashApp,HashFunction,Trigger,1,2\no,a,f,http,4000,1000\n";
  const std::vector<std::uint64_t> times = import(text, options).table.times_ps;
  ASSERT_EQ(times.size(), 5000U);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  // The first minute is 60 s long, and its first arrival is early: a thousandth of it at most for these
  // seeds.
  EXPECT_LT(times[3999], kMinute);
  EXPECT_GT(times[3999], kMinute - kMinute / 200);
  EXPECT_GT(times[4000], kMinute - kMinute / 200);
  double mean = 0;
  for (std::size_t i = 0; i < 4000; ++i) mean += static_cast<double>(times[i]) / 4000;
  // The deviation of the mean is 60 s / sqrt(12 x 4000) = 0.27 s.
  EXPECT_NEAR(mean / static_cast<double>(kSecond), 30, 1.1);
  EXPECT_EQ(import(text, options).table.times_ps, times);
  options.seed = 2;
  EXPECT_NE(import(text, options).table.times_ps, times);
}

TEST_F(TraceFormats, InvocationsThatStateTheirEndBeginADurationBefore) {
  const ArrivalImport result = import(
      "app,func,end_timestamp,duration\n"
      "a,f,5160.142570018768,0.134\n"
      "a,g,5161.280997037888,10.013\n"
      "b,f,5180,0.5\n");
  EXPECT_EQ(result.format, "azure-functions-2021");
  // They begin at 5160.008570019, 5151.267997038 and 5179.5 s.
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 8'740'572'981'000U, 28'232'002'962'000U));
  EXPECT_EQ(result.out_of_order, 1U);
  EXPECT_THAT(column_names(result), ElementsAre("duration_ms"));
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(10013, 134, 500));
}

TEST_F(TraceFormats, ATableHasOneColumnOfTimesAndParameters) {
  const ArrivalImport result =
      import("tokens,time_us,name,share\n100,20.5,a,0.5\n200,1020.5,\"b, c\",1.25\n");
  EXPECT_EQ(result.format, "table");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, kMs));
  EXPECT_THAT(column_names(result), ElementsAre("tokens", "share"));
  EXPECT_TRUE(result.table.columns[0].is_whole);
  EXPECT_FALSE(result.table.columns[1].is_whole);
  EXPECT_THAT(result.table.columns[1].values, ElementsAre(0.5, 1.25));
  EXPECT_THAT(result.columns_left_out, ElementsAre("name"));
}

TEST_F(TraceFormats, TheColumnOfTimesOfATableIsChosenWithItsUnit) {
  ArrivalOptions options;
  options.time_column = "begin";
  options.time_unit = "s";
  const ArrivalImport result = import("begin,time [ms]\n1,7\n1.000000001,8\n", options);
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 1000U));
  options.time_column = "time [ms]";
  options.time_unit = "";
  EXPECT_THAT(import("begin,time [ms]\n1,7\n1.000000001,8\n", options).table.times_ps, ElementsAre(0U, kMs));
}

TEST_F(TraceFormats, DatesOfATableNeedNoUnit) {
  const ArrivalImport result = import("Timestamp,n\n1999-12-31T23:59:59Z,1\n2000-03-01 00:00,2\n");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, (60 * 86400 + 1) * kSecond));  // 2000 is a leap year
}

TEST_F(TraceFormats, AListOfJsonHasTimes) {
  ArrivalOptions options;
  options.time_unit = "ms";
  EXPECT_THAT(import("[1, 2.5,\n 1e2]", options).table.times_ps, ElementsAre(0U, 3 * kMs / 2, 99 * kMs));
  EXPECT_THAT(import("[\"2023-11-16 18:15\", \"2023-11-16 18:16\"]").table.times_ps,
              ElementsAre(0U, kMinute));
}

TEST_F(TraceFormats, AListOfJsonHasObjects) {
  const ArrivalImport result = import(
      "[\n  {\"tokens\": 12, \"time [s]\": 1.5, \"tags\": [\"}\", 1], \"who\": \"a\\\"b\"},\n"
      "  {\"time [s]\": 2, \"tokens\": 13, \"more\": null}\n]\n");
  EXPECT_THAT(result.table.times_ps, ElementsAre(0U, 500 * kMs));
  EXPECT_THAT(column_names(result), ElementsAre("tokens"));
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(12, 13));
  EXPECT_THAT(result.columns_left_out, ElementsAre("tags", "who"));
}

TEST_F(TraceFormats, ANamedFormatIsTheOneThatIsRead) {
  ArrivalOptions options;
  options.format = "table";
  options.time_column = "TIMESTAMP";
  EXPECT_THAT(column_names(import(kAzure2023, options)), ElementsAre("ContextTokens", "GeneratedTokens"));
  options.format = "mooncake";
  options.time_column = "";
  EXPECT_EQ(problem(kAzure2023, options),
            ":1: there is no column 'timestamp', which a trace of the format mooncake has");
}

TEST_F(TraceFormats, PackedFilesAreReadLikeOthers) {
  for (const char* text : {kAzure2023, kBurstGpt, kMooncake, kCounts}) {
    const ArrivalImport plain = import(text);
    write_packed(text);
    const ArrivalImport packed = import_arrivals(path(), {});
    EXPECT_EQ(packed.format, plain.format);
    EXPECT_EQ(packed.table.times_ps, plain.table.times_ps);
    ASSERT_EQ(packed.table.columns.size(), plain.table.columns.size());
    for (std::size_t i = 0; i < plain.table.columns.size(); ++i)
      EXPECT_EQ(packed.table.columns[i].values, plain.table.columns[i].values);
  }
}

// A chunk of the reader has 64 KiB: cells and quotes lie across its ends.
TEST_F(TraceFormats, LongFilesAreReadWhole) {
  std::string text = "\xEF\xBB\xBFtime [ms],n,name\r\n";
  for (int i = 0; i < 30000; ++i) text += fmt::format("{}.5,{},\"a \"\"{}\"\"\"\r\n\r\n", i, 2 * i, i);
  write_packed(text);
  const ArrivalImport result = import_arrivals(path(), {});
  ASSERT_EQ(result.table.times_ps.size(), 30000U);
  for (std::size_t i = 0; i < 30000; ++i) {
    ASSERT_EQ(result.table.times_ps[i], i * kMs);
    ASSERT_EQ(result.table.columns[0].values[i], 2.0 * static_cast<double>(i));
  }
}

}  // namespace
}  // namespace heddle::imported
