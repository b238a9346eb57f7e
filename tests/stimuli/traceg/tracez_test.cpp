// These tests read the traces that Accel-Sim 2.0 writes: text of tracer version 6, and .tracez files.

#include <gtest/gtest.h>
#include <zstd.h>

#include "models/core/base/random.h"
#include "stimuli/traceg/kernels_list.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::issue_all;
using test::problem_of;
using test::TemporaryFile;
using test::trace_header;

const std::vector<std::string> kVersion6{"binary version = 90", "accelsim tracer version = 6"};
const std::string kExit = "00f0 ffffffff 0 EXIT 0 0 0 NoVal";

using Warp = std::vector<std::string>;  // its lines

struct Block {
  std::string place = "0,0,0";
  std::vector<Warp> warps;
  std::uint32_t rank = 0;
};

std::string text_of(const std::vector<Block>& blocks, const std::vector<std::string>& header = kVersion6) {
  std::string text = trace_header(header);
  for (const Block& block : blocks) {
    text += "#BEGIN_TB\n\nthread block = " + block.place + "\ncluster id = " + block.place;
    text += fmt::format("\ncluster cta = {},0,0\ncluster rank = {}\n", block.rank, block.rank);
    for (std::uint32_t w = 0; w < block.warps.size(); ++w) text += test::trace_warp(w, block.warps[w]);
    text += "#END_TB\n\n";
  }
  return text;
}

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Writes .tracez files as Accel-Sim does, but with the pieces that are wanted.
class Tracez {
 public:
  Tracez(std::size_t piece, std::string dictionary) : piece_(piece), dictionary_(std::move(dictionary)) {}

  std::string of(const std::vector<Block>& blocks, const std::vector<std::string>& header = kVersion6) {
    file_ = trace_header(header) + '\0';
    put(file_, static_cast<std::uint32_t>(dictionary_.size()));
    put(file_, static_cast<std::uint32_t>(piece_));
    file_ += dictionary_;
    index_.clear();
    put(index_, static_cast<std::uint32_t>(blocks.size()));
    for (const Block& block : blocks) add(block);
    const std::uint64_t index_at = file_.size();
    file_ += index_;
    put(file_, index_at);
    return file_;
  }

 private:
  void add(const Block& block) {
    std::istringstream place(block.place);
    for (char comma = 0; !place.eof(); place >> comma) {
      std::uint32_t number = 0;
      place >> number;
      put(index_, number);
    }
    for (int i = 0; i < 3; ++i) put(index_, std::uint32_t{0});  // the cluster
    put(index_, block.rank);
    put(index_, std::uint64_t{0});
    put(index_, block.rank);
    put(index_, static_cast<std::uint32_t>(block.warps.size()));
    for (const Warp& warp : block.warps) add(warp);
  }

  void add(const Warp& warp) {
    const auto lines = static_cast<std::uint32_t>(warp.size());
    const auto pieces = static_cast<std::uint32_t>((warp.size() + piece_ - 1) / piece_);
    put(index_, lines);
    put(index_, pieces);
    put(index_, static_cast<std::uint64_t>(file_.size()));
    put(file_, lines);
    put(file_, pieces);
    for (std::size_t first = 0; first < warp.size(); first += piece_) {
      const std::size_t end = std::min(warp.size(), first + piece_);
      std::string text;
      for (std::size_t i = first; i < end; ++i) text += (i == first ? "" : "\n") + warp[i] + " ";
      const std::string packed = pack(text);
      put(index_, static_cast<std::uint32_t>(end - first));
      put(file_, static_cast<std::uint32_t>(packed.size()));
      file_ += packed;
    }
  }

  std::string pack(const std::string& text) const {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    packed.resize(ZSTD_compress_usingDict(context, packed.data(), packed.size(), text.data(), text.size(),
                                          dictionary_.data(), dictionary_.size(), 3));
    ZSTD_freeCCtx(context);
    return packed;
  }

  std::size_t piece_;
  std::string dictionary_;
  std::string file_;
  std::string index_;
};

// This trace has two blocks of two warps, and each kind of line that tracer version 6 writes.
std::vector<Block> two_blocks() {
  const Warp first{"0000 ffffffff 1 R1 MOV 1 R2 0 0 NoVal",
                   "0010 ffffffff 2 P0 P7 ISETP.GE.AND 3 R1 UR4 P7 0 5 2 NoVal",
                   "0020 0000000f 1 R2 LDG.E 2 R4 UR6 4 1 0x7000 4 0 0 Val 1 7f 1 10 1 20",
                   "0030 ffffffff 0 DEPBAR.LE 0 0 1 0 NoVal", kExit};
  Warp second = first;
  second.insert(second.begin() + 3, "0020 00000003 1 R2 LDG.E 2 R4 UR6 4 0 0x9000 0x8000 0 NoVal");
  return {{"0,0,0", {first, second}}, {"1,0,0", {second, first}}};
}

std::vector<std::string> header_of_two() {
  std::vector<std::string> header = kVersion6;
  header.insert(header.end(), {"grid dim = (2,1,1)", "block dim = (64,1,1)"});
  return header;
}

// Returns what a run sees of all instructions of a file.
std::string seen_in(const std::string& file, const std::string& cache = "") {
  TraceProgram program(file, {}, false, cache);
  std::string seen;
  for (std::uint64_t block = 0; block < program.header().blocks; ++block) {
    BlockStream& stream = program.start(BlockId{block});
    for (std::uint32_t warp = 0; warp < program.header().warps(); ++warp)
      for (const IssuedInstruction& issued : issue_all(stream, warp)) {
        const Instruction& code = *issued.code;
        seen += fmt::format("{} {} {:x} {} {:08x} {} {}", block, warp, code.pc,
                            static_cast<int>(code.operation), issued.mask, code.bytes, code.copy_groups);
        for (const RegisterId id : code.sources()) seen += fmt::format(" r{}", id);
        for (const RegisterId id : code.destinations()) seen += fmt::format(" w{}", id);
        for (std::uint32_t lane = 0; is_memory(code.operation) && lane < kLanes; ++lane)
          if ((issued.mask >> lane & 1U) != 0) seen += fmt::format(" {:x}", issued.addresses[lane]);
        seen += '\n';
      }
    program.finish(stream);
  }
  return seen;
}

TEST(TraceVersion6, NamesUniformRegistersAndPredicates) {
  const TemporaryFile file(
      text_of({{"0,0,0",
                {{"0000 ffffffff 2 P1 UP2 ISETP.GE.AND 5 R1 UR4 P7 UR63 R255 0 5 2 NoVal",
                  "0010 ffffffff 8 R0 R1 R2 R3 R4 R5 R6 R7 HMMA.16816.F32 2 R8 R10 0 0 NoVal", kExit}}}}));
  TraceProgram program(file.path());
  const std::vector<IssuedInstruction> issued = issue_all(program.start(BlockId{0}), 0);
  const Instruction& compare = *issued[0].code;
  EXPECT_EQ(compare.sources(), (std::vector<RegisterId>{1, 256 + 4}));
  EXPECT_EQ(compare.destinations(), (std::vector<RegisterId>{961, 968 + 2}));
  EXPECT_EQ(compare.register_reads, 1);  // of the register file
  EXPECT_EQ(compare.register_writes, 0);
  EXPECT_EQ(issued[1].code->destinations().size(), 8U);
}

TEST(TraceVersion6, TheUniformZeroRegisterOfBlackwellIs255) {
  const TemporaryFile file(text_of({{"0,0,0", {{"0000 ffffffff 0 UMOV 2 UR63 UR255 0 0 NoVal", kExit}}}},
                                   {"binary version = 120", "accelsim tracer version = 6"}));
  TraceProgram program(file.path());
  EXPECT_EQ(program.start(BlockId{0}).peek(0, 0)->sources(), std::vector<RegisterId>{256 + 63});
}

TEST(TraceVersion6, ValuesOfRegistersMakeNoOtherInstruction) {
  Warp lines;
  for (int i = 0; i < 300; ++i)
    lines.push_back(fmt::format("0000 ffffffff 1 R1 MOV 1 R2 0 0 0 Val 1 {:x} 1 {:x}", i, i));
  lines.push_back(kExit);
  const TemporaryFile file(text_of({{"0,0,0", {lines}}}));
  TraceProgram program(file.path());
  const std::vector<IssuedInstruction> issued = issue_all(program.start(BlockId{0}), 0);
  ASSERT_EQ(issued.size(), 301U);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(issued[i].code, issued[0].code);
}

TEST(TraceVersion6, WaitsForTheGroupsOfTheFirstImmediate) {
  const TemporaryFile file(text_of({{"0,0,0", {{"0000 ffffffff 0 DEPBAR.LE 0 0 2 7 NoVal", kExit}}}}));
  const std::string cache = file.folder() + "/cache";
  for (int times = 0; times < 2; ++times) {
    TraceProgram program(file.path(), {}, false, cache);
    EXPECT_EQ(program.is_stored(), times > 0);
    EXPECT_EQ(program.start(BlockId{0}).peek(0, 0)->copy_groups, 3);
  }
}

TEST(TraceVersion6, RefusesClusters) {
  const TemporaryFile file(text_of({{"0,0,0", {{kExit}}, 1}}));
  EXPECT_EQ(problem_of(file.path()),
            file.path() + ":18: kernel 'k' has thread block clusters, of which there is no model");
}

TEST(TraceVersion6, GivesOneErrorForAMalformedLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"0000 ffffffff 1 UR256 MOV 0 0 0 NoVal", "register UR256; the last is UR255"},
      {"0000 ffffffff 1 P8 MOV 0 0 0 NoVal", "register P8; the last is P7"},
      {"0000 ffffffff 1 U1 MOV 0 0 0 NoVal", "expected a register, found 'U1'"},
      {"0000 ffffffff 1 P MOV 0 0 0 NoVal", "expected a register, found 'P'"},
      {"0000 ffffffff 9 R1 MOV 0 0 0 NoVal", "the number of destinations is more than 8"},
      {"0000 ffffffff 1 R1 MOV 0 0 0 Nothing", "expected 'Val' or 'NoVal', found 'Nothing'"},
      {"0000 ffffffff 1 R1 MOV 0 0 0 NoVal 1", "expected the end of the line, found '1'"},
      {"0000 ffffffff 1 R1 MOV 0 0", "expected an immediate, found the end of the line"},
      {"0000 00000001 1 R1 LDG.E 1 R2 4 1 0x70 0 0 Value", "expected 'Val' or 'NoVal', found 'Value'"}};
  for (const auto& [line, problem] : cases) {
    const TemporaryFile file(text_of({{"0,0,0", {{line, kExit}}}}));
    EXPECT_EQ(problem_of(file.path()), file.path() + ":22: " + problem);
  }
}

TEST(TracezFile, GivesWhatTheTextGives) {
  const TemporaryFile text(text_of(two_blocks(), header_of_two()));
  const std::string expected = seen_in(text.path());
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 22);
  for (const std::size_t piece : {1U, 2U, 3U, 2048U})
    for (const std::string& dictionary :
         {std::string(), std::string("0000 ffffffff 1 R1 MOV 1 R2 0 0 NoVal")}) {
      const TemporaryFile file(Tracez(piece, dictionary).of(two_blocks(), header_of_two()), "kernel.tracez");
      const std::string cache = file.folder() + "/cache";
      EXPECT_EQ(seen_in(file.path()), expected);
      EXPECT_EQ(seen_in(file.path(), cache), expected);
      EXPECT_TRUE(TraceProgram(file.path(), {}, false, cache).is_stored());
      EXPECT_EQ(seen_in(file.path(), cache), expected);
    }
}

TEST(TracezFile, MayStandInAKernelsList) {
  const TemporaryFile list("kernel-1.tracez\n", "kernelslist.g");
  list.add("kernel-1.tracez", Tracez(2, "").of(two_blocks(), header_of_two()));
  const std::vector<TraceCommand> commands = read_kernels_list(list.path());
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].file, list.folder() + "/kernel-1.tracez");
}

TEST(TracezFile, IsOneErrorWhereverItIsCutOff) {
  const std::string good = Tracez(2, "dictionary").of(two_blocks(), header_of_two());
  for (std::size_t length = 0; length < good.size(); length += 3) {
    const TemporaryFile file(good.substr(0, length), "kernel.tracez");
    EXPECT_EQ(problem_of(file.path()).rfind(file.path() + ":", 0), 0U) << length;
  }
}

TEST(TracezFile, IsAtMostOneErrorWhereverItIsDamaged) {
  const std::string good = Tracez(2, "dictionary").of(two_blocks(), header_of_two());
  Random random(3);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    const TemporaryFile file(damaged, "kernel.tracez");
    const std::string problem = problem_of(file.path());
    EXPECT_TRUE(problem.empty() || problem.rfind(file.path() + ":", 0) == 0) << at << ' ' << problem;
  }
}

TEST(TracezFile, SaysWhatIsWrong) {
  const auto problem = [](const std::string& content) {
    const TemporaryFile file(content, "kernel.tracez");
    return problem_of(file.path()).substr(file.path().size());
  };
  const std::string good = Tracez(2, "").of(two_blocks(), header_of_two());
  EXPECT_EQ(problem("text"), ":1: not .tracez data: no zero byte ends the header");
  std::string far = good;
  far[far.size() - 1] = 1;  // the offset of the index
  EXPECT_EQ(problem(far), ":1: the .tracez data ends too early");
  std::string wide = good;
  wide[wide.find('\0') + 4] = 127;  // the bytes of the dictionary, 2 GiB
  EXPECT_EQ(problem(wide), ":1: a dictionary of more than 16 MiB");
  std::string other = good;
  ++other[other.find('\0') + 9];  // the instructions of the first warp
  EXPECT_EQ(problem(other), ":19: the .tracez data is damaged: its index differs from a warp");
}

}  // namespace
}  // namespace heddle
