// Branches that guards replace.

#include "stimuli/ptx/schedule/predicated_branches.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

struct Counts {
  std::ptrdiff_t branches = 0;
  std::ptrdiff_t guards = 0;  // of other statements
};

bool operator==(const Counts& a, const Counts& b) {
  return a.branches == b.branches && a.guards == b.guards;
}
void PrintTo(const Counts& counts, std::ostream* stream) {
  *stream << counts.branches << " branches, " << counts.guards << " guards";
}

Counts counts_of(const std::string& body) {
  const Module module = parse(kernel_text("ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, %r0;\n" + body +
                                          "st.global.u32 [%rd0], %r2; add.u32 %r3, %r2, 1;"
                                          "st.global.u32 [%rd0+4], %r3;"));
  const Function made = with_predicated_branches(module.functions[0]);
  Counts counts;
  for (const Statement& s : made.code) {
    if (s.opcode == Opcode::kBra)
      ++counts.branches;
    else if (s.guarded())
      ++counts.guards;
  }
  return counts;
}

TEST(PtxPredicatedBranches, AFewStatementsHaveGuards) {
  EXPECT_EQ(counts_of("@%p1 bra A; add.u32 %r2, %r2, 1; st.global.u32 [%rd0+8], %r2; A: "), (Counts{0, 2}));
}

TEST(PtxPredicatedBranches, WhatIsNotReadBehindThemHasNoGuard) {
  EXPECT_EQ(counts_of("@%p1 bra A; add.u32 %r5, %r1, 1; st.global.u32 [%rd0+8], %r5; A: "), (Counts{0, 1}));
}

TEST(PtxPredicatedBranches, BothSidesHaveGuards) {
  EXPECT_EQ(counts_of("@%p1 bra A; add.u32 %r2, %r2, 1; bra B; A: add.u32 %r2, %r2, 2; B: "), (Counts{0, 2}));
}

TEST(PtxPredicatedBranches, NestsLoseTheirBranchesFromTheInside) {
  EXPECT_EQ(counts_of("@%p1 bra A; setp.eq.u32 %p2, %r1, 4; @%p2 bra B; add.u32 %r2, %r2, 1; B: "
                      "st.global.u32 [%rd0+8], %r1; A: "),
            (Counts{1, 1}));
}

TEST(PtxPredicatedBranches, JumpsGoAway) {
  EXPECT_EQ(counts_of("bra A; A: "), (Counts{0, 0}));
  EXPECT_EQ(counts_of("@!%p1 bra B; bra A; A: add.u32 %r2, %r2, 1; B: "), (Counts{0, 1}));
}

TEST(PtxPredicatedBranches, OtherBranchesStay) {
  std::string much;
  for (int i = 0; i < 6; ++i) much += "add.u32 %r2, %r2, %r1; ";
  EXPECT_EQ(counts_of("@%p1 bra A; " + much + "A: "), (Counts{1, 0}));
  for (const char* const text : {"bar.sync 0;", "red.global.add.u32 [%rd0+8], 1;", "setp.eq.u32 %p1, %r1, 3;",
                                 "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;", "div.rn.f32 %f1, %f1, %f2;",
                                 "add.cc.u32 %r2, %r2, 1;", "@%p2 add.u32 %r2, %r2, 1;"})
    EXPECT_EQ(counts_of(fmt::format("@%p1 bra A; {} A: ", text)).branches, 1) << text;
  // Another branch leads into the part.
  EXPECT_EQ(counts_of("setp.eq.u32 %p2, %r1, 3; @%p2 bra B; mov.u32 %r2, %clock; @%p1 bra A; B: "
                      "add.u32 %r2, %r2, 1; A: ")
                .branches,
            2);
}

TEST(PtxPredicatedBranches, ThreadsThatLeaveBranch) {
  const Module module =
      parse(kernel_text("setp.eq.u32 %p1, %r0, 3; @%p1 bra END; st.global.u32 [%rd0], %r0;\n"
                        "END: "));
  EXPECT_EQ(with_predicated_branches(module.functions[0]).code.size(), module.functions[0].code.size());
}

}  // namespace
}  // namespace heddle::ptx
