// Every option that names an output, set onto the inputs of its command, a link, a device, a FIFO and a
// folder: each is refused, and nothing changes. A device is a link to /dev/null: no test touches a device
// itself.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <regex>
#include <set>

#include "tests/platforms/cli/cli.h"
#include "tests/support/nsys_report.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Output {
  std::string option;
  std::string words;  // with @ for the output
  std::string fresh;  // a name that works
  std::vector<std::string> inputs;
  int code = 0;  // of the command that works
};

std::ostream& operator<<(std::ostream& out, const Output& output) {
  return out << output.words;
}

const std::vector<Output> kOutputs{
    {"--out",
     "import nsys report.sqlite -o @ --measured-on own.yaml",
     "new.yaml",
     {"report.sqlite", "own.yaml", "parent.yaml"}},
    {"--out",
     "import kernels launches.csv -o @ --measured-on own.yaml",
     "new.yaml",
     {"launches.csv", "own.yaml", "parent.yaml"}},
    {"--out",
     "import harvest card.csv -o @ --base card-base.yaml",
     "new.yaml",
     {"card.csv", "card-base.yaml"}},
    {"--out", "import arrivals trace.csv -o @", "new.csv", {"trace.csv"}},
    {"--csv",
     "correlate map.yaml --model model --rtl sim.vcd --csv @",
     "new.csv",
     {"map.yaml", "sim.vcd", "model/stats.json"},
     1},
    {"--command-trace",
     "dram trace.txt --platform card-base.yaml --command-trace @",
     "new.txt",
     {"trace.txt", "card-base.yaml"}},
    {"--log-file", "check small.yaml --log-file @", "new.log", {"small.yaml", "tiny.yaml", "other.yaml"}},
    {"--out", "stimuli vector_add --platform gtx480 --at l2_0 --out @ --set parameters.n=64", "new.txt", {}},
    {"--waves", "run small.yaml --set compare=[] --quiet --interval 20us --out r --waves @", "new.vcd", {}},
    {"--out", "capture -o @ -- ./program.hcap", "", {"program.hcap"}},
};

class OutputOption : public CliTest, public testing::WithParamInterface<Output> {
 protected:
  OutputOption() {
    write_small();
    write("own.yaml", "base: parent.yaml\nplatform: own\ndescription: one\n");
    write("parent.yaml", "base: k20-cusched\nplatform: parent\ndescription: another\n");
    write("card-base.yaml", "base: gtx480\nplatform: card-base\ndescription: a third\n");
    write("launches.csv", "name,start_us,duration_us,grid,block\nscale,10,100,8,256\n");
    write("trace.csv", "time_ms,tokens\n0,7\n2,8\n");
    write("trace.txt", "R 0x0\nW 0x40\n");
    write("map.yaml",
          "clock: {signal: top.clk}\npairs:\n  - {name: blocks, rtl: delta(top.n), model: gpu.n}\n");
    write(
        "sim.vcd",
        "$timescale 1 ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$var wire 8 \" n [7:0] $end\n"
        "$upscope $end\n$enddefinitions $end\n#0\n0!\nb0 \"\n#5\n1!\nb1 \"\n#10\n0!\n");
    fs::create_directory(directory_ / "model");
    write(
        "model/stats.json",
        "{\"schema\": \"heddle-stats-1\",\n\"statistics\": [\n{\"unit\": \"block\", \"description\": \"n\",\n"
        " \"values\": {\"gpu.n\": 5}}\n]}\n");
    fs::copy_file(source_directory() + "/tests/data/hardware/example_card.csv", directory_ / "card.csv");
    fs::copy_file("/bin/true", directory_ / "program.hcap");
    {
      NsysReport report(directory_ / "report.sqlite");
      report.launch({1000, 101000, "a"});
    }
  }

  // Runs the command, which must refuse the output with one line.
  void expect_refused(const std::string& out, const std::string& message) const {
    const std::vector<std::string> before = files();
    std::string words = GetParam().words;
    words.replace(words.find('@'), 1, out);
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << words << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(out)) << words;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << words;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << words << ": " << outcome.err;
    EXPECT_EQ(files(), before) << words;
  }
  // The ending that the command asks for.
  std::string named(const std::string& stem) const {
    const std::string ending = fs::path(GetParam().fresh).extension();
    return stem + (ending.empty() ? ".hcap" : ending);
  }
};

TEST_P(OutputOption, ReplacesNoInputOfItsCommand) {
  for (const std::string& input : GetParam().inputs) {
    const std::string before = read(input);
    expect_refused(input, "is the input");
    fs::create_hard_link(directory_ / input, directory_ / named("again"));
    expect_refused(named("again"), "is the input");
    fs::remove(directory_ / named("again"));
    EXPECT_EQ(read(input), before) << input;
  }
}

TEST_P(OutputOption, ReplacesNothingThatIsNoPlainFile) {
  write("elsewhere", "old");
  const std::string link = named("link");
  const std::string device = named("device");
  const std::string fifo = named("fifo");
  const std::string folder = named("folder");
  fs::create_symlink("elsewhere", directory_ / link);
  fs::create_symlink("/dev/null", directory_ / device);
  ASSERT_EQ(mkfifo((directory_ / fifo).c_str(), 0600), 0);
  fs::create_directory(directory_ / folder);
  expect_refused(link, "is a link");
  expect_refused(device, "is a link");
  expect_refused(fifo, "is a FIFO");
  expect_refused(folder, "is a directory");
  EXPECT_EQ(read("elsewhere"), "old");
  EXPECT_TRUE(fs::is_symlink(directory_ / link) && fs::is_symlink(directory_ / device));
  EXPECT_TRUE(fs::is_fifo(directory_ / fifo));
}

TEST_P(OutputOption, WritesANewFileAndNothingBesideIt) {
  const std::string& fresh = GetParam().fresh;
  if (fresh.empty()) GTEST_SKIP() << "the tests of capture do that";
  std::string words = GetParam().words;
  words.replace(words.find('@'), 1, fresh);
  const Outcome outcome = heddle(words);
  EXPECT_EQ(outcome.code, GetParam().code) << words << ": " << outcome.err;
  EXPECT_TRUE(fs::is_regular_file(directory_ / fresh)) << words;
  for (const std::string& file : files()) EXPECT_EQ(file.find(".partial"), std::string::npos) << file;
}

INSTANTIATE_TEST_SUITE_P(Of, OutputOption, testing::ValuesIn(kOutputs), [](const auto& test) {
  std::string name = test.param.words.substr(0, test.param.words.find('@'));
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
});

class OutputFolder : public CliTest {};

TEST_F(OutputFolder, IsNoFileAndNoFifo) {
  write_small();
  write("small-campaign.yaml",
        "campaign: small\nexperiment: small.yaml\naxes: [{product: {sm.count: [2]}}]\n");
  write("file", "old");
  fs::create_symlink("file", directory_ / "link");
  fs::create_symlink("/dev/null", directory_ / "device");
  ASSERT_EQ(mkfifo((directory_ / "fifo").c_str(), 0600), 0);
  for (const char* words :
       {"run small.yaml --quiet --out ", "run small.yaml --quiet --cache ", "reproduce cruz --plan --out ",
        "batch run small-campaign.yaml --quiet --dir ", "batch plan small-campaign.yaml --dir "})
    for (const char* place : {"file", "link", "device", "fifo"}) {
      const std::vector<std::string> before = files();
      const Outcome outcome = heddle(std::string(words) + place);
      EXPECT_EQ(outcome.code, 2) << words << place << ": " << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(place)) << words;
      EXPECT_EQ(files(), before) << words << place;
    }
  EXPECT_EQ(read("file"), "old");
}

// A campaign may lie in the folder of its results, under another name than the program's own file has.
TEST_F(OutputFolder, OfACampaignKeepsTheFileThatTheUserHasWritten) {
  write_small();
  fs::create_directory(directory_ / "mine");
  const std::string text =
      "# why\ncampaign: small\nexperiment: ../small.yaml\naxes: [{product: {sm.count: [2]}}]\n";
  write("mine/campaign.yaml", text);
  const Outcome refused = heddle("batch run mine/campaign.yaml --quiet --dir mine");
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("--dir mine/campaign.yaml: is the input mine/campaign.yaml"));
  EXPECT_EQ(read("mine/campaign.yaml"), text);
  fs::rename(directory_ / "mine/campaign.yaml", directory_ / "mine/small.yaml");
  EXPECT_EQ(heddle("batch run mine/small.yaml --quiet --dir mine").code, 0);
  EXPECT_EQ(heddle("batch run mine/campaign.yaml --quiet --dir mine").code, 0) << "it is the program's own";
}

// An option that is not in this list has no place in the tests above yet.
TEST_F(OutputFolder, EveryOptionThatNamesAnOutputIsKnownHere) {
  const std::set<std::string> known{"--log-file",      "--waves", "--csv",     "--report",
                                    "--command-trace", "--stats", "--timeline"};
  const std::regex option(R"(\n  +(?:-\w,\s*)?(--[\w-]+)(?: [A-Z][^ \n]*)+\s{2,}[^\n]*\bwrite\b)");
  for (const char* verb :
       {"run",           "correlate",      "dram",           "stimuli",         "capture",
        "import nsys",   "import kernels", "import harvest", "import arrivals", "reproduce",
        "energy",        "estimate",       "phases",         "check",           "list",
        "bench",         "stats",          "rtl build",      "rtl check",       "rtl bench",
        "batch run",     "batch plan",     "batch submit",   "batch resume",    "batch status",
        "batch collect", "batch report",   "batch diff",     "batch gc"}) {
    const Outcome help = heddle(std::string(verb) + " --help");
    ASSERT_EQ(help.code, 0) << verb << help.err;
    for (std::sregex_iterator at(help.out.begin(), help.out.end(), option), end; at != end; ++at)
      EXPECT_EQ(known.count((*at)[1]), 1u) << verb << " " << (*at)[0];
  }
}

}  // namespace
}  // namespace heddle::test
