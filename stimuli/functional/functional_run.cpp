#include "stimuli/functional/functional_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/core/kernel/barrier.h"
#include "stimuli/functional/hang_watch.h"

namespace heddle {

namespace {

// A turn is the number of instructions that a block issues before another block continues. While blocks are
// still to be started, turns double with every kDoubling resident blocks, so that long blocks end and only
// blocks that wait for others stay resident.
constexpr std::uint64_t kFirstTurn = 16384;
constexpr std::uint64_t kLastTurn = 4096;  // of a turn after all blocks have been started
constexpr std::size_t kDoubling = 64;
constexpr std::size_t kMostDoublings = 24;
// A warp issues at most this many instructions before the block's next warp, for which it may wait.
constexpr std::uint64_t kWarpTurn = 1024;
// The blocks that are interleaved. After kMostRounds rounds another block starts beside them, for which they
// may wait.
constexpr std::size_t kInterleavedBlocks = 32;
constexpr std::uint64_t kMostRounds = 1024;
// No GPU holds more warps at once. If so many are stuck, no block after them can help.
constexpr std::size_t kMostWarpsOfAGpu = 16384;
using WarpMask = std::uint64_t;
constexpr std::uint32_t kMostWarps = 64;  // of a block

class FunctionalBlock {
 public:
  FunctionalBlock(KernelProgram& program, BlockId id, std::uint32_t warps, bool in_cluster)
      : program_(&program), stream_(&program.start(id)), id_(id), in_cluster_(in_cluster) {
    for (std::uint32_t warp = 0; warp < warps; ++warp)
      if (stream_->peek(warp, 0) != nullptr) live_ |= WarpMask{1} << warp;
  }

  bool ended() const { return live_ == 0; }
  BlockId id() const { return id_; }
  void finish() { program_->finish(*stream_); }

  // All warps that have not ended wait at barriers, which only warps of the same block open.
  bool deadlocked() const { return live_ != 0 && (live_ & ~waiting_) == 0; }

  // Each of the block's warps that do not wait issues one instruction, the last warp first.
  void run_each_warp(IssuedInstruction& issued, FunctionalCounts& counts) {
    for (std::uint32_t warp = kMostWarps; warp-- > 0;)
      if (((live_ & ~waiting_) >> warp & 1U) != 0) run_warp(warp, 1, issued, counts);
  }

  // Issues about `turn` instructions, fewer where the block ends or all of its warps wait. The next turn
  // starts at the warp behind the last one of this turn, for which this one may wait. A block of a cluster
  // that waits for another one ends its turn. Returns whether a warp issued more than the instruction at
  // which it waits.
  bool run(std::uint64_t turn, IssuedInstruction& issued, FunctionalCounts& counts) {
    std::uint64_t left = turn;
    bool goes_on = false;
    WarpMask held = 0;  // warps that wait at an instruction, as the last turn of each has shown
    while (left > 0 && (live_ & ~waiting_ & ~held) != 0) {
      const WarpMask ready = live_ & ~waiting_ & ~held;
      const WarpMask behind = next_ < kMostWarps ? ready >> next_ << next_ : 0;
      const auto warp = static_cast<std::uint32_t>(__builtin_ctzll(behind != 0 ? behind : ready));
      const std::uint64_t issues = run_warp(warp, std::min(left, kWarpTurn), issued, counts);
      left -= std::min(issues, left);
      next_ = warp + 1;
      const bool is_held = in_cluster_ && must_wait(warp);
      if (issues > 1 || !is_held) held = 0;
      goes_on = goes_on || issues > 1 || !is_held;
      if (is_held) held |= WarpMask{1} << warp;
    }
    return goes_on;
  }

 private:
  std::uint64_t run_warp(std::uint32_t warp, std::uint64_t most, IssuedInstruction& issued,
                         FunctionalCounts& counts) {
    const WarpMask bit = WarpMask{1} << warp;
    std::uint64_t issues = 0;
    while (issues < most) {
      issued.ended = false;
      issued.now = Cycle{counts.warp_instructions + issues + 1};
      stream_->issue(warp, issued);
      ++issues;
      counts.thread_instructions += static_cast<std::uint64_t>(__builtin_popcount(issued.mask));
      if (issued.code->reaches_cluster) deliver();
      if (issued.code->operation == Operation::kBulkCopy && issued.mask != 0)
        for (const BulkCopy& copy : stream_->bulk_copies()) {
          stream_->complete(copy.number);
          if (issued.code->reaches_cluster) deliver();
        }
      if (issued.ended) {
        live_ &= ~bit;
        open_barriers();
        break;
      }
      if (in_cluster_ && issued.code->awaits && must_wait(warp)) break;
      if (issued.code->operation != Operation::kBarrier) continue;
      arrive(*issued.code, bit);
      if ((waiting_ & bit) != 0) break;
    }
    counts.warp_instructions += issues;
    return issues;
  }

  bool must_wait(std::uint32_t warp) {
    const Instruction* const next = stream_->peek(warp, 0);
    return next != nullptr && next->awaits && stream_->waits(warp);
  }

  // Blocks receive signals at once.
  void deliver() {
    for (const ClusterMessage& message : stream_->cluster_messages()) {
      if (message.kind == ClusterMessage::Kind::kAccess) continue;
      if (BlockStream* const to = stream_->block_of_cluster(message.rank); to != nullptr)
        to->receive(message);
    }
  }

  void arrive(const Instruction& code, WarpMask warp) {
    barriers_[code.barrier].arrive(warp, code);
    open_barriers();
  }

  void open_barriers() {
    waiting_ = 0;
    for (Barrier& barrier : barriers_) {
      if (barrier.opens(live_)) barrier = {};
      waiting_ |= barrier.waiting;
    }
  }

  KernelProgram* program_;
  BlockStream* stream_;
  BlockId id_;
  bool in_cluster_;         // with other blocks
  std::uint32_t next_ = 0;  // the first warp of the next turn
  WarpMask live_ = 0;
  WarpMask waiting_ = 0;
  std::array<Barrier, kBarriers> barriers_{};
};

// The blocks of a cluster that have not ended. They start together. A block that is the only one of its
// cluster is a cluster, too.
using FunctionalCluster = std::vector<FunctionalBlock>;

// The blocks of a launch that have started and not ended.
class FunctionalGrid {
 public:
  FunctionalGrid(KernelProgram& program, std::uint64_t blocks, const BlockShape& shape,
                 const FunctionalRules& rules)
      : program_(program),
        blocks_(blocks),
        cluster_(shape.cluster),
        warps_((shape.threads + kLanes - 1) / kLanes),
        rules_(rules),
        hang_(program) {}

  FunctionalCounts run() {
    while (next_ < blocks_ || !resident_.empty()) {
      if (rules_.order == FunctionalOrder::kBlocks)
        take_turn();
      else
        interleave();
    }
    return counts_;
  }

 private:
  void take_turn() {
    // A new block takes its turn first, so that a block that waits for it waits for one turn only. Under a
    // watch the other blocks take their turns, until all of them are stuck. As many others then start.
    if (is_stuck_ && to_start_ == 0) to_start_ = resident_.size();
    const std::uint64_t turn = turn_length();
    if (next_ < blocks_ && (!hang_.is_watching() || to_start_ > 0)) {
      resident_.push_front(start_cluster());
      if (to_start_ > 0) --to_start_;
    }
    FunctionalCluster cluster = std::move(resident_.front());
    resident_.pop_front();
    const std::size_t blocks = (resident_.size() + 1) * cluster_;
    if (cluster_ == 1)
      cluster.front().run(turn, issued_, counts_);
    else
      run_cluster(cluster, turn, blocks);
    end_turns(cluster, blocks);
    if (!cluster.empty()) resident_.push_back(std::move(cluster));
  }

  FunctionalCluster start_cluster() {
    FunctionalCluster cluster;
    cluster.reserve(cluster_);
    for (std::uint32_t i = 0; i < cluster_; ++i)
      cluster.emplace_back(program_, BlockId{next_++}, warps_, cluster_ > 1);
    return cluster;
  }

  // The blocks of a cluster take short turns after each other, until they have had the turn of the cluster or
  // all of them wait.
  void run_cluster(FunctionalCluster& cluster, std::uint64_t turn, std::size_t blocks) {
    bool goes_on = true;
    for (std::uint64_t done = 0; goes_on && done < turn && !cluster.empty(); done += kLastTurn) {
      goes_on = false;
      for (FunctionalBlock& block : cluster)
        if (block.run(kLastTurn, issued_, counts_)) goes_on = true;
      if (goes_on) end_turns(cluster, blocks);
    }
  }

  // Removes the blocks that have ended.
  void end_turns(FunctionalCluster& cluster, std::size_t blocks) {
    cluster.erase(std::remove_if(cluster.begin(), cluster.end(),
                                 [&](FunctionalBlock& block) { return end_turn(block, blocks); }),
                  cluster.end());
  }

  std::uint64_t turn_length() const {
    if (to_start_ > 0) return kWarpTurn * warps_;
    if (next_ == blocks_ || hang_.is_watching()) return kLastTurn;
    return kFirstTurn << std::min(resident_.size() / kDoubling, kMostDoublings);
  }

  // One round over the resident blocks.
  void interleave() {
    const std::size_t interleaved = (kInterleavedBlocks + cluster_ - 1) / cluster_;
    const std::size_t wanted = is_stuck_ ? 2 * resident_.size() : interleaved;
    while (next_ < blocks_ && (resident_.size() < wanted || rounds_ >= kMostRounds)) {
      resident_.push_back(start_cluster());
      rounds_ = 0;
    }
    ++rounds_;
    for (auto cluster = resident_.rbegin(); cluster != resident_.rend(); ++cluster)
      for (auto block = cluster->rbegin(); block != cluster->rend(); ++block)
        block->run_each_warp(issued_, counts_);
    const std::size_t blocks = resident_.size() * cluster_;
    for (FunctionalCluster& cluster : resident_) end_turns(cluster, blocks);
    resident_.erase(std::remove_if(resident_.begin(), resident_.end(),
                                   [](const FunctionalCluster& cluster) { return cluster.empty(); }),
                    resident_.end());
  }

  // Returns whether the block has ended. `blocks` are resident.
  bool end_turn(FunctionalBlock& block, std::size_t blocks) {
    if (block.deadlocked())
      throw std::runtime_error(fmt::format(
          "deadlock: the warps of block {} that have not ended wait at barriers that the others do not "
          "reach{}",
          block.id().value, program_.places()));
    const bool ended = block.ended();
    if (ended) {
      block.finish();
      ++ended_;
    }
    look_for_a_hang(ended, blocks * warps_);
    if (rules_.after_turn) rules_.after_turn(counts_, ended_);
    return ended;
  }

  void look_for_a_hang(bool block_ended, std::size_t warps) {
    const HangWatch::Verdict verdict = hang_.turn(counts_.warp_instructions, block_ended, warps);
    is_stuck_ = verdict == HangWatch::Verdict::kStuck;
    if (is_stuck_ && (next_ == blocks_ || warps > kMostWarpsOfAGpu))
      throw std::runtime_error(
          "the kernel never ends: each warp repeats itself or waits at a barrier, and memory does not "
          "change" +
          program_.places());
    if (verdict == HangWatch::Verdict::kSuspected && rules_.suspect) rules_.suspect(counts_);
  }

  KernelProgram& program_;
  const std::uint64_t blocks_;
  const std::uint32_t cluster_;  // blocks of a cluster
  const std::uint32_t warps_;
  const FunctionalRules& rules_;
  std::deque<FunctionalCluster> resident_;  // the front takes the next turn
  std::uint64_t next_ = 0;                  // the block that starts next
  std::uint64_t ended_ = 0;
  std::uint64_t rounds_ = 0;  // since a block has started
  IssuedInstruction issued_;
  FunctionalCounts counts_;
  HangWatch hang_;
  bool is_stuck_ = false;     // the blocks that have started, as the last turn has shown
  std::size_t to_start_ = 0;  // clusters that start because all before them are stuck
};

}  // namespace

FunctionalCounts run_functionally(KernelProgram& program, std::uint64_t blocks, const BlockShape& shape,
                                  const FunctionalRules& rules) {
  return FunctionalGrid(program, blocks, shape, rules).run();
}

}  // namespace heddle
