// Scheduled code computes what the order of the text computes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_program.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

TEST(PtxRunSchedule, RandomProgramsDoTheSame) {
  for (std::uint64_t seed = 0; seed < cases(600); ++seed) {
    Random random(seed);
    const std::string text = text_of(random_program(random));
    PtxRun plain(text);
    PtxRun scheduled(text);
    scheduled.options.form.schedule = seed % 2 == 0 ? CodeSchedule::kPtxasLike : CodeSchedule::kPtxasLike90;
    scheduled.options.with_phases = seed % 4 == 0;
    ASSERT_EQ(scheduled.failure(), plain.failure()) << text;
    ASSERT_EQ(scheduled.read<std::uint32_t>(scheduled.address_of("log"), 32),
              plain.read<std::uint32_t>(plain.address_of("log"), 32))
        << "seed " << seed << "\n"
        << text;
  }
}

// Makes straight code of random statements on registers, shared memory and device memory. All addresses lie
// in few words, so that most accesses meet others.
class RandomBlock {
 public:
  explicit RandomBlock(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string text =
        "mul.wide.u32 %rd2, %r0, 128; add.s64 %rd2, %rd0, %rd2; mov.u64 %rd3, %rd2; mov.u64 %rd4, %rd2;\n"
        "shl.b32 %r20, %r0, 7; mov.u32 %r21, tile; add.u32 %r20, %r21, %r20; mov.u32 %r21, %r20;\n";
    for (int i = 1; i < kRegisters; ++i) text += fmt::format("mov.u32 %r{}, {};\n", i, below(1000));
    text += "setp.lt.u32 %p1, %r0, 9; setp.gt.u32 %p2, %r0, 4;\n";
    for (std::uint64_t i = 10 + below(60); i > 0; --i) text += guard() + statement() + "\n";
    for (int i = 1; i < kRegisters; ++i)
      text += fmt::format("st.global.u32 [%rd2+{}], %r{};\n", 60 + 4 * i, i);
    return text;
  }

 private:
  static constexpr int kRegisters = 8;

  std::uint64_t below(std::uint64_t end) { return random_.below(end); }
  std::string r() { return fmt::format("%r{}", 1 + below(kRegisters - 1)); }
  std::string guard() { return below(4) == 0 ? below(2) == 0 ? "@%p1 " : "@!%p2 " : ""; }
  std::string global() { return fmt::format("[%rd{}+{}]", 2 + below(3), 4 * (2 + below(8))); }
  std::string shared() { return fmt::format("[%r{}+{}]", 20 + below(2), 4 * (2 + below(8))); }

  std::string statement() {
    switch (below(18)) {
      case 0:
        return fmt::format("st.global.u32 {}, {};", global(), r());
      case 1:
        return fmt::format("st.shared.u32 {}, {};", shared(), r());
      case 2:
      case 3:
        return fmt::format("ld.global.u32 {}, {};", r(), global());
      case 4:
        return fmt::format("ld.shared.u32 {}, {};", r(), shared());
      case 5:
        return fmt::format("add.s64 %rd{}, %rd{}, {};", 3 + below(2), 2 + below(3), 4 * below(3)) + limit();
      case 6:
        return fmt::format("add.u32 %r21, %r20, {};", 4 * below(4));
      case 7:
        return fmt::format("mov.u64 %rd{}, %rd{};", 3 + below(2), 2 + below(3));
      case 8:
        return fmt::format("add.cc.u32 {}, {}, {};", r(), r(), r());
      case 9:
        return fmt::format("addc.u32 {}, {}, {};", r(), r(), r());
      case 10:
        return fmt::format("setp.lt.u32 %p{}, {}, {};", 1 + below(2), r(), r());
      case 11:
        return fmt::format("mov.u32 {}, {};", r(), r());
      case 12:
        return fmt::format("atom.global.add.u32 {}, {}, {};", r(), global(), r());
      case 13:
        return fmt::format("mov.u32 {}, {};", r(), below(100));
      case 14:
        return fmt::format("cvt.u64.u32 %rd6, {}; cvt.u32.u64 {}, %rd6;", r(), r());
      default:
        return fmt::format("{}.u32 {}, {}, {};", below(2) == 0 ? "mul.lo" : "add", r(), r(), r());
    }
  }
  // Returns statements that keep %rd3 and %rd4 within the words of the thread.
  std::string limit() { return " min.u64 %rd3, %rd3, %rd5; min.u64 %rd4, %rd4, %rd5;"; }

  Random random_;
};

TEST(PtxRunSchedule, RandomBlocksLeaveTheSameMemory) {
  for (std::uint64_t seed = 0; seed < cases(2000); ++seed) {
    const std::string body =
        "mul.wide.u32 %rd5, %r0, 128; add.s64 %rd5, %rd0, %rd5; add.s64 %rd5, %rd5, 16;\n" +
        RandomBlock(seed).text();
    const std::string text = kernel_text(body, ".shared .align 4 .b8 tile[4224];");
    std::vector<std::vector<std::uint32_t>> left;
    for (const CodeSchedule schedule :
         {CodeSchedule::kNone, CodeSchedule::kPtxasLike, CodeSchedule::kPtxasLike90}) {
      PtxRun run(text);
      run.options.form.schedule = schedule;
      std::vector<std::uint32_t> values(32 * 32);
      for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761U;
      const Address out = run.buffer(values, "out");
      run.buffer(values, "in");
      ASSERT_EQ(run.failure(), "") << text;
      left.push_back(run.read<std::uint32_t>(out, values.size()));
    }
    ASSERT_EQ(left[0], left[1]) << "seed " << seed << "\n" << text;
    ASSERT_EQ(left[0], left[2]) << "seed " << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace heddle::ptx
