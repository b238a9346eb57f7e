// Accesses outside of allocations, which hardware lets pass where the page has an allocation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

struct Lenient {
  explicit Lenient(const std::string& body, std::size_t words = 64) : run(kernel_text(body)) {
    run.block.x = 1;
    buffer = run.buffer(std::vector<std::uint32_t>(words, 7), "words");
    run.pass(std::uint64_t{0});
  }
  void execute() {
    Launch launch = run.launch();
    launch.strays = &strays;
    run_functionally(*make_program(launch, run.memory()), 1, shape_of(launch));
  }
  std::uint32_t word(std::size_t at) { return run.read<std::uint32_t>(buffer, at + 1)[at]; }

  PtxRun run;
  Address buffer = 0;
  StrayAccesses strays;
};

TEST(PtxStrayAccesses, ReadZerosAndWhatWasWrittenThere) {
  Lenient lenient(
      "ld.global.u32 %r1, [%rd0+260]; st.global.u32 [%rd0], %r1; st.global.u32 [%rd0+264], 5;"
      "atom.global.add.u32 %r2, [%rd0+264], 3; ld.global.u32 %r3, [%rd0+264];"
      "st.global.u32 [%rd0+4], %r2; st.global.u32 [%rd0+8], %r3;");
  lenient.execute();
  EXPECT_EQ(lenient.word(0), 0u);
  EXPECT_EQ(lenient.word(1), 5u);
  EXPECT_EQ(lenient.word(2), 8u);
  EXPECT_EQ(lenient.word(3), 7u);
  EXPECT_EQ(lenient.strays.count, 4u);
  EXPECT_THAT(lenient.strays.first, HasSubstr("lies 4 bytes behind the end of 'words'"));
}

// Half of the lane's bytes are allocated.
TEST(PtxStrayAccesses, ReachBothSidesOfAnEnd) {
  Lenient lenient(
      "ld.global.v2.u32 {%r1, %r2}, [%rd0+256]; st.global.u32 [%rd0], %r1; st.global.u32 [%rd0+4], %r2;"
      "st.global.v2.u32 [%rd0+256], {1, 2}; ld.global.u32 %r3, [%rd0+260]; st.global.u32 [%rd0+8], %r3;",
      65);
  lenient.execute();
  EXPECT_EQ(lenient.word(0), 7u);
  EXPECT_EQ(lenient.word(1), 0u);
  EXPECT_EQ(lenient.word(2), 2u);
  EXPECT_EQ(lenient.word(64), 1u);
  EXPECT_EQ(lenient.strays.count, 3u);
}

TEST(PtxStrayAccesses, OfPagesWithoutAnAllocationAreFaults) {
  Lenient beyond("ld.global.u32 %r1, [%rd0+0x200000]; st.global.u32 [%rd0], %r1;");
  EXPECT_THROW(beyond.execute(), Fault);
  Lenient before("ld.global.u32 %r1, [%rd0+-0x200000]; st.global.u32 [%rd0], %r1;");
  EXPECT_THROW(before.execute(), Fault);
  Lenient last("ld.global.u32 %r1, [%rd0+0x1fe000]; st.global.u32 [%rd0], %r1;");
  EXPECT_NO_THROW(last.execute());
}

TEST(PtxStrayAccesses, ThatAreMisalignedAreFaults) {
  Lenient lenient("ld.global.u32 %r1, [%rd0+262]; st.global.u32 [%rd0], %r1;");
  EXPECT_THROW(lenient.execute(), Fault);
}

TEST(PtxStrayAccesses, AreFaultsUnlessTheyAreAllowed) {
  Lenient lenient("ld.global.u32 %r1, [%rd0+260]; st.global.u32 [%rd0], %r1;");
  EXPECT_THAT(lenient.run.failure(), HasSubstr("lies 4 bytes behind the end of 'words'"));
}

}  // namespace
}  // namespace heddle::ptx
