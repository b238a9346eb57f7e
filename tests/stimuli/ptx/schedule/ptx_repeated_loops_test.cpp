// Loops that are repeated: which ones are, and that every thread runs the same turns.

#include "stimuli/ptx/schedule/repeated_loops.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/core/base/random.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

// Returns how often the multiplications of a loop's body stand in the code. The loop runs `turns` turns.
std::size_t bodies(const std::string& body, const std::string& turns = "%r1", const std::string& pragma = "",
                   const std::string& test = "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, ") {
  const Module module =
      parse(kernel_text("ld.global.u32 %r1, [%rd1]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0;\n" +
                        ("LOOP: " + pragma + "mul.lo.u32 %r4, %r3, %r2;\n") + body + test + turns +
                        "; @%p1 bra LOOP; st.global.u32 [%rd0], %r4;"));
  const Function made = with_repeated_loops(module.functions[0]);
  return static_cast<std::size_t>(std::count_if(made.code.begin(), made.code.end(),
                                                [](const Statement& s) { return s.opcode == Opcode::kMul; }));
}

TEST(PtxRepeatedLoops, CountedLoopsAreRepeated) {
  EXPECT_EQ(bodies(""), 5u);
  EXPECT_EQ(bodies("", "64"), 5u);
  EXPECT_EQ(bodies("st.global.u32 [%rd0+4], %r4;"), 5u);
  EXPECT_EQ(bodies("", "%r2"), 5u);  // lanes run different turns
}

TEST(PtxRepeatedLoops, InequalityHasTwoBodiesBehindTheLoop) {
  EXPECT_EQ(bodies("", "0", "", "add.s32 %r3, %r3, -1; setp.ne.s32 %p1, %r3, "), 7u);
}

TEST(PtxRepeatedLoops, OthersAreNot) {
  EXPECT_EQ(bodies("", "%r1", ".pragma \"nounroll\";\n"), 1u);
  EXPECT_EQ(bodies("add.u32 %r1, %r1, %r4;"), 1u);                 // the bound changes
  EXPECT_EQ(bodies("@%p2 add.s32 %r3, %r3, 2;"), 1u);              // the step differs
  EXPECT_EQ(bodies("", "%r1", "", "setp.lt.s32 %p1, %r4, "), 1u);  // a comparison of no counter
  EXPECT_EQ(bodies("", "%r1", "", "add.s32 %r3, %r3, -1; setp.lt.s32 %p1, %r3, "), 1u);  // it falls
  EXPECT_EQ(bodies("div.rn.f32 %f1, %f1, %f2;"), 1u);
  EXPECT_EQ(bodies("mov.u32 %r5, %clock;"), 1u);
  std::string much;
  for (int i = 0; i < 20; ++i) much += "fma.rn.f32 %f1, %f1, %f2, %f1; ";
  EXPECT_EQ(bodies(much + "add.f32 %f2, %f1, %f2;"), 1u);
}

TEST(PtxRepeatedLoops, WhereLanesDependOnEachOtherAllRunTheSameTurns) {
  for (const char* const body :
       {"shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;", "red.global.add.u32 [%rd0+8], %r4;", "bar.sync 0;",
        "vote.sync.any.pred %p2, %p3, -1;"}) {
    EXPECT_EQ(bodies(body, "64"), 5u) << body;
    EXPECT_EQ(bodies(body, "%r2"), 1u) << body;
  }
}

struct RandomLoop {
  explicit RandomLoop(std::uint64_t seed) : random(seed) {}

  std::uint64_t below(std::uint64_t end) { return random.below(end); }
  std::string r() { return fmt::format("%r{}", 10 + below(5)); }
  std::string statement() {
    switch (below(8)) {
      case 0:
        return fmt::format("st.global.u32 [%rd2+{}], {};\n", 4 * below(4), r());
      case 1:
        return fmt::format("ld.global.u32 {}, [%rd3+{}];\n", r(), 4 * below(4));
      case 2:
        return fmt::format("add.u32 {0}, {0}, {1};\n", r(), below(9));
      case 3:
        return fmt::format("setp.lt.u32 %p2, {}, {}; @%p2 add.u32 {}, {}, 3;\n", r(), r(), r(), r());
      case 4:
        return fmt::format("mad.lo.u32 {}, {}, {}, %r3;\n", r(), r(), r());
      case 5:
        return fmt::format("mov.u32 {}, {};\n", r(), r());
      default:
        return fmt::format("add.u32 {}, {}, {};\n", r(), r(), r());
    }
  }
  std::string statements() {
    std::string text;
    for (std::uint64_t i = below(4); i > 0; --i) text += statement();
    return text;
  }

  // The counter %r3 goes from %r1 to %r2, of which one depends on the lane in most loops.
  std::string text() {
    const bool rises = below(2) == 0;
    const std::uint64_t step = 1 + below(5);
    const bool inequality = below(3) == 0;
    const bool is_signed = below(2) == 0;
    const std::string sign = rises ? "" : "-";
    std::string text = "mul.wide.u32 %rd2, %r0, 64; add.s64 %rd2, %rd0, %rd2; mov.u64 %rd3, %rd2;\n";
    for (int i = 10; i < 15; ++i) text += fmt::format("add.u32 %r{}, %r0, {};\n", i, below(50));
    const std::string turns = below(4) == 0 ? std::to_string(1 + below(14)) : fmt::format("%r{}", 4);
    text += fmt::format("add.u32 %r4, %r0, {}; and.b32 %r4, %r4, 15; add.u32 %r4, %r4, 1;\n", below(16));
    text += fmt::format("mov.u32 %r1, {}; mul.lo.u32 %r5, {}, {}; {}.u32 %r2, %r1, %r5;\n", start(is_signed),
                        turns, step, rises ? "add" : "sub");
    if (!inequality && below(6) == 0)  // the bound is behind the counter at once
      text += fmt::format("mov.u32 %r2, {};\n", is_signed ? (rises ? -2000000000 : 2000000000)
                                                : rises   ? 5
                                                          : -5);
    text += "mov.u32 %r3, %r1;\nLOOP:\n" + statements() +
            fmt::format("add.s32 %r3, %r3, {}{};\n", sign, step) + statements();
    const bool reversed = below(2) == 0;
    const bool negated = below(2) == 0;
    const char* const less = inequality ? "ne" : below(2) == 0 ? "lt" : "le";
    std::string comparison = less;
    if (!inequality && rises == reversed) comparison = comparison == "lt" ? "gt" : "ge";
    if (negated) comparison = inverse(comparison);
    text += fmt::format("setp.{}.{} %p1, {};\n", comparison, is_signed ? "s32" : "u32",
                        reversed ? "%r2, %r3" : "%r3, %r2") +
            statements() + (negated ? "@!%p1" : "@%p1") + " bra LOOP;\n";
    for (int i = 10; i < 15; ++i) text += fmt::format("st.global.u32 [%rd2+{}], %r{};\n", 4 * i - 20, i);
    return text + "st.global.u32 [%rd2+60], %r3;\n";
  }
  std::int64_t start(bool is_signed) {
    const std::int64_t middle = is_signed ? 0 : std::int64_t{1} << 31U;
    return below(2) == 0 ? middle : middle + static_cast<std::int64_t>(below(1000)) - 500;
  }
  static std::string inverse(const std::string& comparison) {
    if (comparison == "ne") return "eq";
    if (comparison == "lt") return "ge";
    if (comparison == "le") return "gt";
    return comparison == "gt" ? "le" : "lt";
  }

  Random random;
};

TEST(PtxRepeatedLoops, RandomLoopsLeaveTheSameMemory) {
  std::uint64_t repeated = 0;
  for (std::uint64_t seed = 0; seed < cases(1500); ++seed) {
    const std::string text = kernel_text(RandomLoop(seed).text());
    const Module module = parse(text);
    repeated +=
        with_repeated_loops(module.functions[0]).code.size() > module.functions[0].code.size() ? 1 : 0;
    std::vector<std::vector<std::uint32_t>> left;
    for (const CodeSchedule schedule : {CodeSchedule::kNone, CodeSchedule::kPtxasLike90}) {
      PtxRun run(text);
      run.options.form.schedule = schedule;
      const Address out = run.buffer(std::vector<std::uint32_t>(32 * 16, 7), "out");
      run.buffer(std::vector<std::uint32_t>{1}, "in");
      ASSERT_EQ(run.failure(), "") << text;
      left.push_back(run.read<std::uint32_t>(out, 32 * 16));
    }
    ASSERT_EQ(left[0], left[1]) << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(repeated, cases(1500) / 2);
}

}  // namespace
}  // namespace heddle::ptx
