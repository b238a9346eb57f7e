// Random synthetic kernels. Every kernel that the reader accepts runs to its end within its declared
// registers and memory.

#include <gtest/gtest.h>

#include <algorithm>

#include "stimuli/synthetic/access_reader.h"
#include "tests/support/random_code.h"
#include "tests/support/synthetic.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

constexpr std::uint64_t kRegionBytes = 64 << 10;

void check_issue(const IssuedInstruction& issued, const test::KernelText& text) {
  const Instruction& code = *issued.code;
  const auto in_budget = [&](RegisterId id) { return id < text.registers || id >= kFirstPredicate; };
  ASSERT_TRUE(std::all_of(code.sources().begin(), code.sources().end(), in_budget));
  ASSERT_TRUE(std::all_of(code.destinations().begin(), code.destinations().end(), in_budget));
  if (!is_memory(code.operation)) return;
  for (const Address address : test::addresses_of(issued)) {
    if (code.space == MemorySpace::kShared) {
      ASSERT_LE(address + code.bytes, 2048U);
    } else {
      // Regions follow one another, each at a multiple of 2 MiB.
      ASSERT_GE(address, VirtualSpace::kBase);
      ASSERT_LE(address % VirtualSpace::kAlignment + code.bytes, kRegionBytes);
    }
  }
}

// Expects that every lane ends once, and that instructions follow one another as peek() announces.
void run_warp(BlockStream& stream, std::uint32_t warp, const SyntheticCode& code,
              const test::KernelText& text) {
  IssuedInstruction issued;
  std::uint32_t ended = 0;
  std::uint64_t count = 0;
  for (; stream.peek(warp, 0) != nullptr; ++count) {
    const Instruction* next = stream.peek(warp, 0);
    const Instruction* straight = stream.peek(warp, 1);
    stream.issue(warp, issued);
    ASSERT_EQ(issued.code, next);
    ASSERT_NE(issued.mask, 0U);
    ASSERT_EQ(issued.mask & ended, 0U);
    check_issue(issued, text);
    if (testing::Test::HasFatalFailure()) return;
    if (next->operation == Operation::kExit) ended |= issued.mask;
    if (stream.peek(warp, 0) != nullptr) {
      ASSERT_EQ(issued.redirected, stream.peek(warp, 0) != straight);
    }
  }
  const std::uint32_t lanes = std::min(kLanes, text.threads - warp * kLanes);
  ASSERT_EQ(ended, lanes == kLanes ? ~std::uint32_t{0} : (1u << lanes) - 1);
  ASSERT_LE(count, code.most_issues);
  if (!code.varies) {
    ASSERT_EQ(count, code.most_issues);
  }
}

TEST(SyntheticProperty, RandomKernelsRunToTheirEndsWithinWhatTheyDeclare) {
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    test::KernelText text;
    text.code = test::RandomCode(seed).list(3);
    text.blocks = 3;
    text.threads = 80;
    text.shared = "2KiB";
    text.seed = seed;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, text.code));
    const auto program = test::program_of(text);
    const SyntheticCode& code = dynamic_cast<const SyntheticProgram&>(*program).code();
    for (std::uint64_t block = 0; block < text.blocks; ++block) {
      BlockStream& stream = program->start(BlockId{block});
      for (std::uint32_t warp = 0; warp < code.warps(); ++warp) run_warp(stream, warp, code, text);
      program->finish(stream);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace heddle
