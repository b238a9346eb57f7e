// Traces in the user's cache: what a program makes of their stored form is what it makes of their text.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "stimuli/traceg/stored_form.h"
#include "tests/stimuli/traceg/random_trace.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_size.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::files_below;
using test::RandomTrace;
using test::run_trace;
using test::TemporaryFile;
using test::trace_block;
using test::trace_header;
using test::trace_warp;

const std::string kTraces = heddle::test::source_directory() + "/stimuli/traces/";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Returns all that a run could see of an instruction.
std::string text_of(const IssuedInstruction& issued) {
  const Instruction& code = *issued.code;
  std::string text =
      fmt::format("{:x} {} {} {} {} {} {} {} {:08x} {} {}", code.pc, static_cast<int>(code.operation),
                  static_cast<int>(code.space), code.bytes, code.bypass_l1, code.asynchronous,
                  code.copy_groups, code.phase, issued.mask, issued.redirected, issued.ended);
  for (const RegisterId id : code.sources()) text += fmt::format(" r{}", id);
  for (const RegisterId id : code.destinations()) text += fmt::format(" w{}", id);
  for (std::uint32_t lane = 0; is_memory(code.operation) && lane < kLanes; ++lane)
    if ((issued.mask >> lane & 1U) != 0) text += fmt::format(" {:x}", issued.addresses[lane]);
  return text + "\n";
}

// Runs the blocks in this order, several at a time, and returns the text of each.
std::vector<std::string> texts_of(TraceProgram& program, const std::vector<std::uint64_t>& order) {
  std::vector<std::string> texts(order.size());
  std::vector<BlockStream*> streams;
  for (const std::uint64_t block : order) streams.push_back(&program.start(BlockId{block}));
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::uint32_t warp = 0; warp < program.header().warps(); ++warp) {
      texts[order[i]] += fmt::format("warp {}\n", warp);
      for (const IssuedInstruction& issued : test::issue_all(*streams[i], warp))
        texts[order[i]] += text_of(issued);
    }
    program.finish(*streams[i]);
  }
  return texts;
}

std::vector<std::uint64_t> in_order(std::uint64_t blocks) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t block = 0; block < blocks; ++block) order.push_back(block);
  return order;
}

std::vector<std::string> texts_of(const std::string& file, const std::string& cache = "") {
  TraceProgram program(file, {}, false, cache);
  return texts_of(program, in_order(program.header().blocks));
}

bool is_stored(const std::string& file, const std::string& cache) {
  return TraceProgram(file, {}, false, cache).is_stored();
}

TEST(StoredTrace, HasBothSidesOfCopiesAndTheRowsOfMatrices) {
  const TemporaryFile file(test::trace_of(
      {"0000 0000000f 0 LDGSTS.E.BYPASS.128 2 R5 R2 16 1 0x400 16 0",
       "0000 0000000f 0 LDGSTS.E.BYPASS.128 2 R5 R2 16 1 0x7fc841500000 16 0",
       "0010 ffffffff 0 LDGDEPBAR 0 0 0", "0020 ffffffff 0 DEPBAR.LE 0 0 3",
       "0030 ffffffff 2 R4 R5 LDSM.16.M88.2 1 R2 2 1 0x100 16 0", "0040 ffffffff 0 EXIT 0 0 0"},
      {"binary version = 90", "accelsim tracer version = 5"}));
  const std::string cache = file.folder() + "/cache";
  const std::vector<std::string> expected = texts_of(file.path());
  EXPECT_EQ(texts_of(file.path(), cache), expected);
  EXPECT_TRUE(is_stored(file.path(), cache));
  EXPECT_EQ(texts_of(file.path(), cache), expected);
}

TEST(StoredTrace, GivesWhatTheTextGives) {
  const std::uint64_t traces = full_size() ? 3000 : 150;
  std::uint64_t phases_found = 0;
  for (std::uint64_t seed = 0; seed < traces; ++seed) {
    RandomTrace trace(seed);
    const TemporaryFile file(trace.text());
    const std::string cache = file.folder() + "/cache";
    Random random(seed);
    const bool with_phases = random.below(2) == 0;
    std::vector<std::uint64_t> order = in_order(trace.blocks());
    TraceProgram text(file.path(), {}, with_phases, "", true);
    const std::vector<std::string> expected = texts_of(text, order);
    const std::vector<std::uint64_t> limits{0, 300, 2000, std::uint64_t{1} << 24U};
    for (int times = 0; times < 3; ++times) {
      SCOPED_TRACE(fmt::format("seed {} time {}", seed, times));
      TraceProgram program(file.path(),
                           {limits[random.below(limits.size())], limits[random.below(limits.size())]},
                           with_phases, cache, true);
      // To find the phases of a trace of one block is to read all of it.
      if (times > 0 || !with_phases) {
        EXPECT_EQ(program.is_stored(), times > 0);
      }
      EXPECT_EQ(texts_of(program, order), expected);
      EXPECT_EQ(program.phases().size(), text.phases().size());
      random.shuffle(order);
    }
    phases_found += text.phases().size() > 1;
  }
  EXPECT_GT(phases_found, traces / 20);
}

TEST(StoredTrace, AreOthersWithPhasesThanWithout) {
  const TemporaryFile file(RandomTrace(1).text());
  const std::string cache = file.folder() + "/cache";
  for (const bool with_phases : {false, true, false, true}) {
    TraceProgram text(file.path(), {}, with_phases);
    TraceProgram program(file.path(), {}, with_phases, cache);
    const std::vector<std::uint64_t> order = in_order(text.header().blocks);
    EXPECT_EQ(texts_of(program, order), texts_of(text, order));
  }
}

TEST(StoredTrace, ABlockThatWasDroppedStartsOver) {
  const TemporaryFile file(RandomTrace(3).text());
  const std::string cache = file.folder() + "/cache";
  const std::vector<std::string> expected = texts_of(file.path(), cache);
  TraceProgram program(file.path(), {}, false, cache);
  ASSERT_TRUE(program.is_stored());
  const BlockId last{program.header().blocks - 1};
  for (int times = 0; times < 2; ++times) {
    BlockStream& stream = program.start(last);
    IssuedInstruction issued;
    stream.issue(0, issued);
    program.drop(stream, last);
  }
  EXPECT_EQ(texts_of(program, in_order(last.value + 1)), expected);
}

TEST(StoredTrace, ADamagedEntryIsIgnoredAndWrittenAnew) {
  const TemporaryFile file(RandomTrace(5).text());
  const std::string cache = file.folder() + "/cache";
  const std::vector<std::string> expected = texts_of(file.path(), cache);
  ASSERT_EQ(files_below(cache).size(), 1U);
  const std::string entry = files_below(cache).front();
  const std::string whole = content_of(entry);
  Random random(1);
  std::vector<std::string> damaged{"", whole + '\0', std::string(whole.size(), '\0')};
  for (std::size_t i = 0; i < 60; ++i) {
    damaged.push_back(whole.substr(0, i < 30 ? 8 * i : random.below(whole.size())));
    damaged.push_back(whole);
    char& byte = damaged.back()[i < 30 ? 6 * i : random.below(whole.size())];
    byte = static_cast<char>(byte ^ 1 << random.below(8));
  }
  for (const std::string& content : damaged) {
    write(entry, content);
    ASSERT_FALSE(is_stored(file.path(), cache)) << content.size();
    EXPECT_EQ(texts_of(file.path(), cache), expected);
    EXPECT_EQ(content_of(entry), whole);
    ASSERT_TRUE(is_stored(file.path(), cache));
  }
}

// The program that stored the code read "LDG" as another kind of instruction.
TEST(StoredTrace, CodeThatThisProgramReadsInAnotherWayIsIgnored) {
  const TemporaryFile file(
      test::trace_of({"0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4", "0010 ffffffff 0 EXIT 0 0"}));
  const std::string cache = file.folder() + "/cache";
  run_trace(file.path(), {}, cache);
  const std::string entry = files_below(cache).front();
  const std::string whole = content_of(entry);
  for (const std::string other : {"FDG", "BRA"}) {
    std::string changed = whole;
    StoredHeader header;
    std::memcpy(static_cast<void*>(&header), changed.data(), sizeof header);
    std::vector<char> code(header.code.bytes);
    ASSERT_TRUE(Unpacker().unpack(header.code, changed.data() + header.code.offset, code.data()));
    std::string text(code.begin(), code.end());
    ASSERT_NE(text.find("LDG"), std::string::npos);
    text.replace(text.find("LDG"), 3, other);
    const std::size_t pieces = sizeof header + sizeof(StoredPiece) * header.blocks;
    changed = changed.substr(0, header.code.offset) + text;
    header.code.packed = header.code.bytes;
    header.file_bytes = changed.size();
    header.pieces_hash = hash_of_bytes(changed.data() + pieces, changed.size() - pieces);
    header.header_hash = header_hash_of(header);
    std::memcpy(changed.data(), &header, sizeof header);
    write(entry, changed);
    EXPECT_FALSE(is_stored(file.path(), cache)) << other;
    run_trace(file.path(), {}, cache);
    EXPECT_EQ(content_of(entry), whole);
  }
}

TEST(StoredTrace, AChangedTraceIsReadAnew) {
  std::string text = RandomTrace(8).text();
  const TemporaryFile file(text);
  const std::string cache = file.folder() + "/cache";
  texts_of(file.path(), cache);
  const auto time = std::filesystem::last_write_time(file.path());
  const std::size_t exit = text.find("1000 ffffffff 0 EXIT");
  ASSERT_NE(exit, std::string::npos);
  text[exit] = '2';
  file.add("kernel.traceg", text);
  std::filesystem::last_write_time(file.path(), time);
  EXPECT_FALSE(is_stored(file.path(), cache));
  EXPECT_EQ(texts_of(file.path(), cache), texts_of(file.path()));
  EXPECT_TRUE(is_stored(file.path(), cache));
  EXPECT_EQ(files_below(cache).size(), 2U);
}

TEST(StoredTrace, ATraceThatChangesWhileItIsReadIsNotStored) {
  std::vector<std::string> instructions(5000, "0000 ffffffff 1 R1 MOV 0 0");
  instructions.emplace_back("0010 ffffffff 0 EXIT 0 0");
  std::string text = trace_header({"grid dim = (8,1,1)"});
  for (int block = 0; block < 8; ++block)
    text += trace_block(fmt::format("{},0,0", block), {trace_warp(0, instructions)});
  const TemporaryFile file(text);
  const std::string cache = file.folder() + "/cache";
  TraceProgram program(file.path(), {}, false, cache);
  text.replace(text.rfind("MOV"), 3, "NOP");
  file.add("kernel.traceg", text);
  texts_of(program, in_order(8));
  EXPECT_TRUE(files_below(cache).empty());
}

TEST(StoredTrace, NothingIsWrittenWithoutACache) {
  const TemporaryFile file(RandomTrace(9).text());
  texts_of(file.path());
  EXPECT_EQ(files_below(file.folder()), std::vector<std::string>{file.path()});
}

TEST(StoredTrace, ACacheThatCannotBeWrittenIsNoError) {
  const TemporaryFile file(RandomTrace(9).text());
  EXPECT_EQ(texts_of(file.path(), file.path()), texts_of(file.path()));  // a file in place of a folder
  EXPECT_EQ(texts_of(file.path(), "/proc/no/such"), texts_of(file.path()));
}

TEST(StoredTrace, APipeIsNotStored) {
  const TemporaryFile file(RandomTrace(9).text());
  const std::string cache = file.folder() + "/cache";
  std::FILE* pipe = popen(("cat " + file.path()).c_str(), "r");
  EXPECT_EQ(texts_of(fmt::format("/proc/self/fd/{}", fileno(pipe)), cache), texts_of(file.path()));
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_TRUE(files_below(cache).empty());
}

TEST(StoredTrace, AnInterruptedReadingLeavesNothing) {
  const std::string file = kTraces + "vecadd4k/kernel-1.traceg.xz";
  const TemporaryFile place("");
  const std::string cache = place.folder() + "/cache";
  {
    TraceProgram program(file, {}, false, cache);
    for (std::uint64_t block = 0; block < 15; ++block) program.finish(program.start(BlockId{block}));
  }
  EXPECT_TRUE(files_below(cache).empty());
  TraceProgram program(file, {}, false, cache);
  for (std::uint64_t block = 0; block < 15; ++block) program.start(BlockId{block});
  EXPECT_TRUE(files_below(cache).empty());
  program.start(BlockId{15});
  EXPECT_EQ(files_below(cache).size(), 1U);
}

// A process that is killed cannot remove a file.
TEST(StoredTrace, AReaderThatIsKilledLeavesNothing) {
  const TemporaryFile place("");
  const std::string cache = place.folder() + "/cache";
  const pid_t child = fork();
  if (child == 0) {
    TraceProgram program(kTraces + "triad1m/kernel-1.traceg.xz", {}, false, cache);
    for (std::uint64_t block = 0; block < 110; ++block) program.start(BlockId{block});
    std::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(files_below(cache).empty());
}

TEST(StoredTrace, TwoWritersAtOnceAreBothRight) {
  const TemporaryFile file(RandomTrace(11).text());
  const std::string cache = file.folder() + "/cache";
  const std::vector<std::string> expected = texts_of(file.path());
  TraceProgram one(file.path(), {}, false, cache);
  TraceProgram two(file.path(), {}, false, cache);
  const std::vector<std::uint64_t> order = in_order(expected.size());
  EXPECT_EQ(texts_of(one, order), expected);
  EXPECT_EQ(texts_of(two, order), expected);
  EXPECT_EQ(files_below(cache).size(), 1U);
  EXPECT_TRUE(is_stored(file.path(), cache));
  EXPECT_EQ(texts_of(file.path(), cache), expected);
}

TEST(StoredTrace, ProcessesThatReadAndWriteAtOnceAreAllRight) {
  const TemporaryFile file(RandomTrace(12).text());
  const std::string cache = file.folder() + "/cache";
  const std::vector<std::string> expected = texts_of(file.path());
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    bool is_right = true;
    for (int times = 0; times < 20; ++times) {
      is_right = is_right && texts_of(file.path(), cache) == expected;
      std::error_code ignored;
      if (times % 5 == i) std::filesystem::remove_all(cache + "/traces", ignored);
    }
    _exit(is_right ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(texts_of(file.path(), cache), expected);
  EXPECT_EQ(files_below(cache).size(), 1U);
}

// A reader has the old file open while another one takes its place.
TEST(StoredTrace, AnEntryThatIsReplacedStaysReadable) {
  const TemporaryFile file(RandomTrace(13).text());
  const std::string cache = file.folder() + "/cache";
  const std::vector<std::string> expected = texts_of(file.path(), cache);
  TraceProgram reader(file.path(), {}, false, cache);
  ASSERT_TRUE(reader.is_stored());
  std::filesystem::remove_all(cache);
  texts_of(file.path(), cache);
  EXPECT_EQ(texts_of(reader, in_order(expected.size())), expected);
}

TEST(StoredTrace, OfTheSamplesIsAtMostTwiceTheirCompressedText) {
  for (const char* name : {"fma32", "triad1m"}) {
    const std::string file = kTraces + name + "/kernel-1.traceg.xz";
    const TemporaryFile place("");
    const std::string cache = place.folder() + "/cache";
    const std::uint64_t count = run_trace(file, {}, cache);
    ASSERT_EQ(files_below(cache).size(), 1U);
    EXPECT_LT(std::filesystem::file_size(files_below(cache).front()), 2 * std::filesystem::file_size(file))
        << name;
    ASSERT_TRUE(is_stored(file, cache));
    EXPECT_EQ(run_trace(file, {}, cache), count);
  }
}

// Returns the most memory that this process has had, in KiB.
long most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(TraceMemory, StaysFlatOverAMillionBlocksInTheCache) {
  const std::uint64_t blocks = full_size() ? 1000000 : 60000;
  const TemporaryFile file("");
  const std::string cache = file.folder() + "/cache";
  {
    std::ofstream out(file.path());
    out << trace_header({fmt::format("grid dim = ({},1,1)", blocks)});
    for (std::uint64_t block = 0; block < blocks; ++block)
      out << trace_block(fmt::format("{},0,0", block),
                         {trace_warp(0, {fmt::format("0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x{:x} 4",
                                                     0x1000 + block * 7919 % 1000003 * 128),
                                         "0010 ffffffff 0 EXIT 0 0"})});
  }
  for (const bool is_stored : {false, true}) {
    TraceProgram program(file.path(), {}, false, cache);
    ASSERT_EQ(program.is_stored(), is_stored);
    long early = 0;
    for (std::uint64_t block = 0; block < blocks; ++block) {
      BlockStream& stream = program.start(BlockId{block});
      test::issue_all(stream, 0);
      program.finish(stream);
      if (block == blocks / 10) early = most_memory();
    }
    if (!test::kSanitized) {
      EXPECT_LT(most_memory(), early + 2000) << is_stored;
    }
  }
}

}  // namespace
}  // namespace heddle
