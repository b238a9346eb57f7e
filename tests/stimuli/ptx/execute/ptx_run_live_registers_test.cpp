// Executed PTX knows the live registers of its warps.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

// The kernel loads `values` words, waits at a barrier, and adds them one after another.
std::string sum_of(int values) {
  std::string body;
  for (int i = 0; i < values; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", i + 1, 4 * i);
  body += "bar.sync 0;\nmov.u32 %r40, 0;\n";
  for (int i = 0; i < values; ++i) body += fmt::format("add.u32 %r40, %r40, %r{};\n", i + 1);
  return body + "st.global.u32 [%rd0], %r40;\n";
}

struct Stepped {
  explicit Stepped(const std::string& body, std::uint32_t threads = 32, bool knows = true,
                   CodeSchedule schedule = CodeSchedule::kNone)
      : run(kernel_text(body)) {
    run.block = {threads, 1, 1};
    run.options.knows_live_registers = knows;
    run.options.form.schedule = schedule;
    run.buffer(std::vector<std::uint32_t>(64), "out");
    run.buffer(std::vector<std::uint32_t>(64, 3), "in");
    program = make_program(run.launch(), run.memory(), run.options);
    stream = &program->start(BlockId{0});
  }
  // Goes on to the instruction behind the next one of this operation, and returns whether there is one.
  bool pass(Operation operation) {
    IssuedInstruction issued;
    while (stream->peek(0, 0) != nullptr) {
      stream->issue(0, issued);
      if (issued.code->operation == operation) return stream->peek(0, 0) != nullptr;
    }
    return false;
  }

  PtxRun run;
  std::unique_ptr<KernelProgram> program;
  BlockStream* stream = nullptr;
};

// Behind the barrier the values are live, and one register for the stack pointer. The address of the result
// is not, because it is read from the parameters later.
TEST(PtxLiveRegisters, AThreadHoldsTheValuesThatItReadsLaterInFourBytesEach) {
  std::uint32_t with_none = 0;
  for (const int values : {1, 4, 9, 17}) {
    SCOPED_TRACE(values);
    for (const std::uint32_t lanes : {32u, 20u}) {
      Stepped at(sum_of(values), lanes);
      ASSERT_TRUE(at.pass(Operation::kBarrier));
      const std::uint32_t bytes = at.stream->live_register_bytes(0).value();
      if (with_none == 0) with_none = bytes / (4 * 32) - 1;
      EXPECT_EQ(bytes, (static_cast<std::uint32_t>(values) + with_none) * 4 * lanes);
    }
  }
  EXPECT_LE(with_none, 2u);
}

TEST(PtxLiveRegisters, FewerLiveAsTheSumGoesOn) {
  Stepped at(sum_of(16));
  ASSERT_TRUE(at.pass(Operation::kBarrier));
  ASSERT_TRUE(at.pass(Operation::kIntAdd));  // 0 is added to the first value
  ASSERT_TRUE(at.pass(Operation::kIntAdd));
  std::uint32_t before = at.stream->live_register_bytes(0).value();
  for (int i = 3; i < 16; ++i) {
    ASSERT_TRUE(at.pass(Operation::kIntAdd));
    const std::uint32_t now = at.stream->live_register_bytes(0).value();
    EXPECT_EQ(now, before - 4 * 32) << i;
    before = now;
  }
}

TEST(PtxLiveRegisters, ScheduledCodeKnowsThemToo) {
  Stepped at(sum_of(16), 32, true, CodeSchedule::kPtxasLike);
  const std::uint32_t held = shape_of(at.run.launch()).registers_per_thread;
  std::uint32_t most = 0;
  IssuedInstruction issued;
  for (; at.stream->peek(0, 0) != nullptr; at.stream->issue(0, issued)) {
    const std::uint32_t bytes = at.stream->live_register_bytes(0).value();
    EXPECT_LE(bytes, held * 4 * 32);
    most = std::max(most, bytes);
  }
  EXPECT_GE(most, 16u * 4 * 32);
}

// The kernel loads 8 values in all lanes, or only in the lanes with odd numbers, and stores their sum where
// the paths of the lanes meet.
std::string sum_on_a_path(bool diverges) {
  std::string body = diverges ? "and.b32 %r30, %r0, 1;\nsetp.eq.u32 %p1, %r30, 0;\n"
                              : "and.b32 %r30, %r0, 0;\nsetp.ne.u32 %p1, %r30, 0;\n";
  body += "mov.u32 %r40, 0;\n@%p1 bra MEET;\n";
  for (int i = 0; i < 8; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", i + 1, 4 * i);
  body += "sin.approx.f32 %f1, %f1;\n";
  for (int i = 0; i < 8; ++i) body += fmt::format("add.u32 %r40, %r40, %r{};\n", i + 1);
  return body + "MEET:\nst.global.u32 [%rd0], %r40;\n";
}

TEST(PtxLiveRegisters, EachLaneCountsThoseOfItsOwnPath) {
  Stepped together(sum_on_a_path(false));
  ASSERT_TRUE(together.pass(Operation::kSfu));
  const std::uint32_t on_path = together.stream->live_register_bytes(0).value();
  EXPECT_GE(on_path, 8u * 4 * 32);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(together.pass(Operation::kIntAdd));
  ASSERT_EQ(together.stream->peek(0, 0)->operation, Operation::kStore);
  const std::uint32_t at_meeting = together.stream->live_register_bytes(0).value();
  EXPECT_LT(at_meeting, on_path);
  Stepped apart(sum_on_a_path(true));
  ASSERT_TRUE(apart.pass(Operation::kSfu));
  EXPECT_EQ(apart.stream->live_register_bytes(0).value(), on_path / 2 + at_meeting / 2);
}

TEST(PtxLiveRegisters, AProgramThatWasOpenedWithoutThemDoesNotKnow) {
  const Stepped at(sum_of(4), 32, false);
  EXPECT_FALSE(at.stream->live_register_bytes(0).has_value());
}

}  // namespace
}  // namespace heddle::ptx
