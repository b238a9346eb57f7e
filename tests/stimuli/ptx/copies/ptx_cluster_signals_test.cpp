// What blocks of a cluster send to barrier objects of each other: arrivals, stores and copies that arrive at
// them, and multicasts. And the messages that the SM sees of it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "models/core/kernel/instruction.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::uint32_t>;
using Kind = ClusterMessage::Kind;

constexpr FunctionalOrder kOrders[] = {FunctionalOrder::kBlocks, FunctionalOrder::kInterleaved};

// The barrier object of a block is at the start of its shared memory, and its words at s + 1024.
constexpr const char* kShared = ".shared .align 128 .b8 s[4096];";

// %r1 is the rank, %r2 the other block of a cluster of two, and %r4 and %r5 are its barrier object and its
// words. %p0 holds in the first thread and %p1 in block 0. Each barrier object takes `arrivals` arrivals.
std::string meeting(const std::string& arrivals, const std::string& body) {
  return "mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1; mov.u32 %r3, s;\n"
         "setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r1, 0;\n"
         "@%p0 mbarrier.init.shared.b64 [s], " +
         arrivals +
         ";\n"
         "mapa.shared::cluster.u32 %r4, %r3, %r2; add.u32 %r5, %r4, 1024;\n"
         "barrier.cluster.arrive; barrier.cluster.wait;\n" +
         body + "barrier.cluster.arrive; barrier.cluster.wait;\n";
}

// Waits for the first phase of the block's own barrier object.
constexpr const char* kWait = "wait: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0; @!%p2 bra wait;\n";
// Stores the block's word of the thread at out[32 * rank + thread].
constexpr const char* kStore =
    "shl.b32 %r20, %r0, 2; add.u32 %r20, %r20, %r3; ld.shared.u32 %r21, [%r20+1024];\n"
    "mad.lo.u32 %r22, %r1, 32, %r0; mul.wide.u32 %rd2, %r22, 4; add.u64 %rd2, %rd0, %rd2;\n"
    "st.global.u32 [%rd2], %r21;\n";

struct SignalRun {
  explicit SignalRun(const std::string& body, FunctionalOrder order = FunctionalOrder::kBlocks)
      : run(kernel_text(body, kShared)) {
    run.grid = {2, 1, 1};
    run.cluster = Dim3{2, 1, 1};
    run.order = order;
    out = run.buffer(Words(64), "out");
    Words in(64);
    std::iota(in.begin(), in.end(), 500U);
    run.buffer(in, "in");
  }
  Words words() {
    run.execute();
    return run.read<std::uint32_t>(out, 64);
  }

  PtxRun run;
  Address out = 0;
};

// Returns the words of the other block, counted from `first` on in block 0 and from first + 100 in block 1.
Words exchanged(std::uint32_t first) {
  Words wanted(64);
  for (std::uint32_t i = 0; i < 64; ++i) wanted[i] = first + (i < 32 ? 100 : 0) + i % 32;
  return wanted;
}

TEST(PtxClusterSignals, ThreadsArriveAtTheBarrierObjectOfAnotherBlock) {
  // Each thread stores a word in the other block and arrives there. The last one of each warp arrives twice.
  const std::string body = meeting("33",
                                   "mad.lo.u32 %r10, %r1, 100, %r0; add.u32 %r10, %r10, 7; shl.b32 %r11, "
                                   "%r0, 2; add.u32 %r11, %r11, %r5;\n"
                                   "st.shared::cluster.u32 [%r11], %r10; setp.eq.u32 %p3, %r0, 31;\n"
                                   "@%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4], 2;\n"
                                   "@!%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];\n" +
                                       std::string(kWait) + kStore);
  for (const FunctionalOrder order : kOrders) EXPECT_EQ(SignalRun(body, order).words(), exchanged(7));
}

TEST(PtxClusterSignals, AsynchronousStoresArriveWithTheirBytes) {
  // 32 lanes store 4 bytes each, and the own first thread expects them.
  const std::string body =
      meeting("1",
              "@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], 128;\n"
              "mad.lo.u32 %r10, %r1, 100, %r0; shl.b32 %r11, %r0, 2; add.u32 %r11, %r11, %r5;\n"
              "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11], %r10, [%r4];\n" +
                  std::string(kWait) + kStore);
  for (const FunctionalOrder order : kOrders) EXPECT_EQ(SignalRun(body, order).words(), exchanged(0));
}

TEST(PtxClusterSignals, AnAsynchronousStoreOfAVectorHasItsBarrierObjectBesideFourElements) {
  const std::string body =
      meeting("1",
              "@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], 128; setp.lt.u32 %p3, %r0, 8;\n"
              "shl.b32 %r11, %r0, 4; add.u32 %r11, %r11, %r5; shl.b32 %r12, %r0, 2; mad.lo.u32 %r12, %r1, "
              "100, %r12;\n"
              "add.u32 %r13, %r12, 1; add.u32 %r14, %r12, 2; add.u32 %r15, %r12, 3;\n"
              "@%p3 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r11], {%r12, %r13, "
              "%r14, %r15}, "
              "[%r4];\n" +
                  std::string(kWait) + kStore);
  EXPECT_EQ(SignalRun(body).words(), exchanged(0));
}

TEST(PtxClusterSignals, AsynchronousReductionsAddUpInTheOtherBlock) {
  const std::string body = meeting(
      "1",
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], 128; add.u32 %r10, %r1, 1;\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r10, [%r4];\n" +
          std::string(kWait) + "mov.u32 %r0, 0;\n" + kStore);
  const Words words = SignalRun(body).words();
  EXPECT_EQ(words[0], 64U);
  EXPECT_EQ(words[32], 32U);
}

// Stores or adds values of all lanes at s + 1024 of the other block by the asynchronous spelling, and at
// s + 2048 of the own block by `plain`. Both blocks do the same, so that the bytes must be the same then.
void expect_like(const Spelling& spelling, const std::string& plain) {
  const Statement& fields = spelling.fields;
  const bool wide = bytes_of(fields.type) == 8;
  const std::uint32_t bytes = bytes_of(fields.type) * fields.width;
  std::string values;
  for (std::uint32_t i = 0; i < fields.width; ++i)
    values += fmt::format("{}%{}{}", i == 0 ? "" : ", ", wide ? "rd" : "r", 10 + i);
  if (fields.width > 1) values = "{" + values + "}";
  std::string body = fmt::format("@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], {};\n", 32 * bytes);
  for (std::uint32_t i = 0; i < 4; ++i)
    body += fmt::format("mad.lo.u32 %r{}, %r0, {}, {}; mul.wide.u32 %rd{}, %r{}, {};\n", 10 + i,
                        0x1010101 + i, 0x7f3 * i, 10 + i, 10 + i, 0x10003);
  // Pairs of lanes of a reduction share a word.
  const bool reduces = fields.opcode == Opcode::kRedAsync;
  body += fmt::format("{} %r14, %r0, 1; {} %r14, %r14, 4;\n", reduces ? "shr.u32" : "mul.lo.u32", "shl.b32");
  body += "add.u32 %r15, %r14, %r5; add.u32 %r16, %r14, %r3;\n";
  body += fmt::format("{} [%r15], {}, [%r4]; {} [%r16+2048], {};\n", spelling.text, values, plain, values);
  body += kWait;
  body +=
      "bar.sync 0; shl.b32 %r20, %r0, 4; add.u32 %r20, %r20, %r3;\n"
      "ld.shared.v4.u32 {%r24, %r25, %r26, %r27}, [%r20+1024];\n"
      "ld.shared.v4.u32 {%r28, %r29, %r30, %r31}, [%r20+2048];\n"
      "xor.b32 %r24, %r24, %r28; xor.b32 %r25, %r25, %r29; xor.b32 %r26, %r26, %r30; xor.b32 %r27, %r27, "
      "%r31;\n"
      "or.b32 %r24, %r24, %r25; or.b32 %r26, %r26, %r27; or.b32 %r24, %r24, %r26;\n"
      "or.b32 %r28, %r28, %r29; setp.eq.u32 %p3, %r28, 0; @!%p3 add.u32 %r24, %r24, 1;\n"
      "mad.lo.u32 %r22, %r1, 32, %r0; mul.wide.u32 %rd2, %r22, 4; add.u64 %rd2, %rd0, %rd2;\n"
      "st.global.u32 [%rd2], %r24;\n";
  const Words words = SignalRun(meeting("1", body)).words();
  // 1: the same bytes, which are not all zeros; 0: they are.
  EXPECT_THAT(words, Each(testing::Le(1U))) << spelling.text;
  const bool leaves_zeros = fields.variant == Variant::kMin || fields.variant == Variant::kAnd;
  EXPECT_TRUE(leaves_zeros || std::count(words.begin(), words.end(), 1U) > 0) << spelling.text;
}

TEST(PtxClusterSignals, EverySpellingOfAsynchronousStoresDoesWhatAStoreDoes) {
  std::size_t tried = 0;
  for (const Spelling& spelling : spellings_of("st")) {
    const Statement& fields = spelling.fields;
    if (fields.opcode != Opcode::kStAsync) continue;
    const std::string vector = fields.width == 1 ? "" : fmt::format(".v{}", fields.width);
    expect_like(spelling, fmt::format("st.shared{}.{}", vector, name_of(fields.type)));
    ++tried;
  }
  EXPECT_GE(tried, 20U);
}

TEST(PtxClusterSignals, EverySpellingOfAsynchronousReductionsDoesWhatAReductionDoes) {
  std::size_t tried = 0;
  for (const Spelling& spelling : spellings_of("red")) {
    if (spelling.fields.opcode != Opcode::kRedAsync) continue;
    const std::size_t operation = spelling.text.find("bytes.") + 6;
    expect_like(spelling, "red.shared." + spelling.text.substr(operation));
    ++tried;
  }
  EXPECT_EQ(tried, 12U);
}

TEST(PtxClusterSignals, WithoutClustersAnAsynchronousStoreArrivesInItsOwnBlock) {
  PtxRun run(kernel_text(
      "mov.u32 %r3, s; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [s], 1; bar.sync 0;\n"
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], 128; mapa.shared::cluster.u32 %r4, %r3, 0;\n"
      "shl.b32 %r11, %r0, 2; add.u32 %r11, %r11, %r4; mov.u32 %r1, 0;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11+1024], %r0, [%r4];\n" +
          std::string(kWait) + kStore,
      kShared));
  const Address out = run.buffer(Words(32), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  Words wanted(32);
  std::iota(wanted.begin(), wanted.end(), 0U);
  EXPECT_EQ(run.read<std::uint32_t>(out, 32), wanted);
}

TEST(PtxClusterSignals, ACopyGoesFromSharedMemoryToThatOfAnotherBlock) {
  const std::string body =
      meeting("1",
              "mad.lo.u32 %r10, %r1, 100, %r0; shl.b32 %r11, %r0, 2; add.u32 %r11, %r11, %r3;\n"
              "st.shared.u32 [%r11+2048], %r10; bar.sync 0; add.u32 %r12, %r3, 2048;\n"
              "@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], 128;\n"
              "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r12], "
              "128, [%r4];\n" +
                  std::string(kWait) + kStore);
  for (const FunctionalOrder order : kOrders) EXPECT_EQ(SignalRun(body, order).words(), exchanged(0));
}

TEST(PtxClusterSignals, AMulticastArrivesInEachOfItsBlocks) {
  // Block 0 copies 128 bytes of `in` to both.
  const std::string body = meeting(
      "1",
      "add.u32 %r12, %r3, 1024; mov.u16 %h1, 3; @%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], 128;\n"
      "and.pred %p4, %p0, %p1;\n"
      "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r12], "
      "[%rd1], "
      "128, [%r3], %h1;\n" +
          std::string(kWait) + kStore);
  Words wanted(64);
  for (std::uint32_t i = 0; i < 64; ++i) wanted[i] = 500 + i % 32;
  for (const FunctionalOrder order : kOrders) EXPECT_EQ(SignalRun(body, order).words(), wanted);
}

TEST(PtxClusterSignals, ACopyOfDeviceMemoryGoesToAnotherBlockAndArrivesThere) {
  const std::string body = meeting(
      "1",
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd3, [s], 128; mul.wide.u32 %rd4, %r1, 128;\n"
      "add.u64 %rd4, %rd4, %rd1;\n"
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd4], 128, [%r4];\n" +
          std::string(kWait) + kStore);
  Words wanted(64);
  for (std::uint32_t i = 0; i < 64; ++i) wanted[i] = 500 + (i < 32 ? 32 : 0) + i % 32;
  EXPECT_EQ(SignalRun(body).words(), wanted);
}

TEST(PtxClusterSignals, BytesAreExpectedAndCompletedInAnotherBlock) {
  // Block 1 makes block 0 wait for 64 bytes, arrives, and completes them.
  const std::string body =
      meeting("1",
              "@%p1 bra wait; @!%p0 bra there;\n"
              "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r4], 64;\n"
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];\n"
              "mov.u32 %r10, 9; st.shared::cluster.u32 [%r5], %r10;\n"
              "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r4], 64; bra there;\n" +
                  std::string(kWait) + "mov.u32 %r0, 0;\n" + kStore + "there:\n");
  EXPECT_EQ(SignalRun(body).words()[0], 9U);
}

TEST(PtxClusterSignals, WhatABarrierObjectOfAnotherBlockCannotTakeIsAFault) {
  const auto failure = [](const std::string& body) { return SignalRun(meeting("1", body)).run.failure(); };
  EXPECT_THAT(failure("mbarrier.arrive.shared::cluster.b64 %rd3, [%r4];"), HasSubstr("returns no state"));
  EXPECT_THAT(failure("mbarrier.arrive_drop.shared::cluster.b64 _, [%r4];"),
              HasSubstr("another block can arrive there, and change the bytes that it waits for, alone"));
  EXPECT_THAT(failure("add.u32 %r6, %r4, 8; mbarrier.arrive.shared::cluster.b64 _, [%r6];"),
              HasSubstr("no barrier object is left"));
  EXPECT_THAT(failure("mbarrier.arrive.shared::cluster.b64 _, [%r4], 2;"),
              HasSubstr("the barrier object counts no more"));
  EXPECT_THAT(failure("add.u32 %r6, %r4, 4; mbarrier.arrive.shared::cluster.b64 _, [%r6];"),
              HasSubstr("not aligned"));
  EXPECT_THAT(failure("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r0, [%r3];"),
              HasSubstr("of the cluster that arrive at a barrier object of block"));
  EXPECT_THAT(failure("mov.u16 %h1, 5; add.u32 %r12, %r3, 1024; @%p0 cp.async.bulk.shared::cluster.global."
                      "mbarrier::complete_tx::bytes.multicast::cluster [%r12], [%rd1], 128, [%r3], %h1;"),
              HasSubstr("a multicast to the blocks 0x5 of a cluster of 2"));
}

// ---- the messages

struct Sent {
  Kind kind;
  std::uint32_t rank;
  std::uint32_t sent;
  std::uint32_t returned;
  std::uint32_t count;
  bool operator==(const Sent& other) const {
    return kind == other.kind && rank == other.rank && sent == other.sent && returned == other.returned &&
           count == other.count;
  }
};

// Two blocks of a cluster, whose first warps issue one instruction after another.
class TwoBlocks {
 public:
  explicit TwoBlocks(const std::string& body)
      : run_(body), program_(make_program(run_.run.launch(), run_.run.memory())) {
    for (std::uint64_t i = 0; i < 2; ++i) blocks_.push_back(&program_->start(BlockId{i}));
  }
  BlockStream& block(std::uint32_t rank) { return *blocks_[rank]; }
  void finish(std::uint32_t rank) { program_->finish(block(rank)); }

  // Issues instructions of the block up to one that makes messages, and returns these.
  std::vector<Sent> next(std::uint32_t rank) {
    while (block(rank).peek(0, 0) != nullptr) {
      issued.now = Cycle{1};
      block(rank).issue(0, issued);
      if (!issued.code->reaches_cluster || block(rank).cluster_messages().empty()) continue;
      std::vector<Sent> sent;
      for (const ClusterMessage& message : block(rank).cluster_messages())
        sent.push_back(
            {message.kind, message.rank, message.sent_bytes, message.returned_bytes, message.count});
      return sent;
    }
    return {};
  }
  // Issues the instructions of the block up to one at which its warp may wait.
  void go_to_wait(std::uint32_t rank) {
    issued.now = Cycle{1};
    while (!block(rank).peek(0, 0)->awaits) block(rank).issue(0, issued);
  }
  // The block receives the last signals that the sender has made for it.
  void deliver(std::uint32_t from, std::uint32_t to) {
    for (const ClusterMessage& message : block(from).cluster_messages())
      if (message.rank == to && message.kind != Kind::kAccess) block(to).receive(message);
  }

  IssuedInstruction issued;

 private:
  SignalRun run_;
  std::unique_ptr<KernelProgram> program_;
  std::vector<BlockStream*> blocks_;
};

TEST(PtxClusterSignals, ABlockGoesOnWhenTheOpeningOfTheBarrierHasReachedIt) {
  TwoBlocks blocks("barrier.cluster.arrive; barrier.cluster.wait;");
  blocks.go_to_wait(0);
  EXPECT_TRUE(blocks.block(0).cluster_messages().empty());
  EXPECT_TRUE(blocks.block(0).waits(0));
  blocks.go_to_wait(1);
  EXPECT_EQ(blocks.block(1).cluster_messages().size(), 2U);
  EXPECT_TRUE(blocks.block(0).waits(0));
  EXPECT_TRUE(blocks.block(1).waits(0));
  blocks.deliver(1, 0);
  EXPECT_FALSE(blocks.block(0).waits(0));
  EXPECT_TRUE(blocks.block(1).waits(0));
  blocks.deliver(1, 1);
  EXPECT_FALSE(blocks.block(1).waits(0));
}

TEST(PtxClusterSignals, AnExitOpensTheBarrierForThreadsThatWait) {
  TwoBlocks blocks(
      "mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p0, %r1, 0; @%p0 ret; barrier.cluster.arrive; "
      "barrier.cluster.wait;");
  blocks.go_to_wait(0);
  EXPECT_TRUE(blocks.block(0).waits(0));
  EXPECT_THAT(blocks.next(1), ElementsAre(Sent{Kind::kClusterOpens, 0, 0, 0, 0}));
  EXPECT_TRUE(blocks.issued.ended);
}

TEST(PtxClusterSignals, AccessesToAnotherBlockSayTheirBytes) {
  TwoBlocks blocks(
      "mov.u32 %r3, s; mapa.shared::cluster.u32 %r4, %r3, 1; shl.b32 %r5, %r0, 2; add.u32 %r6, %r5, %r4;\n"
      "st.shared::cluster.u32 [%r6+1024], %r0; ld.shared::cluster.v2.u32 {%r7, %r8}, [%r4+1024];\n"
      "atom.shared::cluster.add.u32 %r9, [%r6+1024], 1; red.shared::cluster.add.u32 [%r6+1024], 1;\n"
      "setp.lt.u32 %p0, %r0, 3; @%p0 st.shared::cluster.u8 [%r6], %r0;\n"
      "st.shared::cluster.u32 [s], %r0; mbarrier.init.shared.b64 [s], 5;\n"
      "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.arrive.shared::cluster.b64 _, [%r4], 4;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6+1024], %r0, [%r4];");
  EXPECT_THAT(blocks.next(0), ElementsAre(Sent{Kind::kAccess, 1, 128, 0, 0}));
  EXPECT_EQ(blocks.issued.addresses[5], 1024U + 20);
  EXPECT_EQ(blocks.issued.mask, ~0U);
  EXPECT_TRUE(blocks.issued.code->takes_turns);
  EXPECT_EQ(blocks.issued.code->space, MemorySpace::kShared);
  EXPECT_THAT(blocks.next(0), ElementsAre(Sent{Kind::kAccess, 1, 0, 256, 0}));
  EXPECT_THAT(blocks.next(0), ElementsAre(Sent{Kind::kAccess, 1, 128, 128, 0}));
  EXPECT_THAT(blocks.next(0), ElementsAre(Sent{Kind::kAccess, 1, 128, 0, 0}));
  EXPECT_THAT(blocks.next(0), ElementsAre(Sent{Kind::kAccess, 1, 3, 0, 0}));
  EXPECT_THAT(blocks.next(0), ElementsAre(Sent{Kind::kArrival, 1, 8, 0, 4}));
  EXPECT_THAT(blocks.next(0), ElementsAre(Sent{Kind::kBytes, 1, 128, 0, 128}));
}

TEST(PtxClusterSignals, AMulticastTellsTheOtherBlocksWhenItIsComplete) {
  TwoBlocks blocks(
      "mov.u32 %r3, s; mbarrier.init.shared.b64 [s], 1; add.u32 %r12, %r3, 1024; mov.u16 %h1, 3;\n"
      "setp.eq.u32 %p0, %r0, 0;\n"
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r12], "
      "[%rd1], "
      "128, [%r3], %h1;");
  IssuedInstruction issued;
  issued.now = Cycle{1};
  do blocks.block(0).issue(0, issued);
  while (issued.code->operation != Operation::kBulkCopy);
  EXPECT_TRUE(issued.code->reaches_cluster);
  EXPECT_TRUE(blocks.block(0).cluster_messages().empty());
  ASSERT_EQ(blocks.block(0).bulk_copies().size(), 1U);
  blocks.block(0).complete(blocks.block(0).bulk_copies()[0].number);
  ASSERT_EQ(blocks.block(0).cluster_messages().size(), 1U);
  const ClusterMessage message = blocks.block(0).cluster_messages()[0];
  EXPECT_TRUE(message.kind == Kind::kBytes && message.rank == 1 && message.sent_bytes == 0 &&
              message.address == 0 && message.count == 128);
}

TEST(PtxClusterSignals, OnlyALaunchWithClustersHasInstructionsThatReachThem) {
  const std::string body =
      "mov.u32 %r3, s; mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; ld.u32 %r4, [%rd4]; "
      "barrier.cluster.arrive; "
      "barrier.cluster.wait; ld.shared::cluster.u32 %r5, [%r3]; ld.shared.u32 %r6, [%r3];";
  const auto count = [&](std::optional<Dim3> cluster) {
    SignalRun run(body);
    run.run.cluster = cluster;
    const auto program = make_program(run.run.launch(), run.run.memory());
    BlockStream& block = program->start(BlockId{0});
    int reaching = 0;
    for (std::uint32_t i = 0; block.peek(0, i) != nullptr; ++i) {
      EXPECT_TRUE(block.peek(0, i)->takes_turns || !block.peek(0, i)->reaches_cluster);
      reaching += block.peek(0, i)->reaches_cluster ? 1 : 0;
    }
    return reaching;
  };
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(count(Dim3{1, 1, 1}), 0);
  EXPECT_EQ(count(Dim3{2, 1, 1}), 4);  // the generic load, the arrival, the load of the cluster, and the exit
}

TEST(PtxClusterSignals, ABlockIsFoundByItsRankWhileItRuns) {
  TwoBlocks blocks("barrier.cluster.arrive; barrier.cluster.wait;");
  EXPECT_EQ(blocks.block(0).block_of_cluster(1), &blocks.block(1));
  EXPECT_EQ(blocks.block(1).block_of_cluster(1), &blocks.block(1));
  EXPECT_EQ(blocks.block(0).block_of_cluster(2), nullptr);
  blocks.finish(1);
  EXPECT_EQ(blocks.block(0).block_of_cluster(1), nullptr);
}

}  // namespace
}  // namespace heddle::ptx
