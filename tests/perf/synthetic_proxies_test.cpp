// Synthetic streams allocate nothing once as many blocks have run as are resident at the same time.

#include <gtest/gtest.h>

#include "tests/support/allocation_counter.h"
#include "tests/support/synthetic.h"

namespace heddle {
namespace {

void run_block(KernelProgram& program, std::uint64_t block, std::uint32_t warps, IssuedInstruction& issued) {
  BlockStream& stream = program.start(BlockId{block});
  for (std::uint32_t warp = 0; warp < warps; ++warp)
    while (stream.peek(warp, 0) != nullptr) stream.issue(warp, issued);
  program.finish(stream);
}

TEST(SyntheticProxies, NothingIsAllocatedAfterTheFirstBlock) {
  test::KernelText text;
  text.code =
      "[{loop: {least: 2, most: 5, of: lanes}, body: [{load: global, pattern: random, region: 64KiB, lines: "
      "7},"
      "{if: 0.4, then: [{atomic: global, pattern: scatter, region: 4KiB}], else: [{op: sfu}]}]},"
      "{loop: 3, body: [{load: shared, conflicts: 3}, {store: global, pattern: stream, region: 1MiB}]}]";
  text.threads = 96;
  text.shared = "2KiB";
  const auto program = test::program_of(text);
  IssuedInstruction issued;
  run_block(*program, 0, 3, issued);
  test::arm_allocation_counter();
  for (std::uint64_t block = 1; block < 50; ++block) run_block(*program, block, 3, issued);
  EXPECT_EQ(test::disarm_allocation_counter(), 0U);
}

}  // namespace
}  // namespace heddle
