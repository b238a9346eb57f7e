// Which requests of a trace are taken, and at which times.

#include <algorithm>
#include <cmath>

#include "tests/platforms/import/arrivals/trace_files.h"

namespace heddle::imported {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kSecond = 1'000'000'000'000;  // ps

class RequestChoice : public TraceFiles {
 protected:
  // Requests at each second from 100 s on, numbered from 0.
  static std::string seconds(int count) {
    std::string text = "time_s,n\n";
    for (int i = 0; i < count; ++i) text += fmt::format("{},{}\n", 100 + i, i);
    return text;
  }
};

TEST_F(RequestChoice, AWindowCountsFromTheFirstArrivalAndTimesFromItsStart) {
  ArrivalOptions options;
  options.from = "1500ms";
  options.to = "4s";
  const ArrivalImport result = import(seconds(10), options);
  EXPECT_THAT(result.table.times_ps, ElementsAre(kSecond / 2, 3 * kSecond / 2));
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(2, 3));
  EXPECT_EQ(result.left_out.outside, 8U);
}

TEST_F(RequestChoice, AWindowOfDatesSuitsATraceOfDates) {
  ArrivalOptions options;
  options.from = "2023-11-16 18:15:50";
  options.to = "2023-11-16T20:16:00+02:00";
  EXPECT_THAT(import(kAzure2023, options).table.times_ps, ElementsAre(995'169'000'000U));
  options.to = "70s";  // a time counts from the first arrival beside a date, too
  EXPECT_EQ(import(kAzure2023, options).table.times_ps.size(), 2U);
  EXPECT_EQ(
      problem(seconds(3), options),
      "--from 2023-11-16 18:15:50: the trace has no dates; a time since its first arrival is needed, such "
      "as 10s");
}

TEST_F(RequestChoice, AWindowThatIsNoneIsRefused) {
  ArrivalOptions options;
  options.from = "2s";
  options.to = "1s";
  EXPECT_EQ(problem(seconds(9), options), "--to: the window ends before it starts");
  options.to = "soon";
  EXPECT_THAT(problem(seconds(9), options), HasSubstr("--to soon: needs a time such as 1.5us"));
  options.from = "100s";
  options.to = "";
  EXPECT_EQ(problem(seconds(9), options), ": no request is left; left out: 9 outside the window");
}

TEST_F(RequestChoice, TimesAreDividedByTheScaleOfTheRate) {
  ArrivalOptions options;
  options.rate_scale = 8;
  options.to = "4s";  // of the trace
  EXPECT_THAT(import(seconds(10), options).table.times_ps,
              ElementsAre(0U, kSecond / 8, kSecond / 4, 3 * kSecond / 8));
  options.rate_scale = 0.5;
  options.from = "2s";
  EXPECT_THAT(import(seconds(10), options).table.times_ps, ElementsAre(0U, 2 * kSecond));
}

TEST_F(RequestChoice, TheFirstSoManyAreKept) {
  ArrivalOptions options;
  options.requests = 2;
  options.from = "3s";
  const ArrivalImport result = import(seconds(10), options);
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(3, 4));
  EXPECT_EQ(result.left_out.beyond, 5U);
}

TEST_F(RequestChoice, ThinningKeepsTheSameRequestsForASeedAndInEveryWindow) {
  constexpr int kCount = 20000;
  ArrivalOptions options;
  options.thin = 0.25;
  const ArrivalImport all = import(seconds(kCount), options);
  const auto kept = static_cast<double>(all.table.times_ps.size());
  EXPECT_EQ(all.left_out.thinned + all.table.times_ps.size(), static_cast<std::uint64_t>(kCount));
  EXPECT_NEAR(kept, 0.25 * kCount, 4 * std::sqrt(kCount * 0.25 * 0.75));
  EXPECT_EQ(import(seconds(kCount), options).table.columns[0].values, all.table.columns[0].values);

  options.from = "5000s";
  const std::vector<double> late = import(seconds(kCount), options).table.columns[0].values;
  const std::vector<double>& values = all.table.columns[0].values;
  EXPECT_EQ(late, std::vector<double>(std::lower_bound(values.begin(), values.end(), 5000.0), values.end()));

  options.from = "";
  options.seed = 2;
  EXPECT_NE(import(seconds(kCount), options).table.columns[0].values, values);
}

// The numbers are those of SplitMix64 as its paper defines it, forked for "thin", written anew in Python.
TEST_F(RequestChoice, ThinningDrawsTheSameBitsEverywhere) {
  ArrivalOptions options;
  options.thin = 0.3;
  EXPECT_THAT(import(seconds(20), options).table.columns[0].values, ElementsAre(2, 7, 9, 10, 19));
}

// The first arrival is the origin of times, also if it is thinned away.
TEST_F(RequestChoice, ThinningMovesNoRequest) {
  ArrivalOptions options;
  options.thin = 0.01;
  const ArrivalImport result = import(seconds(5000), options);
  for (std::size_t i = 0; i < result.table.times_ps.size(); ++i)
    EXPECT_EQ(static_cast<double>(result.table.times_ps[i]),
              result.table.columns[0].values[i] * static_cast<double>(kSecond));
}

TEST_F(RequestChoice, RequestsAreSortedByTimeAndStayInTheirOrderAtTheSameTime) {
  const ArrivalImport result = import("time_ms,n\n5,0\n3,1\n5,2\n3,3\n4,4\n");
  EXPECT_THAT(result.table.columns[0].values, ElementsAre(1, 3, 4, 0, 2));
  EXPECT_EQ(result.out_of_order, 3U);
  EXPECT_EQ(import(seconds(5)).out_of_order, 0U);
}

TEST_F(RequestChoice, TimesBeyondThoseOfAFileOfArrivalsAreRefused) {
  const std::string text = "time_s\n0\n10000001\n";
  EXPECT_THAT(problem(text), HasSubstr("there are arrivals 1e+07s behind the first"));
  ArrivalOptions options;
  options.rate_scale = 2;
  EXPECT_THAT(import(text, options).table.times_ps, ElementsAre(0U, 10000001 * (kSecond / 2)));
  options = {};
  options.to = "5s";
  EXPECT_THAT(import(text, options).table.times_ps, ElementsAre(0U));
}

TEST_F(RequestChoice, CountsAreChosenLikeRequests) {
  ArrivalOptions options;
  options.from = "60s";
  options.to = "61s";
  options.thin = 0.001;
  options.requests = 5;  // of a thousandth of those of one second, 16.7 in the mean
  const std::string two_minutes = "HashOwner,HashApp,HashFunction,Trigger,1,2\no,a,f,http,1000000,1000000\n";
  const ArrivalImport result = import(two_minutes, options);
  EXPECT_EQ(result.read, 2'000'000U);
  EXPECT_EQ(result.table.times_ps.size(), 5U);
  EXPECT_LT(result.table.times_ps.back(), kSecond);
  EXPECT_EQ(result.left_out.thinned + result.left_out.outside + result.left_out.beyond + 5, 2'000'000U);
}

TEST_F(RequestChoice, OptionsThatDoNotSuitTheFormatAreRefused) {
  const auto refusal = [&](const char* text, void (*set)(ArrivalOptions&)) {
    ArrivalOptions options;
    set(options);
    return problem(text, options);
  };
  EXPECT_EQ(refusal(kAzure2023, [](ArrivalOptions& options) { options.model = "GPT-4"; }),
            ": --model does not suit the format azure-llm, which has no models");
  EXPECT_EQ(refusal(kBurstGpt, [](ArrivalOptions& options) { options.function = "f"; }),
            ": --function does not suit the format burstgpt, which has no functions");
  EXPECT_EQ(refusal(kMooncake, [](ArrivalOptions& options) { options.with_failed = true; }),
            ": --with-failed does not suit the format mooncake, which has no requests that failed");
  EXPECT_EQ(refusal(kBurstGpt, [](ArrivalOptions& options) { options.place = "even"; }),
            ": --place does not suit the format burstgpt, which has no counts");
  EXPECT_EQ(refusal(kBurstGpt, [](ArrivalOptions& options) { options.time_unit = "ms"; }),
            ": --time-unit does not suit the format burstgpt, which has no choice of units");
}

TEST_F(RequestChoice, AModelOrAFunctionThatIsNotThereIsRefused) {
  ArrivalOptions options;
  options.model = "GPT-5";
  EXPECT_EQ(problem(kBurstGpt, options),
            ": has no request of the model 'GPT-5'; it has those of: ChatGPT, GPT-4");
  options = {};
  options.function = "b/f";
  EXPECT_EQ(problem("app,func,end_timestamp,duration\na,f,5,1\n", options), ": has no function 'b/f'");
  EXPECT_EQ(problem("HashOwner,HashApp,HashFunction,Trigger,1\no,a,f,http,1\n", options),
            ": has no function 'b/f'");
}

}  // namespace
}  // namespace heddle::imported
