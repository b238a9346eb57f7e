// Damaged traces are refused with their place and what is wrong.

#include "platforms/import/arrivals/text_input.h"
#include "tests/platforms/import/arrivals/trace_files.h"

namespace heddle::imported {
namespace {

using testing::HasSubstr;

class DamagedTraces : public TraceFiles {};

struct Damaged {
  std::string text;
  std::string problem;
};

TEST_F(DamagedTraces, AreRefusedWithTheLine) {
  const std::string azure =
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n";
  const std::string burst = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";
  const std::string counts = "HashOwner,HashApp,HashFunction,Trigger,1,2\n";
  const std::vector<Damaged> cases{
      {"", ":1: the file is empty"},
      {"\n \n", ":2: the file is empty"},
      {azure + "2023-11-16 18:15:5", ":3: the line has 1 cells, the head has 3"},
      {azure + "2023-11-16 18:15:50,3\r\n", ":3: the line has 2 cells, the head has 3"},
      {azure + "2023-11-16 18:15:50,3,4,5\r\n", ":3: the line has 4 cells, the head has 3"},
      {azure + "\r\n2023-11-31 18:15:50,3,4\r\n", ":4: '2023-11-31 18:15:50' is no date"},
      {azure + "2023-02-29 18:15:50,3,4\r\n", ":3: '2023-02-29 18:15:50' is no date"},
      {azure + "2023-11-16 24:15:50,3,4\r\n", ":3: '2023-11-16 24:15:50' is no date"},
      {azure + "2023-11-16 18:15:50.,3,4\r\n", ":3: '2023-11-16 18:15:50.' is no date"},
      {azure + "2023-11-16 18:15:50+,3,4\r\n", ":3: '2023-11-16 18:15:50+' is no date"},
      {azure + "2023-11-16 18:15:50 x,3,4\r\n", ":3: '2023-11-16 18:15:50 x' is no date"},
      {azure + "12.5,3,4\r\n", ":3: '12.5' is no date"},
      {azure + "2023-11-16 18:15:50,three,4\r\n", ":3: 'three' of 'ContextTokens' is no number"},
      {azure + "2023-11-16 18:15:50,,4\r\n", ":3: '' of 'ContextTokens' is no number"},
      {azure + "2023-11-16 18:15:50,3,-4\r\n", ":3: '-4' of 'GeneratedTokens' is negative"},
      {azure + "\"2023-11-16 18:15:50,3,4\r\n", ":3: a quote is not closed on its line"},
      {azure + "\"2023-11-16\"x,3,4\r\n", ":3: text behind a closing quote"},
      {"TIMESTAMP,ContextTokens,GeneratedTokens\n", ":1: there is no request behind the head"},
      {burst + "-1,GPT-4,1,1,2,API log\n", ":2: the time -1 is negative"},
      {burst + "x,GPT-4,1,1,2,API log\n", ":2: 'x' is no number"},
      {burst + "nan,GPT-4,1,1,2,API log\n", ":2: 'nan' is no number"},
      {burst + "1.2.3,GPT-4,1,1,2,API log\n", ":2: '1.2.3' is no number"},
      {burst + "1e30,GPT-4,1,1,2,API log\n", ":2: the time 1e30 is beyond 9 x 10^9 s"},
      {burst + "123456789012345678901234567890,GPT-4,1,1,2,API log\n", "is beyond 9 x 10^9 s"},
      {"Timestamp,Model,Model,Request tokens,Response tokens\n", ":1: two columns are named 'Model'"},
      {"app,func,end_timestamp,duration\na,f,5,-1\n", ":2: the time -1 is negative"},
      {counts + "o,a,f,http,1,1.5\n", ":2: '1.5' of minute 2 is no whole number"},
      {counts + "o,a,f,http,1,-2\n", ":2: '-2' of minute 2 is no whole number"},
      {counts + "o,a,f,http,1,99999999999\n", ":2: '99999999999' of minute 2 is more than 1000000000"},
      {counts + "o,a,f,http,1\n", ":2: the line has 5 cells, the head has 6"},
      {counts + "o,a,f,http,0,0\n", ": no request is left"},
      {"time_ms,n\n1,2\n2,x\n", ":3: 'x' of 'n' is no number"},
      {"time,n\n1,2\n",
       ":2: the times of 'time' state no unit; --time-unit names it: ps, ns, us, ms, s, date"},
      {"time_ms,arrival_s\n1,2\n", ":1: the columns 'time_ms' and 'arrival_s' may both have the times"}};
  for (const Damaged& damaged : cases)
    EXPECT_THAT(problem(damaged.text), HasSubstr(damaged.problem)) << damaged.text;
}

TEST_F(DamagedTraces, OfJsonAreRefusedWithTheElement) {
  const std::string line = "{\"timestamp\": 1, \"input_length\": 2, \"output_length\": 3}\n";
  const std::vector<Damaged> cases{
      {line + "{\"timestamp\": 2, \"input_length\": 2, \"outp", ":2: element 2: the file ends within it"},
      {line + line + "{\"timestamp\": 2 \"input_length\": 2}\n", ":3: element 3: '{"},
      {line + "{\"timestamp\": 2, \"input_length\": 2}\n",
       ":2: element 2: '' of 'output_length' is no number"},
      {line + "{\"timestamp\": -2, \"input_length\": 2, \"output_length\": 3}\n",
       ":2: element 2: the time -2 is neg"},
      {line + "7\n", ":2: element 2: is no object, as the first one is"},
      {line + "}\n", ":2: element 2: '}' is no JSON"},
      {"[]", ":1: the list is empty"},
      {"[{\"time_ms\": 1},\n{\"time_ms\": 2}", ":2: the file ends within the list"},
      {"[{\"time_ms\": 1}\n{\"time_ms\": 2}]", ":2: a comma is missing behind element 1"},
      {"[{\"time_ms\": 1},\n]", ":2: an element is missing behind the comma"},
      {"[{\"time_ms\": 1}]\n[", ":2: there is text behind the list"},
      {"[{\"time_ms\": 1},\n{\"time_ms\": [2]}]", ":2: element 2: '' is no number"},
      {"[{\"time_ms\": 1},\n{\"time_ms\": \"a]", ":2: element 2: the file ends within it"},
      {"[1, 2]", ":1: element 1: the times state no unit; --time-unit names it: ps"}};
  for (const Damaged& damaged : cases)
    EXPECT_THAT(problem(damaged.text), HasSubstr(damaged.problem)) << damaged.text;
}

TEST_F(DamagedTraces, WithAnUnknownHeadNameTheKnownOnes) {
  const std::string text = problem("when,what\n1,2\n");
  EXPECT_THAT(text, HasSubstr(":1: the columns when, what are those of no known trace"));
  for (const char* known : {"azure-llm (TIMESTAMP, ContextTokens, GeneratedTokens)", "burstgpt (",
                            "mooncake (", "azure-functions-2019 (HashApp, HashFunction, Trigger, 1, 2, ...)",
                            "azure-functions-2021 (", "--time-column"})
    EXPECT_THAT(text, HasSubstr(known));
  ArrivalOptions options;
  options.time_column = "whem";
  EXPECT_THAT(problem("when,what\n1,2\n", options),
              HasSubstr(":1: there is no column 'whem'; did you mean 'when'?"));
}

TEST_F(DamagedTraces, ThatArePackedAreRefusedWhereTheyEndEarly) {
  std::string text = "time_ms,n\n";
  for (int i = 0; i < 20000; ++i) text += fmt::format("{},{}\n", i, i * i % 1009);
  write_packed(text);
  const auto bytes = static_cast<std::size_t>(std::filesystem::file_size(path()));
  for (const std::size_t kept :
       {std::size_t{2}, std::size_t{12}, bytes / 2, bytes - 9, bytes - 4, bytes - 1}) {
    write_packed(text, kept);
    EXPECT_THAT(problem_of_file(), HasSubstr("the packed data end early: the file is not whole")) << kept;
  }
  write_packed(text, bytes / 2);
  EXPECT_THAT(problem_of_file(), testing::ContainsRegex("^:1?[0-9][0-9][0-9][0-9]: "));
}

TEST_F(DamagedTraces, ThatArePackedAreRefusedWhereTheirDataAreWrong) {
  std::string text = "time_ms,n\n";
  for (int i = 0; i < 20000; ++i) text += fmt::format("{},{}\n", i, i * i % 1009);
  write_packed(text);
  std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path())) - 6);  // in the check sum
  file.put('\x55');
  file.close();
  EXPECT_THAT(problem_of_file(), HasSubstr("the packed data are damaged"));
}

TEST_F(DamagedTraces, ThatAreNoFilesAreRefused) {
  EXPECT_THAT(problem_of_file(), HasSubstr(": cannot be read: No such file or directory"));
  std::filesystem::create_directory(path());
  EXPECT_THAT(problem_of_file(), HasSubstr(": cannot be read: it is a directory"));
}

TEST_F(DamagedTraces, WithLinesWithoutEndAreRefused) {
  EXPECT_THAT(problem("time_ms,n\n1," + std::string(TextInput::kMostBytes + 1, '1')),
              HasSubstr(":2: the line has more than 16777216 bytes"));
  EXPECT_THAT(problem("[{\"time_ms\": 1, \"n\": \"" + std::string(TextInput::kMostBytes + 1, 'x')),
              HasSubstr(":1: element 1: has more than 16777216 bytes"));
}

}  // namespace
}  // namespace heddle::imported
