#include "tests/support/launch_rig.h"
#include "tests/support/paths.h"
#include "tests/support/problems.h"

#include <gmock/gmock.h>

#include <cstring>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = ApiCall::Kind;

// The launch file of vector_add, parts of which a test may replace. The first call of the program is on line
// 7, column 5.
struct Text {
  std::string parameters = "{n: 1000}";
  std::string buffers =
      "{a: {type: f32, count: n, uniform: [0, 1]}, b: {type: f32, count: n, linear: [0, 1]}, c: {type: f32, "
      "count: n}}";
  std::string more;
  std::string program =
      "  - {launch: vector_add, grid: \"ceil(n, 256)\", block: 256, arguments: [a, b, c, n]}\n";

  std::string text() const {
    return "launch: l\ndescription: d\nptx: ../kernels/vector_add.ptx\nparameters: " + parameters +
           "\nbuffers: " + buffers + "\nprogram:\n" + program + more;
  }
};

std::vector<std::string> problems(const std::string& text) {
  return test::problems_of([&] { read_launch(text); });
}

std::vector<std::string> problems_of_call(const std::string& call) {
  Text text;
  text.program = "  - " + call + "\n" + text.program;
  return problems(text.text());
}

std::vector<Kind> kinds(const LaunchFile& file) {
  std::vector<Kind> all;
  for (const ApiCall& call : file.program.calls) all.push_back(call.kind);
  return all;
}

ptx::Launch first_launch(const LaunchFile& file) {
  const std::function<Number(BufferWord)> none;
  return make_launch(*file.plan, file.plan->steps.at(0), {file.plan->initial, none},
                     [](std::uint32_t buffer) { return 0x1000 * (Address{buffer} + 1); });
}

template <typename T>
T at(const ptx::Launch& launch, std::size_t offset) {
  T value;
  std::memcpy(&value, launch.parameters.data() + offset, sizeof value);
  return value;
}

TEST(LaunchReader, SurroundsTheProgramWithWhatItNeeds) {
  Text text;
  text.more = "check: {reference: vector_add}\n";
  const LaunchFile file = read_launch(text.text());
  EXPECT_THAT(kinds(file),
              ElementsAre(Kind::kAllocate, Kind::kAllocate, Kind::kAllocate, Kind::kAllocate, Kind::kCopyUp,
                          Kind::kCopyUp, Kind::kCopyUp, Kind::kLaunch, Kind::kSynchronise, Kind::kCopyDown,
                          Kind::kFree, Kind::kFree, Kind::kFree, Kind::kFree));
  EXPECT_EQ(file.program.buffers[0].name, "vector_add.ptx");
  EXPECT_EQ(file.program.calls[9].buffer, 3U);
  EXPECT_EQ(file.program.calls[9].bytes, 4000U);
  ASSERT_EQ(file.program.kernels.size(), 1U);
  EXPECT_EQ(file.program.kernels[0].name, "vector_add");
  EXPECT_EQ(file.program.kernels[0].blocks, 4U);
  EXPECT_EQ(file.program.kernels[0].shape.threads, 256U);
}

TEST(LaunchReader, MakesLaunchesOfExpressions) {
  const ptx::Launch launch = first_launch(read_launch(Text().text()));
  EXPECT_EQ(launch.grid.x, 4U);
  EXPECT_EQ(launch.grid.y, 1U);
  EXPECT_EQ(launch.block.count(), 256U);
  EXPECT_EQ(at<std::uint64_t>(launch, 0), 0x1000U);
  EXPECT_EQ(at<std::uint64_t>(launch, 16), 0x3000U);
  EXPECT_EQ(at<std::uint32_t>(launch, 24), 1000U);
}

TEST(LaunchReader, LaunchesHaveTheClustersThatTheyState) {
  Text text;
  text.program =
      "  - {launch: vector_add, grid: \"ceil(n, 256)\", block: 256, cluster: [n / 500, 1], arguments: [a, b, "
      "c, "
      "n]}\n";
  const LaunchFile file = read_launch(text.text());
  ASSERT_TRUE(first_launch(file).cluster.has_value());
  EXPECT_EQ(first_launch(file).cluster->count(), 2U);
  EXPECT_EQ(file.program.kernels[0].shape.cluster, 2U);
  EXPECT_FALSE(first_launch(read_launch(Text().text())).cluster.has_value());
}

TEST(LaunchReader, TakesListsWithCommasInParentheses) {
  Text text;
  text.program =
      "  - launch: vector_add\n    grid: [ceil(n, 256), min(2, 3), 5]\n    block: [64, max(1, 2)]\n"
      "    arguments: [a, {buffer: b, offset: 8 * 2}, c, min(n, 7)]\n";
  const ptx::Launch launch = first_launch(read_launch(text.text()));
  EXPECT_EQ(launch.grid.count(), 4U * 2U * 5U);
  EXPECT_EQ(launch.block.y, 2U);
  EXPECT_EQ(at<std::uint64_t>(launch, 8), 0x2010U);
  EXPECT_EQ(at<std::uint32_t>(launch, 24), 7U);
}

TEST(LaunchReader, TakesArgumentsByName) {
  Text text;
  text.program =
      "  - {launch: vector_add, grid: 1, block: 32, arguments: {vector_add_param_3: -1, "
      "vector_add_param_2: a, vector_add_param_1: b, vector_add_param_0: c}}\n";
  const ptx::Launch launch = first_launch(read_launch(text.text()));
  EXPECT_EQ(at<std::uint64_t>(launch, 0), 0x3000U);
  EXPECT_EQ(at<std::uint64_t>(launch, 16), 0x1000U);
  EXPECT_EQ(at<std::int32_t>(launch, 24), -1);
}

TEST(LaunchReader, LaysOutStructuresAndGuessesWhatBitsAre) {
  const PtxFolder folder(
      ".visible .entry k(.param .align 8 .b8 s[24], .param .b32 x, .param .b32 y, .param .f64 z, .param "
      ".align 4 .b8 t[4]) { ret; }\n");
  const LaunchFile file = read_launch(
      "launch: l\nptx: k.ptx\nbuffers: {a: {type: u8, count: 4}}\nprogram:\n"
      "  - launch: k\n    grid: 1\n    block: 1\n"
      "    arguments: [[{u8: 7}, {f32: 0.5}, {buffer: a}, {i16: -2}], 3, 1.5, 2, {bytes: 0a0B0c0d}]\n",
      folder.path());
  const ptx::Launch launch = first_launch(file);
  EXPECT_EQ(at<std::uint8_t>(launch, 0), 7);
  EXPECT_EQ(at<float>(launch, 4), 0.5F);
  EXPECT_EQ(at<std::uint64_t>(launch, 8), 0x1000U);
  EXPECT_EQ(at<std::int16_t>(launch, 16), -2);
  EXPECT_EQ(at<std::uint32_t>(launch, 24), 3U);
  EXPECT_EQ(at<float>(launch, 28), 1.5F);
  EXPECT_EQ(at<double>(launch, 32), 2.0);
  EXPECT_EQ(at<std::uint32_t>(launch, 40), 0x0d0c0b0aU);
}

TEST(LaunchReader, BindsTexturesByNameAndByHandle) {
  const PtxFolder folder(".global .texref image;\n.visible .entry k(.param .u64 t) { ret; }\n");
  const LaunchFile file = read_launch(
      "launch: l\nptx: k.ptx\nbuffers: {a: {type: u8, count: 64}}\n"
      "textures:\n  image: {buffer: a, width: 4, height: 2, channels: 4, filter: linear, address: wrap}\n"
      "program:\n  - {launch: k, grid: 1, block: 1, arguments: [{texture: image}]}\n",
      folder.path());
  const ptx::Launch launch = first_launch(file);
  ASSERT_EQ(launch.textures.size(), 1U);
  const ptx::Texture& image = launch.textures.begin()->second;
  EXPECT_EQ(image.address, 0x1000U);
  EXPECT_EQ(image.pitch, 16U);
  EXPECT_EQ(image.height, 2U);
  EXPECT_TRUE(image.linear_filter);
  EXPECT_EQ(image.channel, ptx::Texture::Channel::kUnsigned);
  ASSERT_EQ(launch.handles->count(at<std::uint64_t>(launch, 0)), 1U);
}

TEST(LaunchReader, CopiesToVariablesOfTheModule) {
  const PtxFolder folder(
      ".const .align 8 .b8 before[24];\n.const .align 4 .f32 table[4];\n"
      ".visible .entry k() { ret; }\n");
  const LaunchFile file = read_launch(
      "launch: l\nptx: k.ptx\nbuffers: {t: {type: f32, count: 3, zero: true}}\n"
      "program:\n  - {copy_up: t, to: table}\n  - {launch: k, grid: 1, block: 1}\n",
      folder.path());
  const ApiCall& copy = file.program.calls.at(2);
  EXPECT_EQ(copy.kind, Kind::kCopyUp);
  EXPECT_EQ(copy.buffer, 0U);
  EXPECT_EQ(copy.offset, 24U);
  EXPECT_EQ(copy.bytes, 12U);
  EXPECT_EQ(copy.other, 1U);
  EXPECT_FALSE(file.plan->buffers[0].used);  // the device does not use it
}

TEST(LaunchReader, LeavesOutWhatIsRepeatedZeroTimes) {
  Text text;
  text.program +=
      "  - {repeat: n - 1000, body: [{swap: [a, b]}]}\n  - {repeat: n % 7, body: [{swap: [a, b]}]}\n";
  const LaunchFile file = read_launch(text.text());
  EXPECT_EQ(std::count_if(file.program.calls.begin(), file.program.calls.end(),
                          [](const ApiCall& call) { return call.kind == Kind::kSwap; }),
            1);
}

TEST(LaunchReader, DoesNotRefuseWhatIsNeverLaunched) {
  Text text;
  text.program +=
      "  - {repeat: n - 1000, body: [{launch: vector_add, grid: n - 1000, block: 1, arguments: [a, b, c, "
      "n]}]}\n";
  EXPECT_NO_THROW(read_launch(text.text()));
  text.parameters = "{n: 1001}";
  EXPECT_NO_THROW(read_launch(text.text()));
}

TEST(LaunchReader, NamesTheFilesItNeeds) {
  const LaunchFile file = read_launch(Text().text());
  ASSERT_EQ(file.files.size(), 1U);
  EXPECT_EQ(file.files[0].key, "ptx");
  EXPECT_THAT(file.files[0].path, testing::EndsWith("stimuli/kernels/vector_add.ptx"));
}

TEST(LaunchReader, ReportsEveryProblemAtItsPlace) {
  Text text;
  text.parameters = "{n: 1000, m: n / 0, 1x: 2}";
  text.more = "colour: red\n";
  EXPECT_THAT(problems(text.text()),
              ElementsAre("l.yaml:4:26: parameters.m: 'n / 0': division by zero",
                          "l.yaml:4:37: parameters.1x: a name is letters, digits and '_', no digit first",
                          "l.yaml:8:1: colour: unknown key"));
}

TEST(LaunchReader, ReportsAllProblemsOfThePtx) {
  const PtxFolder folder(".visible .entry k() {\n  frob.u32 %r1;\n  bar.what 0;\n  ret;\n}\n");
  try {
    read_launch("launch: l\nptx: k.ptx\nprogram: [{launch: k, grid: 1, block: 1}]\n", folder.path());
    FAIL() << "it was read";
  } catch (const config::Error& error) {
    ASSERT_GE(error.problems().size(), 2U);
    EXPECT_THAT(error.problems()[0], HasSubstr("k.ptx:5:3: "));
    EXPECT_THAT(error.problems()[1], HasSubstr("k.ptx:6:"));
  }
}

TEST(LaunchReader, PutsNumbersIntoTheNamesOfEntries) {
  const PtxFolder folder(".visible .entry k_8() { ret; }\n.visible .entry k_16() { ret; }\n");
  const LaunchFile file = read_launch(
      "launch: l\nptx: k.ptx\nparameters: {n: 4}\nprogram: [{launch: \"k_{4 * n}\", grid: 1, block: 1}]\n",
      folder.path());
  EXPECT_EQ(file.program.kernels.at(0).name, "k_16");
}

// A kernel that holds four words across a barrier.
constexpr const char* kHolding =
    ".visible .entry k(.param .u64 p) {\n  .reg .b32 %r<5>;\n  .reg .b64 %d<2>;\n  ld.param.u64 %d1, [p];\n"
    "  ld.global.u32 %r1, [%d1];\n  ld.global.u32 %r2, [%d1+4];\n  ld.global.u32 %r3, [%d1+8];\n"
    "  ld.global.u32 %r4, [%d1+12];\n  bar.sync 0;\n  st.global.u32 [%d1+4], %r1;\n"
    "  st.global.u32 [%d1+8], %r2;\n  st.global.u32 [%d1+12], %r3;\n  st.global.u32 [%d1], %r4;\n  ret;\n}\n";

std::string holding(const std::string& keys) {
  return "launch: l\nptx: k.ptx\nparameters: {n: 5}\n" + keys +
         "buffers: {a: {type: u32, count: 4}}\nprogram: [{launch: k, grid: 1, block: 1, arguments: [a]}]\n";
}

std::size_t statements(const LaunchFile& file) {
  return ptx::image_of(*file.plan->codes.at(0)).module->functions.at(0).code.size();
}

TEST(LaunchReader, SpillsWhatTheMostRegistersOfTheFileCannotHold) {
  const PtxFolder folder(kHolding);
  const std::size_t all = statements(read_launch(holding(""), folder.path()));
  EXPECT_EQ(statements(read_launch(holding("most_registers: 16\n"), folder.path())), all);
  const LaunchFile spilled = read_launch(holding("most_registers: n\n"), folder.path());
  EXPECT_GT(statements(spilled), all);
  EXPECT_EQ(spilled.program.kernels.at(0).shape.registers_per_thread, 5U);
}

TEST(LaunchReader, RefusesFewerRegistersThanAnyCodeNeeds) {
  const PtxFolder folder(kHolding);
  EXPECT_THAT(
      test::problems_of([&] { read_launch(holding("most_registers: n - 4\n"), folder.path()); }),
      ElementsAre(testing::MatchesRegex("l.yaml:4:17: most_registers: 'k' needs at least [2-5] registers")));
}

struct BadPart {
  const char* part;  // the part that `by` replaces
  const char* by;
  std::string problem;  // the first problem
};

class LaunchReaderRefuses : public testing::TestWithParam<BadPart> {};

TEST_P(LaunchReaderRefuses, WithOneMessage) {
  std::string text = Text().text();
  const std::size_t found = text.find(GetParam().part);
  ASSERT_NE(found, std::string::npos);
  text.replace(found, std::string(GetParam().part).size(), GetParam().by);
  const std::vector<std::string> all = problems(text);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), GetParam().problem);
}

const BadPart kBadParts[] = {
    {"launch: l\n", "launch: a/b\n",
     "l.yaml:1:9: launch: a name is up to 64 letters, digits, '-', '_' or '.', the last not first"},
    {"vector_add.ptx", "vector_ad.ptx",
     "l.yaml:3:6: ptx: there is no file '" + heddle::test::source_directory() +
         "/stimuli/kernels/vector_ad.ptx'"},
    {"launch: vector_add", "launch: vector_sub",
     "l.yaml:7:14: program[0].launch: no entry 'vector_sub'; did you mean 'vector_add'?"},
    {"launch: vector_add", "launch: 'vector_{n'",
     "l.yaml:7:14: program[0].launch: 'vector_{n': there is no '}' behind the '{'"},
    {"launch: vector_add", "launch: 'vector_{a[0]}'",
     "l.yaml:7:14: program[0].launch: 'a[0]': it must not depend on variables or buffers"},
    {"parameters:", "most_registers: 256\nparameters:",
     "l.yaml:4:17: most_registers: 256 is out of range; 1 .. 255"},
    {"c, n]", "c]",
     "l.yaml:7:71: program[0].arguments: 'vector_add' takes 4 arguments, it has 3: vector_add_param_0 (u64), "
     "vector_add_param_1 (u64), vector_add_param_2 (u64), vector_add_param_3 (u32)"},
    {"c, n]", "n, c]",
     "l.yaml:7:71: program[0].arguments: 'vector_add_param_3' (u32) cannot hold the address of 'c'"},
    {"c, n]", "c, m]", "l.yaml:7:71: program[0].arguments: 'm': there is no 'm' here"},
    {"c, n]", "c, 0.5]", "l.yaml:7:14: program[0].launch: argument '0.5': 0.5 is not whole; a u32 is wanted"},
    {"c, n]", "c, 4294967296]",
     "l.yaml:7:14: program[0].launch: argument '4294967296': 4294967296 does not fit a u32"},
    {"\"ceil(n, 256)\"", "n - 1001",
     "l.yaml:7:14: program[0].launch: grid: 'n - 1001': -1 is out of range; 0 .. 4294967295"},
    {"block: 256", "block: 256, cluster: 3",
     "l.yaml:7:14: program[0].launch: a grid of (4, 1, 1) blocks, which is no multiple of clusters of (3, 1, "
     "1) "
     "blocks"},
    {"\"ceil(n, 256)\"", "[1, 2, 3, 4]",
     "l.yaml:7:32: program[0].grid: 1 to 3 dimensions are wanted, it has 4"},
    {"block: 256", "blok: 256", "l.yaml:7:5: program[0].block: missing key"},
    {"type: f32", "type: f23",
     "l.yaml:5:21: buffers.a.type: 'f23' is not one of u8, i8, u16, i16, u32, i32, u64, i64, f32, f64; did "
     "you mean 'f32'?"},
    {"count: n", "count: 0", "l.yaml:5:33: buffers.a.count: 0 is out of range; 1 .. 4294967296"},
    {"uniform: [0, 1]", "uniform: [0, 1, 2]",
     "l.yaml:5:45: buffers.a.uniform: 2 numbers are wanted, it has 3"},
    {"uniform: [0, 1]", "uniform: [1, 0]", "l.yaml:5:45: buffers.a.uniform: 0 is less than 1"},
    {"uniform: [0, 1]", "zero: true, constant: 1",
     "l.yaml:5:11: buffers.a: it has more than one generator: zero, constant"},
    {"uniform: [0, 1]", "seed: 1", "l.yaml:5:42: buffers.a.seed: it has no generator"},
    {"uniform: [0, 1]", "first_of: b", "l.yaml:5:46: buffers.a.first_of: no buffer above 'b'"},
    {"uniform: [0, 1]", "file: ../kernels/vector_add.cu",
     "l.yaml:5:42: buffers.a.file: the file has 514 bytes, the buffer 4000"},
    {"uniform: [0, 1]", "values: [1, 2]", "l.yaml:5:44: buffers.a.values: 1000 numbers are wanted, it has 2"},
    {"uniform: [0, 1]", "diagonally_dominant: 10",
     "l.yaml:5:57: buffers.a.diagonally_dominant: a matrix of 10 x 10 has 100 elements, the buffer 1000"},
    {"{a: {type: f32, count: n, uniform: [0, 1]}", "{n: {type: f32, count: n, uniform: [0, 1]}",
     "l.yaml:5:11: buffers.n: 'n' has a meaning already"},
    {"{a: {type: f32, count: n, uniform: [0, 1]}", "{a: {of: graph.columns}",
     "l.yaml:5:19: buffers.a.of: no structure has 'graph.columns'; known: "},
};

const BadPart kBadStructures[] = {
    {"buffers:",
     "structures: {t: {search_tree: {records: 9, order: 4, entries: 5, queries: 1, span: 1}}}\nbuffers:",
     "l.yaml:5:18: structures.t.search_tree: 'entries' is larger than 'order'"},
    {"buffers:",
     "structures: {t: {search_tree: {records: 9, order: 4, entries: 4, queries: 1, span: 10}}}\nbuffers:",
     "l.yaml:5:18: structures.t.search_tree: 'span' is larger than 'records'"},
    {"buffers:",
     "structures: {t: {search_tree: {records: 9000000, order: 4, entries: 2, queries: 1, span: "
     "1}}}\nbuffers:",
     "l.yaml:5:18: structures.t.search_tree: its nodes may have more than 16777216 words"},
    {"buffers:", "structures: {t: {key_tree: {keys: 9, order: 33, queries: 1, step: 1}}}\nbuffers:",
     "l.yaml:5:18: structures.t.key_tree: 'order' is larger than 32"},
    {"buffers:", "structures: {t: {key_tree: {keys: 9000000, order: 3, queries: 1, step: 1}}}\nbuffers:",
     "l.yaml:5:18: structures.t.key_tree: its nodes have more than 16777216 words"},
    {"buffers:", "structures: {t: {tetrahedra: {x: 100, y: 100, z: 24}}}\nbuffers:",
     "l.yaml:5:18: structures.t.tetrahedra: more than 1398101 elements"},
    {"buffers:", "structures: {t: {tetrahedra: {x: 10000000, y: 10000000, z: 10000000}}}\nbuffers:",
     "l.yaml:5:18: structures.t.tetrahedra: more than 1398101 elements"},
    {"buffers:", "structures: {t: {tetrahedra: {x: 1, y: 1, z: 0}}}\nbuffers:",
     "l.yaml:5:46: structures.t.tetrahedra.z: 0 is out of range; 1 .. 16777216"},
};

INSTANTIATE_TEST_SUITE_P(Structures, LaunchReaderRefuses, testing::ValuesIn(kBadStructures));
INSTANTIATE_TEST_SUITE_P(Parts, LaunchReaderRefuses, testing::ValuesIn(kBadParts));

struct BadCall {
  const char* call;
  const char* problem;  // the first problem
};

class LaunchReaderRefusesCalls : public testing::TestWithParam<BadCall> {};

TEST_P(LaunchReaderRefusesCalls, WithOneMessage) {
  const std::vector<std::string> all = problems_of_call(GetParam().call);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), GetParam().problem);
}

const BadCall kBadCalls[] = {
    {"{jump: 1}",
     "l.yaml:7:5: program[0]: no such call; known: launch, set, repeat, until, swap, copy_up, copy_down, "
     "copy_across, fill, cpu, record, wait, synchronise"},
    {"{set: 'a[0] == 1'}", "l.yaml:7:11: program[0].set: 'a[0] == 1' is not of the form NAME = VALUE"},
    {"{set: 'a[1000] = 1'}", "l.yaml:7:11: program[0].set: 'a[1000]': 1000 is out of range; 0 .. 999"},
    {"{set: x = 1}", "l.yaml:7:11: program[0].set: no variable 'x'"},
    {"{repeat: -1, body: []}", "l.yaml:7:14: program[0].repeat: -1 is out of range; 0 .. 1000000000"},
    {"{repeat: 'a[0]', body: []}",
     "l.yaml:7:14: program[0].repeat: 'a[0]': it must not depend on variables or buffers"},
    {"{swap: [a]}", "l.yaml:7:12: program[0].swap: two buffers are wanted, it has 1"},
    {"{swap: [a, cc]}", "l.yaml:7:12: program[0].swap: no buffer 'cc'"},
    {"{copy_up: a, to: table}", "l.yaml:7:22: program[0].to: no variable of the module 'table'"},
    {"{fill: a, with: 256}", "l.yaml:7:21: program[0].with: 256 is out of range; 0 .. 255"},
    {"{wait: never}", "l.yaml:7:12: program[0].wait: event 'never' is never recorded"},
    {"{cpu: 5}",
     "l.yaml:7:11: program[0].cpu: needs a time such as 1.5us; '5' has no unit (known: ps, ns, us, ms, s)"},
};

INSTANTIATE_TEST_SUITE_P(Calls, LaunchReaderRefusesCalls, testing::ValuesIn(kBadCalls));

TEST(LaunchReader, RefusesProgramsThatLaunchNothing) {
  Text text;
  text.program = "  - swap: [a, b]\n";
  EXPECT_THAT(problems(text.text()), ElementsAre("l.yaml:7:3: program: it launches nothing"));
}

TEST(LaunchReader, RefusesChecksOfWhatIsNotThere) {
  Text text;
  text.more = "check: {reference: vector_ad}\n";
  EXPECT_THAT(problems(text.text()).at(0),
              HasSubstr("check.reference: there is no reference 'vector_ad'; known: "));
  text.more = "check: {reference: triad, expected: {a: {zero: true}}}\n";
  EXPECT_THAT(problems(text.text()).at(0),
              HasSubstr("l.yaml:8:1: check: a check has either a 'reference' or what is 'expected'"));
  text.more = "check: {expected: {d: {zero: true}}}\n";
  EXPECT_THAT(problems(text.text()).at(0), HasSubstr("check.expected.d: no buffer 'd'"));
  text.more = "check: {expected: {c: {tolerance: 0.5}}}\n";
  EXPECT_THAT(problems(text.text()).at(0), HasSubstr("check.expected.c: nothing says what it should hold"));
  text.more = "check: {reference: histogram}\n";
  EXPECT_THAT(problems(text.text()).at(0),
              HasSubstr("check.reference: there is no buffer 'counts' to check"));
}

}  // namespace
}  // namespace heddle
