// cp.async: copies from global to shared memory, with fewer bytes read than written, and what the SM sees.
// cp.async.bulk and mbarrier: copies in bulk, and the barrier objects at which they arrive.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stimuli/ptx/execute/copy_unit.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

const char* const kShared = ".shared .align 16 .b8 s[1024];";

// Each lane copies to its 16 bytes of s, which hold ones before. Returns these bytes.
std::vector<std::uint8_t> copied(const std::string& copy, std::uint32_t lane_bytes) {
  const std::string body = fmt::format(
      "mul.wide.u32 %rd2, %r0, {}; add.u64 %rd3, %rd1, %rd2; mul.wide.u32 %rd2, %r0, 16; cvt.u32.u64 %r4, "
      "%rd2;\n"
      "mov.u64 %rd5, s; cvt.u32.u64 %r5, %rd5; add.u32 %r5, %r5, %r4; mov.u32 %r6, -1;\n"
      "st.shared.v4.u32 [%r5], {{%r6, %r6, %r6, %r6}}; and.b32 %r7, %r0, 3; mov.u64 %rd6, 0;\n"
      "{}\ncp.async.commit_group; cp.async.wait_group 0;\n"
      "ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r5]; add.u64 %rd2, %rd0, %rd2;\n"
      "st.global.v4.u32 [%rd2], {{%r10, %r11, %r12, %r13}};",
      lane_bytes, copy);
  PtxRun run(kernel_text(body, kShared));
  const Address out = run.buffer(std::vector<std::uint8_t>(512), "out");
  std::vector<std::uint8_t> input(512);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(7 * i + i / 16);
  run.buffer(input, "in");
  run.execute();
  return run.read<std::uint8_t>(out, 512);
}

TEST(PtxCopies, EverySpellingCopiesItsBytesAndFillsTheRestWithZeros) {
  for (const Spelling& one : spellings_of("cp")) {
    if (one.fields.opcode != Opcode::kCopyAsync) continue;
    const std::string policy = one.text.find("cache_hint") != std::string::npos ? ", %rd6" : "";
    for (const std::uint32_t bytes : {4U, 8U, 16U}) {
      if (bytes != 16 && one.fields.cache == CacheOperator::kCg) continue;
      for (const char* read : {"", ", %r7", ", 2", ", 0"}) {
        const auto result =
            copied(fmt::format("{} [%r5], [%rd3], {}{}{};", one.text, bytes, read, policy), bytes);
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          const std::uint32_t taken = *read == 0 ? bytes : read[2] == '%' ? lane % 4 : read[2] - '0';
          for (std::uint32_t i = 0; i < 16; ++i) {
            const std::size_t from = std::size_t{lane} * bytes + i;
            const std::uint8_t wanted = i >= bytes   ? 0xff
                                        : i >= taken ? 0
                                                     : static_cast<std::uint8_t>(7 * from + from / 16);
            ASSERT_EQ(result[16 * lane + i], wanted) << one.text << bytes << read << " lane " << lane;
          }
        }
      }
    }
  }
}

TEST(PtxCopies, AWaitForAllGroupsIsReadToo) {
  EXPECT_EQ(copied("cp.async.ca.shared.global [%r5], [%rd3], 4; cp.async.wait_all;", 4)[5 * 16 + 1],
            static_cast<std::uint8_t>(7 * 21 + 1));
}

TEST(PtxCopies, TheSmSeesAnAsynchronousLoadOfTheLanesThatRead) {
  StepRig rig("cp.async.cg.shared.global [s+32], [%rd4], 16, %r9; cp.async.wait_group 3; cp.async.wait_all;",
              kShared);
  const Address in = rig.run.memory().allocate(512, "in");
  const WarpStep at = rig.at(Step::Kind::kAsynchronousCopy);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    set_lane(at, at.step.source[0], lane, in + 16 * lane);
    set_lane(at, at.step.source[2], lane, lane % 2 * 16);
  }
  BlockMemory memory(rig.state, rig.faults);
  IssuedInstruction issued = rig.issue(at);
  PhaseBarriers barriers(rig.state, memory, rig.faults);
  CopyUnit(rig.state, memory, barriers, rig.faults).copy(at, issued);
  EXPECT_EQ(issued.mask, 0xaaaaaaaaU);
  EXPECT_EQ(issued.addresses[3], in + 48);
  const Instruction& code = *issued.code;
  EXPECT_EQ(code.operation, Operation::kLoad);
  EXPECT_TRUE(code.asynchronous);
  EXPECT_TRUE(code.bypass_l1);
  EXPECT_EQ(code.bytes, 16);
  EXPECT_EQ(code.space, MemorySpace::kGlobal);
  EXPECT_TRUE(code.destinations().empty());
  const FunctionCode& entry = rig.code.functions[rig.code.entry];
  std::vector<int> groups;
  for (const Instruction& instruction : entry.instructions)
    if (instruction.operation == Operation::kCopyWait) groups.push_back(instruction.copy_groups);
  EXPECT_EQ(groups, (std::vector<int>{4, 0}));
}

TEST(PtxCopies, ACopyOutsideMisalignedOrTooLongIsAFault) {
  const auto failure = [](const std::string& copy) {
    PtxRun run(kernel_text(copy, kShared));
    run.pass(std::uint64_t{0});
    run.buffer(std::vector<std::uint8_t>(64), "in");
    return run.failure();
  };
  EXPECT_THAT(failure("cp.async.ca.shared.global [s+1024], [%rd1], 4;"), HasSubstr("of shared memory"));
  EXPECT_THAT(failure("cp.async.ca.shared.global [s+2], [%rd1], 4;"), HasSubstr("not aligned"));
  EXPECT_THAT(failure("cp.async.ca.shared.global [s], [%rd1+2], 4;"), HasSubstr("not aligned"));
  EXPECT_THAT(failure("cp.async.cg.shared.global [s], [%rd1+64], 16;"), HasSubstr("16 bytes at"));
  EXPECT_THAT(failure("cp.async.ca.shared.global [s], [%rd1], 4, 5;"), HasSubstr("a copy of 5 of 4 bytes"));
}

// Lane 0 copies 1 KiB to shared memory in bulk and the block waits for it at a barrier object; then lane 0
// copies 512 bytes of it to the first buffer. `copy` and `wait` are the spellings.
std::string bulk_kernel(const std::string& copy, const std::string& wait) {
  return kernel_text(
      fmt::format("mov.u64 %rd5, s; cvt.u32.u64 %r5, %rd5; mov.u64 %rd6, bar; cvt.u32.u64 %r6, %rd6;\n"
                  "setp.eq.u32 %p0, %r0, 0; mov.u32 %r7, 1024; mov.u64 %rd7, 0; mov.u16 %h0, 1;\n"
                  "@%p0 mbarrier.init.shared::cta.b64 [%r6], 1;\n"
                  "@%p0 fence.mbarrier_init.release.cluster; bar.sync 0;\n"
                  "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %rd8, [%r6], %r7;\n"
                  "@%p0 {}\n"
                  "again: {}\n"
                  "@!%p1 bra again;\n"
                  "fence.proxy.async.shared::cta;\n"
                  "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 512;\n"
                  "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;",
                  copy, wait),
      ".shared .align 16 .b8 s[1024]; .shared .align 8 .b64 bar;");
}

std::vector<std::uint32_t> copied_in_bulk(const std::string& copy, const std::string& wait) {
  PtxRun run(bulk_kernel(copy, wait));
  run.block.x = 64;
  const Address out = run.buffer(std::vector<std::uint32_t>(128), "out");
  std::vector<std::uint32_t> input(256);
  for (std::uint32_t i = 0; i < input.size(); ++i) input[i] = 3 * i + 1;
  run.buffer(input, "in");
  run.execute();
  return run.read<std::uint32_t>(out, 128);
}

TEST(PtxBulkCopies, EverySpellingCopiesAndTellsTheBarrierObject) {
  std::vector<std::uint32_t> wanted(128);
  for (std::uint32_t i = 0; i < wanted.size(); ++i) wanted[i] = 3 * i + 1;
  std::size_t spellings = 0;
  for (const Spelling& one : spellings_of("cp")) {
    if (one.fields.opcode != Opcode::kBulkLoad) continue;
    ++spellings;
    const std::string policy = one.text.find("cache_hint") != std::string::npos ? ", %rd7" : "";
    const std::string blocks = one.fields.has(kMulticast) ? ", %h0" : "";
    EXPECT_EQ(copied_in_bulk(fmt::format("{} [%r5], [%rd1], %r7, [%r6]{}{};", one.text, blocks, policy),
                             "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r6], 0;"),
              wanted)
        << one.text;
  }
  EXPECT_EQ(spellings, 6U);
}

TEST(PtxBulkCopies, AWaitMayNameAParityOrAState) {
  const std::string copy =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd1], %r7, [%r6];";
  for (const char* wait :
       {"mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r6], 0;",
        "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0, 1000;",
        "mov.b64 %rd9, 0; mbarrier.test_wait.shared::cta.b64 %p1, [%r6], %rd9;",
        "mov.b64 %rd9, 0; cvta.shared.u64 %rd10, %rd6; mbarrier.try_wait.b64 %p1, [%rd10], %rd9;"})
    EXPECT_EQ(copied_in_bulk(copy, wait)[127], 3U * 127 + 1) << wait;
}

// All lanes ask for the copy, and the bytes of one are awaited. Copies with other operands are others: in the
// second case each lane copies one of 32 pieces.
TEST(PtxBulkCopies, LanesWithTheSameOperandsMakeOneCopy) {
  const auto run_with = [](const std::string& lane, const std::string& bytes) {
    PtxRun run(kernel_text(
        fmt::format(
            "mov.u64 %rd5, s; cvt.u32.u64 %r5, %rd5; mov.u64 %rd6, bar; cvt.u32.u64 %r6, %rd6;\n"
            "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared::cta.b64 [%r6], 1; bar.sync 0;\n"
            "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %rd8, [%r6], 512;\n"
            "mul.wide.u32 %rd2, {}, 16; add.u64 %rd1, %rd1, %rd2; cvt.u32.u64 %r2, %rd2; add.u32 %r5, %r5, "
            "%r2;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd1], {}, [%r6];\n"
            "again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r6], 0; @!%p1 bra again;\n"
            "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd0, %rd0, %rd3; add.u64 %rd5, %rd5, %rd3;\n"
            "ld.shared.u32 %r9, [%rd5]; st.global.u32 [%rd0], %r9;",
            lane, bytes),
        ".shared .align 16 .b8 s[512]; .shared .align 8 .b64 bar;"));
    const Address out = run.buffer(std::vector<std::uint32_t>(32), "out");
    std::vector<std::uint32_t> input(128);
    for (std::uint32_t i = 0; i < input.size(); ++i) input[i] = 5 * i + 2;
    run.buffer(input, "in");
    run.execute();
    return run.read<std::uint32_t>(out, 32)[31];
  };
  EXPECT_EQ(run_with("0", "512"), 5U * 31 + 2);
  EXPECT_EQ(run_with("%r0", "16"), 5U * 31 + 2);
}

TEST(PtxBulkCopies, ThreadsArriveAndDropOut) {
  PtxRun run(
      kernel_text("mov.u64 %rd6, bar; cvt.u32.u64 %r6, %rd6; setp.eq.u32 %p0, %r0, 0;\n"
                  "@%p0 mbarrier.init.shared.b64 [%r6], 64; bar.sync 0;\n"
                  "mbarrier.arrive.shared.b64 %rd8, [%r6]; mbarrier.pending_count.b64 %r8, %rd8;\n"
                  "mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], %r8;\n"
                  "bar.sync 0; @%p0 mbarrier.arrive_drop.shared.b64 %rd9, [%r6], 63;\n"
                  "bar.sync 0; setp.eq.u32 %p2, %r0, 1;\n"
                  "@%p2 mbarrier.arrive.shared.b64 %rd9, [%r6]; bar.sync 0;\n"
                  "mbarrier.test_wait.parity.shared.b64 %p1, [%r6], 1; selp.u32 %r9, 1, 0, %p1; bar.sync 0;\n"
                  "@%p0 mbarrier.arrive.shared.b64 %rd10, [%r6]; bar.sync 0;\n"
                  "@%p0 mbarrier.inval.shared.b64 [%r6]; st.global.u32 [%rd3+256], %r9;",
                  ".shared .align 8 .b64 bar;"));
  run.block.x = 64;
  const Address out = run.buffer(std::vector<std::uint32_t>(128), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  const auto result = run.read<std::uint32_t>(out, 128);
  std::vector<bool> seen(65);
  for (std::size_t i = 0; i < 64; ++i) seen[result[i]] = true;  // each arrival finds another number pending
  EXPECT_EQ(std::count(seen.begin() + 1, seen.end(), true), 64);
  for (std::size_t i = 64; i < 128; ++i) EXPECT_EQ(result[i], 1U) << "the second phase is complete";
}

TEST(PtxBulkCopies, AMisplacedCopyOrBarrierIsAFault) {
  const auto failure = [](const std::string& body) {
    PtxRun run(
        kernel_text("mov.u64 %rd6, bar; cvt.u32.u64 %r6, %rd6; mbarrier.init.shared.b64 [bar], 32;\n" + body,
                    ".shared .align 16 .b8 s[1024]; .shared .align 8 .b64 bar;"));
    run.block.x = 1;
    run.buffer(std::vector<std::uint8_t>(64), "out");
    run.buffer(std::vector<std::uint8_t>(256), "in");
    return run.failure();
  };
  const auto copy = [](const std::string& operands) {
    return "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes " + operands + ";";
  };
  EXPECT_THAT(failure(copy("[s], [%rd1], 24, [bar]")), HasSubstr("multiples of 16"));
  EXPECT_THAT(failure(copy("[s+8], [%rd1], 32, [bar]")), HasSubstr("multiples of 16"));
  EXPECT_THAT(failure(copy("[s], [%rd1], 512, [bar]")), HasSubstr("512 bytes at"));
  EXPECT_THAT(failure(copy("[s+1008], [%rd1], 64, [bar]")), HasSubstr("of shared memory"));
  EXPECT_THAT(failure(copy("[s], [%rd1], 64, [s]")), HasSubstr("no barrier object at 0x0"));
  EXPECT_THAT(failure("cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 128;"),
              HasSubstr("128 bytes at"));
  EXPECT_THAT(failure("mbarrier.init.shared.b64 [bar], 0;"), HasSubstr("a barrier object for 0 arrivals"));
  EXPECT_THAT(failure("mbarrier.arrive.shared.b64 %rd8, [bar], 33;"),
              HasSubstr("33 arrivals at a barrier object that waits for 32"));
  EXPECT_THAT(failure("mbarrier.arrive.noComplete.shared.b64 %rd8, [bar], 32;"), HasSubstr(".noComplete"));
  EXPECT_THAT(failure("mbarrier.arrive.b64 %rd8, [%rd1];"), HasSubstr("not in shared memory"));
  EXPECT_THAT(failure("mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 %rd8, [bar];"),
              HasSubstr("no barrier object"));
}

// The address of the barrier object is a constant that no instruction of its own computes. One register of
// the warp holds it at the wait and other constants before.
TEST(PtxBulkCopies, AWarpThatMayWaitLooksAtTheBarrierObjectOfItsOwnInstruction) {
  PtxRun run(
      kernel_text("setp.eq.u32 %p0, %r0, 0;\n"
                  "@%p0 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;\n"
                  "@%p0 bra FIRST;\n"
                  "mov.u32 %r16, bar; mov.u32 %r17, 1; mbarrier.arrive.shared.b64 %rd8, [%r16], %r17;\n"
                  "bra.uni WAIT;\n"
                  "FIRST: mov.u32 %r18, s; mov.u32 %r21, bar; mov.u32 %r23, 1024;\n"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r18], [%rd1], %r23, "
                  "[%r21];\n"
                  "mbarrier.arrive.expect_tx.shared.b64 %rd8, [%r21], %r23;\n"
                  "WAIT: mov.u32 %r25, bar; mbarrier.try_wait.shared.b64 %p1, [%r25], %rd8;\n"
                  "@!%p1 bra WAIT;",
                  ".shared .align 16 .b8 s[1024]; .shared .align 8 .b64 bar;"));
  run.block.x = 64;
  run.pass(std::uint64_t{0});
  run.buffer(std::vector<std::uint32_t>(256), "in");
  CodeOptions options;
  options.form.schedule = CodeSchedule::kPtxasLike90;
  const auto program = make_program(run.launch(), run.memory(), options);
  BlockStream& stream = program->start(BlockId{0});
  IssuedInstruction issued;
  std::size_t waited = 0;
  std::size_t ended = 0;
  for (int turn = 0; turn < 1000 && ended < 2; ++turn) {
    for (std::uint32_t warp = 2; warp-- > 0;) {
      const Instruction* const next = stream.peek(warp, 0);
      if (next == nullptr) continue;
      if (next->awaits && stream.waits(warp)) {
        ++waited;
        continue;
      }
      stream.issue(warp, issued);
      ended += issued.ended ? 1 : 0;
      if (issued.code->operation == Operation::kBulkCopy && issued.mask != 0)
        for (const BulkCopy& copy : stream.bulk_copies()) stream.complete(copy.number);
    }
  }
  EXPECT_EQ(ended, 2U);
  EXPECT_GT(waited, 0U);
}

TEST(PtxCopies, ASizeThatIsNotCopiedIsRefused) {
  const auto problems = [](const std::string& copy) {
    return function_of(parse_module(kernel(copy), "t.ptx", Refusal::kFunction), "k").problems;
  };
  EXPECT_THAT(problems("cp.async.cg.shared.global [%u32_0], [%u64_0], 8;"),
              testing::ElementsAre(HasSubstr("t.ptx:8:1: cp.async.cg of 8 bytes; it copies 16")));
  EXPECT_THAT(problems("cp.async.ca.shared.global [%u32_0], [%u64_0], 12;"),
              testing::ElementsAre(HasSubstr("cp.async.ca of 12 bytes; it copies 4, 8 or 16")));
}

}  // namespace
}  // namespace heddle::ptx
