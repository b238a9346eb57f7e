// Fetches of many warps that compete for few sets of the instruction cache.

#include <gtest/gtest.h>

#include "tests/support/machine/sm_rig.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kWarps = 24;
constexpr std::uint32_t kInstructions = 40;  // per warp

// Warps without branches. The lines of each warp are its own, and fall into the same sets as those of the
// other warps.
class FarApart final : public KernelProgram {
 public:
  explicit FarApart(std::uint32_t stride) : code_(kWarps, std::vector<Instruction>(kInstructions)) {
    for (std::uint32_t warp = 0; warp < kWarps; ++warp)
      for (std::uint32_t i = 0; i < kInstructions; ++i) {
        Instruction& instruction = code_[warp][i];
        instruction.pc = warp * stride + i * instruction.size;
        instruction.operation = i + 1 == kInstructions ? Operation::kExit : Operation::kIntAdd;
      }
  }
  BlockStream& start(BlockId) override { return stream_; }
  void finish(BlockStream&) override {}

 private:
  struct Stream final : BlockStream {
    explicit Stream(const std::vector<std::vector<Instruction>>& all) : code(all), next(kWarps) {}
    const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
      const std::size_t at = next[warp] + ahead;
      return at < kInstructions ? &code[warp][at] : nullptr;
    }
    void issue(std::uint32_t warp, IssuedInstruction& issued) override {
      issued.code = &code[warp][next[warp]++];
      issued.mask = ~std::uint32_t{0};
      issued.ended = next[warp] == kInstructions;
    }
    const std::vector<std::vector<Instruction>>& code;
    std::vector<std::size_t> next;
  };

  std::vector<std::vector<Instruction>> code_;
  Stream stream_{code_};
};

TEST(FrontEnd, WarpsWhoseLinesReplaceEachOtherAllGoOn) {
  const CycleSmSpec spec = gtx480_sm();
  const std::uint32_t stride = spec.instruction_cache.line_bytes * spec.instruction_cache.sets * 4;
  ASSERT_GT(kWarps, spec.instruction_cache.ways * spec.instruction_cache.mshrs);
  FarApart program(stride);
  SmRig rig(spec, 400);
  rig.launch(program, kWarps);
  rig.run();
  EXPECT_TRUE(rig.core().idle());
  EXPECT_EQ(rig.core().issued(), kWarps * kInstructions);
}

}  // namespace
}  // namespace heddle::test
