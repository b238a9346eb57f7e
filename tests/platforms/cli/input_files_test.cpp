// A directory, a device or a FIFO in place of any input is refused at once, with its name.

#include <sys/stat.h>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

struct Input {
  std::string name;
  std::string file;                    // the input that is replaced
  std::vector<std::string> arguments;  // of the program
};

std::ostream& operator<<(std::ostream& out, const Input& input) {
  return out << input.name;
}

const std::vector<Input> kInputs{
    {"experiment", "in.yaml", {"run", "./in.yaml"}},
    {"checked", "in.yaml", {"check", "./in.yaml"}},
    {"platform", "in.yaml", {"run", "small.yaml", "--platform", "in.yaml"}},
    {"application", "in.yaml", {"run", "small.yaml", "--set", "applications=[./in.yaml, other.yaml]"}},
    {"launch_file", "in.yaml", {"run", "./in.yaml", "--functional"}},
    {"ptx_of_a_launch_file", "twice.ptx", {"run", "doubled.yaml", "--functional"}},
    {"data_of_a_launch_file", "words.bin", {"run", "doubled.yaml", "--functional"}},
    {"kernels_list", "in.g", {"run", "./in.g", "--platform", "gtx480"}},
    {"trace", "kernel-1.traceg", {"run", "list.g", "--platform", "gtx480"}},
    {"captured_program", "in.hcap", {"run", "in.hcap", "--platform", "k20"}},
    {"program_to_capture", "program", {"capture", "-o", "a.hcap", "--", "./program"}},
    {"ptx_for_phases", "in.ptx", {"phases", "./in.ptx"}},
    {"requests", "in.txt", {"dram", "in.txt", "--platform", "gtx480"}},
    {"estimate", "in.yaml", {"estimate", "./in.yaml"}},
    {"campaign", "in.yaml", {"batch", "plan", "./in.yaml"}},
    {"points", "kept/points.json", {"batch", "collect", "kept"}},
    {"database", "in.sqlite", {"batch", "diff", "in.sqlite", "in.sqlite"}},
    {"paper", "in.yaml", {"reproduce", "./in.yaml"}},
};

class InputFile : public CliTest, public testing::WithParamInterface<Input> {
 protected:
  InputFile() {
    write_small();
    fs::create_directory(directory_ / "kept");
    write("list.g", "kernel-1.traceg\n");
    write("doubled.yaml",
          "launch: doubled\ndescription: each word twice\nptx: twice.ptx\n"
          "buffers: {words: {type: u32, count: 64, file: words.bin}}\n"
          "program:\n  - launch: twice\n    grid: [1]\n    block: [64]\n    arguments: [words, 64]\n");
    write("twice.ptx",
          ".version 7.8\n.target sm_35\n.address_size 64\n"
          ".visible .entry twice(.param .u64 words, .param .u32 n) {\n  ret;\n}\n");
    write("words.bin", std::string(256, 'w'));
  }
};

TEST_P(InputFile, IsNoDirectoryNoDeviceAndNoFifo) {
  const Input& input = GetParam();
  const fs::path file = directory_ / input.file;
  for (const char* kind : {"a directory", "a device", "a FIFO"}) {
    fs::remove_all(file);
    if (std::string(kind) == "a directory" && input.name == "database") continue;  // it is that of a campaign
    if (kind == std::string("a directory"))
      fs::create_directory(file);
    else if (kind == std::string("a device"))
      fs::create_symlink("/dev/zero", file);
    else
      ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    const Outcome outcome = execute(input.arguments);
    EXPECT_EQ(outcome.code, 2) << kind << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(fs::path(input.file).filename().string()), std::string::npos)
        << kind << ": " << outcome.err;
    const bool is_told =
        outcome.err.find(kind) != std::string::npos || outcome.err.find("there is no") != std::string::npos;
    EXPECT_TRUE(is_told) << kind << ": " << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(, InputFile, testing::ValuesIn(kInputs),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace heddle::test
