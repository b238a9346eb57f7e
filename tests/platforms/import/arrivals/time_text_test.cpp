#include "platforms/import/arrivals/time_text.h"

#include <gtest/gtest.h>

namespace heddle::imported {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// The seconds are those of `date -u -d DATE +%s`.
TEST(TraceTimes, DatesAreNanosecondsSince1970) {
  EXPECT_EQ(read_date("1970-01-01"), 0);
  EXPECT_EQ(read_date("1970-01-01T00:00:00.000000001Z"), 1);
  EXPECT_EQ(read_date("2000-02-29 12:00"), 951825600 * kSecond);
  EXPECT_EQ(read_date("2023-11-16 18:15:46.6805900"), 1700158546 * kSecond + 680590000);
  EXPECT_EQ(read_date("2100-03-01"), 4107542400 * kSecond);  // 2100 is no leap year
  EXPECT_EQ(read_date("2261-12-31 23:59:59"), 9214646399 * kSecond);
  EXPECT_EQ(read_date("2024-05-12 01:30:00+02:00"), read_date("2024-05-11 23:30"));
  EXPECT_EQ(read_date("2024-05-12 01:30:00-0130"), read_date("2024-05-12 03:00"));
  EXPECT_EQ(read_date("2024-05-12 01:30:00+02"), read_date("2024-05-11 23:30:00"));
}

TEST(TraceTimes, OtherTextsAreNoDates) {
  for (const char* text :
       {"", "2023", "2023-1-16", "2023-13-01", "2023-00-01", "2023-04-31", "2023-11-16 ", "2023-11-16 18",
        "2023-11-16 18:60", "2023-11-16 18:15:61", "2023-11-16 18:15:46.", "2023-11-16 18:15+2", "1969-12-31",
        "2262-01-01", "2023-11-16 18:15:46ZZ", "2023-11-16x18:15", "-2023-11-16", "2100-02-29"})
    EXPECT_FALSE(read_date(text).has_value()) << text;
}

TEST(TraceTimes, DatesAreWrittenAsTheyAreRead) {
  for (const char* text : {"1970-01-01 00:00:00.000", "2000-02-29 23:59:59.999", "2000-12-31 00:00:00.001",
                           "2023-11-16 18:15:46.680", "2261-01-01 01:02:03.004"})
    EXPECT_EQ(date_text(*read_date(text)), text);
}

TEST(TraceTimes, NumbersAreExactToTheNanosecond) {
  const auto ns = [](const char* text, TimeUnit unit) { return parse_trace_time(text, unit).value; };
  EXPECT_EQ(ns("1700158546.680590001", TimeUnit::kS), 1700158546680590001);
  EXPECT_EQ(ns("5160.142570018768", TimeUnit::kS), 5160142570019);
  EXPECT_EQ(ns("0.0000000005", TimeUnit::kS), 1);
  EXPECT_EQ(ns("0.00000000049", TimeUnit::kS), 0);
  EXPECT_EQ(ns("27482", TimeUnit::kMs), 27482000000);
  EXPECT_EQ(ns("1.5", TimeUnit::kUs), 1500);
  EXPECT_EQ(ns("12345678901234567", TimeUnit::kNs), 12345678901234567);
  EXPECT_EQ(ns("2500", TimeUnit::kPs), 3);
  EXPECT_EQ(ns("1.5e3", TimeUnit::kMs), 1500000000);
  EXPECT_EQ(ns("9000000000", TimeUnit::kS), 9000000000 * kSecond);
  EXPECT_FALSE(parse_trace_time("9000000001", TimeUnit::kS).ok());
  EXPECT_EQ(parse_trace_time("-1", TimeUnit::kS).problem, "the time -1 is negative");
}

}  // namespace
}  // namespace heddle::imported
