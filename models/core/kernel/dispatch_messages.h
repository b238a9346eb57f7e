#pragma once
// This file has the messages of SM dispatch, from the execution engine to an SM and back. A message owns what
// it carries: nobody changes a launch, a sample or a saved block that a message shares, and it lives as long
// as the message.
//
// The engine sets a slice up before it issues the kernel's first block to it. The SM answers SliceReady after
// the set-up, BlockDone for each block, and SmSampled with the cycles before the arrival of a request for a
// sample; the engine asks for at most one sample in a cycle.
//
// After LimitBlocks the oldest blocks of the slice issue, and its younger ones are paused until one of these
// ends; a set-up lifts the limit, and a timed SM refuses it. After HaltBlocks the blocks of the slice issue
// no further instruction, and are done when their instructions and requests in flight are complete.
//
// After SaveBlock a block of the slice stops and is stored to swap space, and the SM answers BlockSaved, or
// BlockDone if the block has ended before. The SM answers BlockRestored when a block that goes on has its
// state back, so that its warps may issue; it does not if the block is stopped before. A timed SM stores and
// loads states, and its blocks get on, as fast as the last ShareBandwidth says, and answers each SaveBlock
// and each IssueBlock of a saved block with a StateMoved when that takes no bandwidth any more; the engine
// sends it at most one ShareBandwidth in a cycle.
//
// After FlushBlock a block of the slice stops, loses its work and gives up its resources when its
// instructions and requests in flight are complete. The SM then answers BlockFlushed, or BlockDone if the
// block has ended before.
//
// If SmLimits::by_warp is set, the SM sends WarpDone when a warp ends and its block has other warps left. The
// engine may then use the warp slot for another block. It also sends RoomChanged, in the cycle of SliceReady
// or before and at each change: the engine issues no more blocks of the slice than that.

#include <cstdint>
#include <memory>
#include <variant>

#include "models/core/base/ids.h"
#include "models/core/kernel/bandwidth.h"
#include "models/core/kernel/cluster_messages.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/saved_block.h"
#include "models/core/kernel/sm_sample.h"
#include "models/core/kernel/sm_work.h"

namespace heddle {

// A KernelSetUp is what an SM needs to know of a kernel before its blocks come.
struct KernelSetUp {
  KernelLaunch launch;              // that the slice's blocks belong to
  std::uint64_t page_table = 0;     // base page table register of the context (CUsched, III-B)
  std::uint64_t texture_table = 0;  // texture register of the context
};

// ---- from the engine to an SM. `ksr` names the slice.

struct IssueBlock {
  KsrId ksr;
  BlockId block;
  std::shared_ptr<const SavedBlock> saved;  // null: the block starts; otherwise it goes on with this state
  std::shared_ptr<const ClusterPlaces> cluster;  // null: the block is the only one of its cluster
};
struct SetUpSlice {
  KsrId ksr;
  std::shared_ptr<const KernelSetUp> kernel;
};
struct TakeSample {
  Cycle asked{};  // the cycle of the request, which the answer repeats
};
struct LimitBlocks {
  KsrId ksr;
  std::uint32_t limit = 0;  // the most blocks that issue
};
struct HaltBlocks {
  KsrId ksr;
};
struct SaveBlock {
  KsrId ksr;
  BlockId block;
  std::uint32_t area = 0;  // of swap space: SavedBlock::area
};
struct FlushBlock {
  KsrId ksr;
  BlockId block;
};
struct ShareBandwidth {
  std::shared_ptr<const BandwidthTable> table;
};
using SmRequest = std::variant<IssueBlock, SetUpSlice, TakeSample, LimitBlocks, HaltBlocks, SaveBlock,
                               FlushBlock, ShareBandwidth>;

// ---- from an SM to the engine

struct BlockDone {
  KsrId ksr;
  BlockId block;
  SmWork work;  // the block's counts on all SMs
};
struct SliceReady {
  KsrId ksr;
};
struct BlockSaved {
  KsrId ksr;
  BlockId block;
  std::shared_ptr<const SavedBlock> saved;
};
struct BlockFlushed {
  KsrId ksr;
  BlockId block;
  SmWork work;  // the block's counts on all SMs, which are lost
};
struct BlockRestored {
  KsrId ksr;
  BlockId block;
};
struct SmSampled {
  std::shared_ptr<const SmSample> sample;
  Cycle asked{};  // the cycle of the request
};
struct WarpDone {};
struct RoomChanged {
  KsrId ksr;
  std::uint64_t room = 0;  // the most blocks issued since the set-up of the slice
};
struct StateMoved {};
using SmReply = std::variant<BlockDone, SliceReady, BlockSaved, BlockFlushed, BlockRestored, SmSampled,
                             WarpDone, RoomChanged, StateMoved>;

}  // namespace heddle
