#include "platforms/import/kernels_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "platforms/import/application_import.h"

namespace heddle::imported {
namespace {

using testing::HasSubstr;

constexpr const char* kHead =
    "name,start_us,duration_us,grid,block,registers,shared_memory_bytes,stream,context\n";

RecordedApplication read(const std::string& text, const TableOptions& options = {}) {
  return read_kernels_table(text, "launches.csv", options);
}

std::string problem_with(const std::string& text, const TableOptions& options = {}) {
  try {
    read(text, options);
  } catch (const config::Error& error) {
    EXPECT_EQ(error.problems().size(), 1u);
    return error.what();
  }
  return "none";
}

TEST(KernelsTable, HasLaunchesWithTheirShapes) {
  const RecordedApplication application =
      read(std::string(kHead) +
           "\"void scale<float, 4>(float*, int)\",10,2.5,8x66,16x16x2,32,1024,7,1\n"
           "\"void scale<float, 4>(float*, int)\",20,3.5,8x66,16x16x2,32,1024,7,1\n");
  ASSERT_EQ(application.kernels.size(), 1u);
  const KernelShape& shape = application.kernels[0].shape;
  EXPECT_EQ(shape.name, "void scale<float, 4>(float*, int)");
  EXPECT_EQ(shape.short_name, "scale");
  EXPECT_EQ(shape.blocks(), 528u);
  EXPECT_EQ(shape.threads(), 512u);
  EXPECT_EQ(shape.registers, 32u);
  EXPECT_EQ(shape.dynamic_shared, 1024u);
  EXPECT_EQ(application.kernels[0].times.mean_ps(), 3000000u);
  EXPECT_EQ(application.span_ps, 13500000u);
}

TEST(KernelsTable, HeadsStateUnitsAndOrderIsFree) {
  const RecordedApplication application =
      read("block,grid,end_ns,start_ns,shared_memory_kib,name\n64,4,3000,2000,2,b\n64,4,1500,1000,2,a\n");
  ASSERT_EQ(application.kernels.size(), 2u);
  EXPECT_EQ(application.kernels[0].shape.name, "a");  // rows are put in the order of their starts
  EXPECT_EQ(application.kernels[0].times.sum_ps, 500000u);
  EXPECT_EQ(application.kernels[0].shape.dynamic_shared, 2048u);
  EXPECT_EQ(application.kernels[0].shape.registers, 0u);
  EXPECT_EQ(application.gaps_ps, 500000u);
}

TEST(KernelsTable, APartOfItIsChosenByTime) {
  TableOptions options;
  options.from_ps = 10000000;
  options.to_ps = 20000000;
  const RecordedApplication application =
      read(std::string(kHead) + "a,100,1,1,32,,,,\nb,110,1,1,32,,,,\nc,120,1,1,32,,,,\n", options);
  ASSERT_EQ(application.kernels.size(), 1u);
  EXPECT_EQ(application.kernels[0].shape.name, "b");
}

TEST(KernelsTable, OfSeveralContextsNeedsAChoice) {
  const std::string text = std::string(kHead) + "a,0,1,1,32,,,,3\nb,1,1,1,32,,,,4\nb,2,1,1,32,,,,4\n";
  EXPECT_EQ(
      problem_with(text),
      "launches.csv: has launches of several contexts, and an application has one; --context chooses: 3 (1 "
      "launches), 4 (2 launches)");
  TableOptions options;
  options.context = 4;
  EXPECT_EQ(read(text, options).kernels[0].times.launches, 2u);
  options.context = 5;
  EXPECT_THAT(problem_with(text, options), HasSubstr("has no launch of context 5"));
}

struct BadTable {
  const char* text;
  const char* problem;
};

TEST(KernelsTable, ThatIsWrongIsOneMessageWithItsLine) {
  const std::string head = kHead;
  const BadTable tables[] = {
      {"", "launches.csv: is empty"},
      {"name,start_us,duration_us,grid,block\n", "launches.csv: has no launch"},
      {"name,start_us,grid,block\n", "launches.csv:1: needs one of the columns end_UNIT and duration_UNIT"},
      {"name,start_us,end_us,duration_us,grid,block\n", "launches.csv:1: needs one of the columns"},
      {"name,start,duration_us,grid,block\n",
       "launches.csv:1: the column 'start' states no unit; name it start_ps"},
      {"name,start_h,duration_us,grid,block\n", "launches.csv:1: the column 'start_h' states no unit"},
      {"name,duration_us,grid,block\n", "launches.csv:1: has no column 'start_UNIT'"},
      {"start_us,duration_us,grid,block\n", "launches.csv:1: has no column 'name'"},
      {"name,start_us,duration_us,grid,blok\n",
       "launches.csv:1: unknown column 'blok'; did you mean 'block'?"},
      {"name,start_us,duration_us,grid,block,grid_x\n", "launches.csv:1: unknown column 'grid_x'"},
      {"name,start_us,start_ns,duration_us,grid,block\n", "launches.csv:1: two columns for 'start'"},
      {"name,start_us,duration_us,grid,block\na,1,1,1,32\nb,2,-1,1,32\n",
       "launches.csv:3: '-1' of 'duration_us' is negative"},
      {"name,start_us,end_us,grid,block\na,2,1,1,32\n", "launches.csv:2: it ends before it starts"},
      {"name,start_us,duration_us,grid,block\na,-1,1,1,32\n",
       "launches.csv:2: '-1' of 'start_us' is negative"},
      {"name,start_us,duration_us,grid,block\na,1,nan,1,32\n",
       "launches.csv:2: 'nan' of 'duration_us' is no number"},
      {"name,start_us,duration_us,grid,block\na,1,,1,32\n",
       "launches.csv:2: '' of 'duration_us' is no number"},
      {"name,start_us,duration_us,grid,block\na,1e300,1,1,32\n",
       "launches.csv:2: '1e300' of 'start_us' is too large"},
      {"name,start_us,duration_us,grid,block\na,1,1,1\n", "launches.csv:2: has 4 cells, the head has 5"},
      {"name,start_us,duration_us,grid,block\na,1,1,1x2x3x4,32\n",
       "launches.csv:2: '1x2x3x4' of 'grid' is no size"},
      {"name,start_us,duration_us,grid,block\na,1,1,8 66,32\n",
       "launches.csv:2: '8 66' of 'grid' is no size"},
      {"name,start_us,duration_us,grid,block\na,1,1,0,32\n", "launches.csv:2: a grid of 0 x 1 x 1 blocks"},
      {"name,start_us,duration_us,grid,block\na,1,1,1,70000\n",
       "launches.csv:2: a block of 70000 x 1 x 1 threads"},
      {"name,start_us,duration_us,grid,block\n,1,1,1,32\n", "launches.csv:2: a kernel without a name"},
      {"name,start_us,duration_us,grid,block\n\"a,1,1,1,32\n", "launches.csv:2: a quote is not closed"},
      {"name,start_us,duration_us,grid,block,registers\na,1,1,1,32,x\n",
       "launches.csv:2: 'x' of 'registers' is no whole number"},
  };
  for (const BadTable& table : tables)
    EXPECT_THAT(problem_with(table.text), HasSubstr(table.problem)) << table.text;
}

ImportOptions options_for(const std::string& platform) {
  ImportOptions options;
  options.input = "launches.csv";
  options.output = "mine.yaml";
  options.measured_on = platform;
  return options;
}

TEST(ApplicationImport, AKernelThatIsShorterThanTheLatenciesIsMadeLongerAndTold) {
  const RecordedApplication application =
      read(std::string(kHead) + "tiny,0,0.5,1,32,,,,\nlong,10,100,1,32,,,,\n");
  const ApplicationImport result = import_application(application, options_for("k20-cusched"));
  EXPECT_THAT(result.notes,
              testing::Contains(HasSubstr("shorter than the latencies of 'k20-cusched' allow")));
  EXPECT_THAT(result.text, HasSubstr("the least that the platform's latencies allow; recorded: 500ns"));
  EXPECT_THAT(result.text, HasSubstr("time: 100us  # mean of 1 launches"));
}

TEST(ApplicationImport, AKernelThatDoesNotFitIsAProblem) {
  const RecordedApplication application = read(std::string(kHead) + "large,0,500,1,1024,200,,,\n");
  try {
    import_application(application, options_for("k20-cusched"));
    FAIL();
  } catch (const config::Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("launches.csv: a block of 'large' does not fit an SM of 'k20-cusched'"));
  }
}

TEST(ApplicationImport, APlatformThatExecutesInstructionsIsTold) {
  const RecordedApplication application = read(std::string(kHead) + "k,0,500,1,32,,,,\n");
  EXPECT_THAT(import_application(application, options_for("t4")).notes,
              testing::Contains(HasSubstr("run it with --set sm.model=timed")));
  EXPECT_THROW(import_application(application, options_for("t5")), config::Error);
}

TEST(ApplicationImport, TooManyDifferentCallsAreAProblemThatSaysWhatToDo) {
  std::string text = "name,start_us,duration_us,grid,block,stream\n";
  for (int i = 0; i < 100; ++i)
    text += "k," + std::to_string(100 * i) + ",50,1,32," + std::to_string(i) + "\n";
  try {
    import_application(read(text), options_for("k20-cusched"));
    FAIL();
  } catch (const config::Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("launches.csv: 100 streams, and the default one; 'k20-cusched' has 64"));
  }
}

}  // namespace
}  // namespace heddle::imported
