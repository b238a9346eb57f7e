// The loops in which lanes may wait for other lanes of their warp.

#include <gtest/gtest.h>

#include <algorithm>

#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/schedule/waiting_loops.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

// Returns the lines of the body, from 1 on, with branches back to where lanes wait.
std::vector<std::uint32_t> lines_of(const std::string& body) {
  const std::string text = kernel_text("\n" + body);
  const Module module = parse_module(text, "t.ptx");
  const auto before = static_cast<std::uint32_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(body)), '\n'));
  const Function& function = module.functions.back();
  const std::vector<bool> branches = waiting_branches(function);
  std::vector<std::uint32_t> lines;
  for (std::size_t i = 0; i < branches.size(); ++i)
    if (branches[i]) lines.push_back(function.code[i].line - before);
  return lines;
}

using Lines = std::vector<std::uint32_t>;

TEST(PtxWaitingLoops, EndByWhatAnAtomicReturns) {
  EXPECT_EQ(lines_of("L: atom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;"),
            Lines{3});
  // by a branch out of the loop
  EXPECT_EQ(lines_of("L: atom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\n"
                     "bra L;\nE: ret;"),
            Lines{4});
  // by a flag that is set where the atomic says so
  EXPECT_EQ(lines_of("mov.u32 %r2, 0;\nL: atom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
                     "@%p1 bra N;\nmov.u32 %r2, 1;\natom.global.exch.b32 %r3, [%rd0], 0;\n"
                     "N: setp.eq.u32 %p2, %r2, 0;\n@%p2 bra L;"),
            Lines{8});
}

TEST(PtxWaitingLoops, EndByAVolatileOrAcquiringLoadOfAnAddressOfEachLane) {
  const std::string address = "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd0;\n";
  for (const char* load :
       {"ld.volatile.global.u32", "ld.acquire.gpu.global.u32", "ld.relaxed.gpu.global.u32"})
    EXPECT_EQ(lines_of(address + "L: " + std::string(load) +
                       " %r1, [%rd4];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;"),
              Lines{4})
        << load;
  EXPECT_EQ(lines_of(address + "L: ld.global.u32 %r1, [%rd4];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;"),
            Lines{});
}

// All lanes of a warp leave at once.
TEST(PtxWaitingLoops, DoNotEndForAllLanesAtOnce) {
  EXPECT_EQ(lines_of("L: ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;"),
            Lines{});
}

// Atomics alone make no such loop: a histogram counts as often as its index says.
TEST(PtxWaitingLoops, AreNoLoopsOverAnIndex) {
  EXPECT_EQ(
      lines_of("mov.u32 %r1, %r0;\nL: atom.global.add.u32 %r2, [%rd0], 1;\nst.global.u32 [%rd0+4], %r2;\n"
               "add.u32 %r1, %r1, 32;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra L;"),
      Lines{});
  // The index starts with what an atomic outside of the loop returned.
  EXPECT_EQ(lines_of("atom.global.add.u32 %r1, [%rd0], 1;\nL: st.global.u32 [%rd0+4], %r1;\n"
                     "add.u32 %r1, %r1, 32;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra L;"),
            Lines{});
}

}  // namespace
}  // namespace heddle::ptx
