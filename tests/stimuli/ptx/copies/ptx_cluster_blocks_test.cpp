// Clusters of several blocks: where their blocks lie in the grid, what a launch may ask for, and the accesses
// of a block to the shared memory of another one.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

using testing::Each;
using testing::HasSubstr;

using Words = std::vector<std::uint32_t>;

constexpr const char* kSync = "barrier.cluster.arrive; barrier.cluster.wait;\n";
constexpr const char* kShared = ".shared .align 16 .b8 s[1024];";
constexpr const char* kIds =
    "mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %cluster_nctarank;\n";

// A launch of kernel_text(body, kShared) with an output of `words` words at %rd0.
struct ClusterRun {
  ClusterRun(const std::string& body, Dim3 grid, Dim3 cluster, std::uint32_t words = 64)
      : run(kernel_text(body, kShared)) {
    run.grid = grid;
    run.cluster = cluster;
    out = run.buffer(Words(words), "out");
    run.pass(std::uint64_t{0});
    count = words;
  }
  Words words() {
    run.execute();
    return run.read<std::uint32_t>(out, count);
  }

  PtxRun run;
  Address out = 0;
  std::uint32_t count = 0;
};

constexpr FunctionalOrder kOrders[] = {FunctionalOrder::kBlocks, FunctionalOrder::kInterleaved};

// Each thread stores 1000 times its block's number plus its own number at s[thread].
std::string with_own_words(const std::string& body) {
  return kIds +
         std::string(
             "mov.u32 %r4, s; shl.b32 %r5, %r0, 2; add.u32 %r6, %r4, %r5;\n"
             "mad.lo.u32 %r7, %r2, 1000, %r0; st.shared.u32 [%r6], %r7;\n") +
         kSync + body;
}

// Stores %r10 at out[block * 32 + thread].
constexpr const char* kStore =
    "mad.lo.u32 %r11, %r2, 32, %r0; mul.wide.u32 %rd2, %r11, 4; add.u64 %rd2, %rd0, %rd2;\n"
    "st.global.u32 [%rd2], %r10;\n";

Words ring_of(std::uint32_t blocks, std::uint32_t cluster) {
  Words wanted;
  for (std::uint32_t block = 0; block < blocks; ++block)
    for (std::uint32_t thread = 0; thread < 32; ++thread)
      wanted.push_back(1000 * (block / cluster * cluster + (block + 1) % cluster) + thread);
  return wanted;
}

TEST(PtxClusterBlocks, ARingOfBlocksReadsTheNextOnesSharedMemory) {
  const std::string next = "add.u32 %r8, %r1, 1; rem.u32 %r8, %r8, %r3;\n";
  const std::string by_number =
      with_own_words(next + "mapa.shared::cluster.u32 %r9, %r6, %r8; ld.shared::cluster.u32 %r10, [%r9];\n" +
                     kStore + kSync);
  const std::string generic = with_own_words(
      next +
      "cvt.u64.u32 %rd3, %r6; cvta.shared.u64 %rd3, %rd3; mapa.u64 %rd4, %rd3, %r8; ld.u32 %r10, [%rd4];\n" +
      kStore + kSync);
  for (const FunctionalOrder order : kOrders)
    for (const std::uint32_t cluster : {2, 3, 4, 8})
      for (const std::string& body : {by_number, generic}) {
        ClusterRun run(body, {24, 1, 1}, {cluster, 1, 1}, 24 * 32);
        run.run.order = order;
        EXPECT_EQ(run.words(), ring_of(24, cluster));
      }
}

TEST(PtxClusterBlocks, LanesOfOneAccessReachSeveralBlocks) {
  // Lane i loads word i of block i mod 4. The second words of a vector are those of the next thread.
  ClusterRun run(with_own_words("rem.u32 %r8, %r0, 4; shr.u32 %r12, %r0, 1; shl.b32 %r12, %r12, 3;\n"
                                "add.u32 %r12, %r4, %r12; mapa.shared::cluster.u32 %r9, %r12, %r8;\n"
                                "ld.shared::cluster.v2.u32 {%r13, %r14}, [%r9]; sub.u32 %r10, %r14, 1;\n"
                                "setp.ne.u32 %p0, %r10, %r13; @%p0 trap;\n" +
                                std::string(kStore) + kSync),
                 {4, 1, 1}, {4, 1, 1}, 128);
  const Words words = run.words();
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(words[i], 1000 * (i % 4) + i % 32 / 2 * 2);
}

TEST(PtxClusterBlocks, StoresReachOtherBlocksAndOwnAddressesStayOwn) {
  // Each block stores into the memory of the block of the other rank, and reads its own by a plain address,
  // by a mapped one, and by a mapped one that is mapped again.
  ClusterRun run(
      kIds +
          std::string("mov.u32 %r4, s; xor.b32 %r8, %r1, 1; mapa.shared::cluster.u32 %r9, %r4, %r8;\n"
                      "add.u32 %r10, %r2, 70; st.shared::cluster.u32 [%r9], %r10;\n") +
          kSync +
          "ld.shared.u32 %r10, [s]; mapa.shared::cluster.u32 %r9, %r9, %r1;\n"
          "ld.shared::cluster.u32 %r11, [%r9]; ld.shared::cluster.u32 %r12, [s];\n"
          "setp.ne.u32 %p0, %r10, %r11; @%p0 trap; setp.ne.u32 %p0, %r10, %r12; @%p0 trap;\n"
          "getctarank.shared::cluster.u32 %r13, %r9; setp.ne.u32 %p0, %r13, %r1; @%p0 trap;\n"
          "getctarank.shared::cluster.u32 %r13, %r4; setp.ne.u32 %p0, %r13, %r1; @%p0 trap;\n" +
          kStore,
      {4, 1, 1}, {2, 1, 1}, 128);
  const Words words = run.words();
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(words[i], 70 + (i / 32 ^ 1U));
}

TEST(PtxClusterBlocks, ADistributedHistogramCountsEveryValue) {
  // Bin v lies in block v / 8 of a cluster of four. Each thread adds its eight values.
  constexpr std::uint32_t kBins = 32;
  const std::string body =
      kIds +
      std::string(
          "mov.u32 %r4, s; shl.b32 %r5, %r0, 2; add.u32 %r6, %r4, %r5; mov.u32 %r7, 0;\n"
          "st.shared.u32 [%r6], %r7;\n") +
      kSync +
      "mov.u32 %r12, 0;\n"
      "more: mad.lo.u32 %r13, %r1, 32, %r0; mad.lo.u32 %r13, %r13, 8, %r12; mul.lo.u32 %r13, %r13, "
      "2654435761;\n"
      "shr.u32 %r13, %r13, 27; shr.u32 %r14, %r13, 3; and.b32 %r15, %r13, 7; shl.b32 %r15, %r15, 2;\n"
      "add.u32 %r15, %r15, %r4; mapa.shared::cluster.u32 %r16, %r15, %r14;\n"
      "atom.shared::cluster.add.u32 %r17, [%r16], 1; red.shared::cluster.add.u32 [%r16], 1;\n"
      "add.u32 %r12, %r12, 1; setp.lt.u32 %p0, %r12, 8; @%p0 bra more;\n" +
      kSync +
      "ld.shared.u32 %r10, [%r6]; mad.lo.u32 %r11, %r1, 8, %r0; setp.ge.u32 %p0, %r0, 8; @%p0 ret;\n"
      "mul.wide.u32 %rd2, %r11, 4; add.u64 %rd2, %rd0, %rd2; st.global.u32 [%rd2], %r10;";
  Words wanted(kBins);
  for (std::uint32_t i = 0; i < 4 * 32 * 8; ++i) wanted[(i * 2654435761U) >> 27U] += 2;
  for (const FunctionalOrder order : kOrders) {
    ClusterRun run(body, {4, 1, 1}, {4, 1, 1}, kBins);
    run.run.order = order;
    EXPECT_EQ(run.words(), wanted);
  }
}

TEST(PtxClusterBlocks, BlocksOfAClusterAreNeighboursInTheGrid) {
  // A 4 x 4 grid of 2 x 2 clusters. Each block writes the registers of its cluster at its place in the grid.
  const std::string body =
      "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mad.lo.u32 %r6, %r5, 4, %r4;\n"
      "mul.wide.u32 %rd2, %r6, 32; add.u64 %rd2, %rd0, %rd2;\n"
      "mov.u32 %r7, %clusterid.x; st.global.u32 [%rd2], %r7; mov.u32 %r7, %clusterid.y;\n"
      "st.global.u32 [%rd2+4], %r7; mov.u32 %r7, %nclusterid.x; st.global.u32 [%rd2+8], %r7;\n"
      "mov.u32 %r7, %cluster_ctaid.x; st.global.u32 [%rd2+12], %r7; mov.u32 %r7, %cluster_ctaid.y;\n"
      "st.global.u32 [%rd2+16], %r7; mov.u32 %r7, %cluster_nctaid.y; st.global.u32 [%rd2+20], %r7;\n"
      "mov.u32 %r7, %cluster_ctarank; st.global.u32 [%rd2+24], %r7;\n"
      "mov.u32 %r7, %cluster_nctarank; st.global.u32 [%rd2+28], %r7;";
  const Words words = ClusterRun(body, {4, 4, 1}, {2, 2, 1}, 128).words();
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 4; ++x) {
      const auto first = words.begin() + 8 * (4 * y + x);
      EXPECT_EQ(Words(first, first + 8), (Words{x / 2, y / 2, 2, x % 2, y % 2, 2, y % 2 * 2 + x % 2, 4}));
    }
}

TEST(PtxClusterBlocks, BlocksOfAClusterHaveConsecutiveNumbers) {
  const Dim3 grid{4, 4, 2};
  const Dim3 cluster{2, 1, 2};
  const auto at = [&](std::uint64_t block) {
    const Dim3 place = position_of(grid, cluster, BlockId{block});
    return Words{place.x, place.y, place.z};
  };
  EXPECT_EQ(at(0), (Words{0, 0, 0}));
  EXPECT_EQ(at(1), (Words{1, 0, 0}));
  EXPECT_EQ(at(2), (Words{0, 0, 1}));
  EXPECT_EQ(at(4), (Words{2, 0, 0}));
  EXPECT_EQ(at(9), (Words{1, 1, 0}));
  EXPECT_EQ(at(31), (Words{3, 3, 1}));
}

TEST(PtxClusterBlocks, TheBarrierWaitsForThreadsOfAllBlocks) {
  // Block 1 counts before it arrives. Block 0 reads the count behind the barrier, and a third warp of each
  // block ends without an arrival.
  const std::string body =
      kIds +
      std::string(
          "setp.ge.u32 %p2, %r0, 64; @%p2 ret; setp.eq.u32 %p0, %r1, 0; @%p0 bra meet;\n"
          "mov.u32 %r4, 0; more: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 20000; @%p1 bra more;\n"
          "st.global.u32 [%rd0], %r4;\n meet:\n") +
      kSync +
      "@!%p0 ret; setp.ne.u32 %p1, %r0, 0; @%p1 ret; ld.global.u32 %r5, [%rd0]; add.u32 %r5, %r5, 1;\n"
      "st.global.u32 [%rd0+4], %r5;";
  for (const FunctionalOrder order : kOrders) {
    ClusterRun run(body, {2, 1, 1}, {2, 1, 1}, 2);
    run.run.block.x = 96;
    run.run.order = order;
    EXPECT_EQ(run.words(), (Words{20000, 20001}));
  }
}

TEST(PtxClusterBlocks, AWaitForABlockThatNeverArrivesIsTold) {
  ClusterRun loop(
      kIds + std::string("setp.eq.u32 %p0, %r1, 0; @%p0 bra meet; more: bra more;\n meet:\n") + kSync,
      {2, 1, 1}, {2, 1, 1});
  EXPECT_THAT(loop.run.failure(), HasSubstr("waits for all threads of the cluster"));
}

// Counts the blocks of a program that have started and not ended.
class CountedProgram final : public KernelProgram {
 public:
  explicit CountedProgram(std::unique_ptr<KernelProgram> program) : program_(std::move(program)) {}
  BlockStream& start(BlockId block) override {
    most = std::max(most, ++resident_);
    return program_->start(block);
  }
  void finish(BlockStream& stream) override {
    --resident_;
    program_->finish(stream);
  }
  void watch(bool is_watched) override { program_->watch(is_watched); }
  std::uint64_t changes() const override { return program_->changes(); }
  bool is_stuck() const override { return program_->is_stuck(); }

  std::uint32_t most = 0;

 private:
  const std::unique_ptr<KernelProgram> program_;
  std::uint32_t resident_ = 0;
};

TEST(PtxClusterBlocks, AClusterEndsBeforeManyOthersStart) {
  const std::string body = with_own_words(
      "add.u32 %r8, %r1, 1; rem.u32 %r8, %r8, %r3;\n"
      "mapa.shared::cluster.u32 %r9, %r6, %r8; ld.shared::cluster.u32 %r10, [%r9];\n" +
      std::string(kStore) + kSync);
  for (const FunctionalOrder order : kOrders) {
    ClusterRun run(body, {4000, 1, 1}, {4, 1, 1}, 4000 * 32);
    const Launch launch = run.run.launch();
    CountedProgram program(make_program(launch, run.run.memory()));
    FunctionalRules rules;
    rules.order = order;
    run_functionally(program, 4000, shape_of(launch), rules);
    EXPECT_EQ(run.run.read<std::uint32_t>(run.out, 4000 * 32), ring_of(4000, 4));
    EXPECT_EQ(program.most, order == FunctionalOrder::kBlocks ? 4U : 32U);
  }
}

TEST(PtxClusterBlocks, ClustersMeetAtABarrierOfTheGrid) {
  // Each block adds one to a word and waits until all 256 have.
  const std::string body = with_own_words(
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra there; red.global.add.u32 [%rd0], 1;\n"
      "more: ld.volatile.global.u32 %r8, [%rd0]; setp.lt.u32 %p1, %r8, 256; @%p1 bra more;\n"
      "there: bar.sync 0; setp.ne.u32 %p0, %r0, 0; @%p0 ret;\n"
      "ld.volatile.global.u32 %r10, [%rd0]; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd0, %rd2;\n"
      "st.global.u32 [%rd2+4], %r10;");
  for (const FunctionalOrder order : kOrders) {
    ClusterRun run(body, {256, 1, 1}, {4, 1, 1}, 257);
    run.run.order = order;
    EXPECT_THAT(run.words(), Each(256U));
  }
}

std::string failure_of(const std::string& body, Dim3 grid = {2, 1, 1}, Dim3 cluster = {2, 1, 1}) {
  return ClusterRun(body, grid, cluster).run.failure();
}

TEST(PtxClusterBlocks, AccessesToBlocksThatAreNotThereAreFaults) {
  const std::string rank_of_two = kIds + std::string("mapa.shared::cluster.u32 %r9, %r1, 2;");
  EXPECT_THAT(failure_of(rank_of_two), HasSubstr("block 2 of a cluster of 2 blocks"));
  const std::string after_the_end =
      kIds + std::string(
                 "setp.eq.u32 %p0, %r1, 1; @%p0 ret; mov.u32 %r4, s; mov.u32 %r5, 0;\n"
                 "more: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20000; @%p1 bra more;\n"
                 "mapa.shared::cluster.u32 %r9, %r4, 1; ld.shared::cluster.u32 %r10, [%r9];");
  EXPECT_THAT(failure_of(after_the_end), HasSubstr("block 1 of the cluster, which has ended"));
  const std::string behind =
      kIds +
      std::string(
          "mov.u32 %r4, s; add.u32 %r4, %r4, 1024; mapa.shared::cluster.u32 %r9, %r4, 1;\n"
          "ld.shared::cluster.u32 %r10, [%r9];") +
      kSync;
  EXPECT_THAT(failure_of(behind), HasSubstr("of the 1024 bytes of shared memory of block 1 of the cluster"));
  const std::string as_own =
      kIds + std::string("mov.u32 %r4, s; mapa.shared::cluster.u32 %r9, %r4, 1; ld.shared.u32 %r10, [%r9];") +
      kSync;
  EXPECT_THAT(failure_of(as_own), HasSubstr("of the 1024 bytes of shared memory"));
  EXPECT_THAT(failure_of("mapa.u64 %rd4, %rd0, 1;"), HasSubstr("which is not in shared memory"));
}

// Returns the problem of a launch with these words behind the parameters of its entry.
std::string problem_of(const std::string& limits, Dim3 grid, std::optional<Dim3> cluster,
                       bool any_size = false) {
  std::string text = kernel_text("ret;");
  text.insert(text.find('{', text.find(".entry")), limits);
  PtxRun run(text);
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  Launch launch = run.launch();
  launch.grid = grid;
  launch.cluster = cluster;
  launch.is_any_cluster_size = any_size;
  return launch_problem(launch);
}

TEST(PtxClusterBlocks, ALaunchStatesClustersThatItsEntryAndItsGridAllow) {
  const std::string two = ".explicitcluster .reqnctapercluster 2, 1, 1 ";
  EXPECT_EQ(problem_of(two, {4, 1, 1}, {}), "");
  EXPECT_EQ(problem_of(two, {4, 1, 1}, Dim3{2, 1, 1}), "");
  EXPECT_THAT(problem_of(two, {4, 1, 1}, Dim3{4, 1, 1}),
              HasSubstr("clusters of (4, 1, 1) blocks; 'k' asks for"));
  EXPECT_THAT(problem_of(two, {3, 1, 1}, {}), HasSubstr("no multiple of clusters of (2, 1, 1)"));
  EXPECT_THAT(problem_of("", {4, 3, 1}, Dim3{2, 2, 1}), HasSubstr("no multiple of clusters of (2, 2, 1)"));
  EXPECT_THAT(problem_of(".explicitcluster ", {4, 1, 1}, {}), HasSubstr(".explicitcluster"));
  EXPECT_EQ(problem_of(".explicitcluster ", {4, 1, 1}, Dim3{4, 1, 1}), "");
  EXPECT_THAT(problem_of("", {16, 1, 1}, Dim3{16, 1, 1}), HasSubstr("the most are 8"));
  EXPECT_EQ(problem_of("", {16, 1, 1}, Dim3{16, 1, 1}, true), "");
  EXPECT_THAT(problem_of("", {32, 1, 1}, Dim3{32, 1, 1}, true), HasSubstr("the most are 16"));
  EXPECT_THAT(problem_of("", {4, 1, 1}, Dim3{0, 1, 1}), HasSubstr("clusters of (0, 1, 1) blocks"));
  EXPECT_THAT(problem_of(".maxclusterrank 4 ", {8, 1, 1}, Dim3{8, 1, 1}), HasSubstr(".maxclusterrank"));
}

TEST(PtxClusterBlocks, TheShapeOfALaunchHasTheBlocksOfItsClusters) {
  EXPECT_EQ(shape_of(ClusterRun("ret;", {8, 2, 1}, {4, 2, 1}).run.launch()).cluster, 8U);
  EXPECT_EQ(shape_of(ClusterRun("ret;", {8, 2, 1}, {1, 1, 1}).run.launch()).cluster, 1U);
}

}  // namespace
}  // namespace heddle::ptx
