#pragma once
// This file has the messages between blocks over the typed sockets. They are plain data, and the receiver
// keeps a copy.
//
//   command queues -> dispatcher      Command          <- CommandTaken
//   command queues -> engine          ContextUpdate
//   dispatcher     -> engine          KernelLaunch     <- KernelDone
//   dispatcher     -> DMA engine      Transfer         <- TransferDone
//   engine         -> SM              SmRequest        <- SmReply
//   DMA engine     -> engine          CopyDemand       <- CopyShare, where bandwidth is shared
//
// Flow control is by credit: a sender never has more messages outstanding than the receiver can hold.

#include <cstdint>

#include "models/core/base/ids.h"
#include "models/core/kernel/bandwidth.h"
#include "models/core/kernel/context.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/sm_sample.h"
#include "models/core/kernel/sm_work.h"

namespace heddle {

struct SavedBlock;

// These are the messages of SM dispatch. The engine sets a slice up before it issues the kernel's first block
// to it. The SM answers kReady after the set-up, kBlockDone for each block, and kSample with the cycles
// before the arrival of the request; the engine sends at most one kSample in a cycle. After kLimit the oldest
// `limit` blocks of the slice issue, and its younger ones are paused until one of these ends; a set-up lifts
// the limit, and a timed SM refuses it. After kHalt the blocks of the slice issue no further instruction, and
// are done when their instructions and requests in flight are complete. After kSave a block of the slice
// stops and is stored to swap space, and the SM answers kBlockSaved, or kBlockDone if the block has ended
// before. The SM answers kRestored when a block that goes on has its state back, so that its warps may issue;
// it does not if the block is stopped before. A timed SM stores and loads states, and its blocks get on, as
// fast as the last kShare says, and answers each kSave and each kIssue of a saved block with a kMoved when
// that takes no bandwidth any more; the engine sends it at most one kShare in a cycle. After kFlush a block
// of the slice stops, loses its work and gives up its resources when its instructions and requests in flight
// are complete. The SM then answers kBlockFlushed, or kBlockDone if the block has ended before.
struct SmRequest {
  enum class Kind : std::uint8_t { kSetUp, kIssue, kSample, kLimit, kHalt, kSave, kFlush, kShare };
  Kind kind = Kind::kIssue;
  KsrId ksr;                              // kSetUp, kIssue, kLimit, kHalt, kSave, kFlush: the slice
  BlockId block;                          // kIssue, kSave, kFlush
  KernelLaunch launch;                    // kSetUp: the launch that the slice's blocks belong to
  std::uint64_t page_table = 0;           // kSetUp: base page table register of the context (CUsched, III-B)
  std::uint64_t texture_table = 0;        // kSetUp: texture register of the context
  std::uint32_t limit = 0;                // kLimit: the most blocks that issue
  Cycle asked{};                          // kSample: the cycle of the request, which the reply repeats
  SavedBlock* saved = nullptr;            // kSave: what the SM fills in; kIssue: null, or the block goes on
  const BandwidthTable* share = nullptr;  // kShare: valid in the cycle in which the message arrives
};

struct SmReply {
  // If SmLimits::by_warp is set, the SM sends kWarpDone when a warp ends and its block has other warps left.
  // The engine may then use the warp slot for another block. It also sends kRoom, in the cycle of kReady or
  // before and at each change: the engine issues no more blocks of the slice than that.
  enum class Kind : std::uint8_t {
    kReady,
    kBlockDone,
    kBlockSaved,
    kBlockFlushed,
    kRestored,
    kSample,
    kWarpDone,
    kRoom,
    kMoved
  };
  Kind kind = Kind::kBlockDone;
  KsrId ksr;                         // kReady, kBlockDone, kBlockSaved, kBlockFlushed, kRestored, kRoom
  BlockId block;                     // kBlockDone, kBlockSaved, kBlockFlushed, kRestored
  SmWork work;                       // kBlockDone, kBlockFlushed: the block's counts on all SMs
  const SmSample* sample = nullptr;  // kSample: owned by the SM, valid until it has answered another one
  Cycle asked{};                     // kSample: the cycle of the request
  std::uint64_t room = 0;            // kRoom: the most blocks issued since the set-up of the slice
};

struct KernelDone {
  KernelId kernel;
  ContextId context;
  StreamId stream;
};

// kUp is host to device, kDown is device to host. kAcross and kFill stay within device memory and do not use
// the link.
enum class Direction : std::uint8_t { kUp, kDown, kAcross, kFill };

struct Transfer {
  std::uint64_t number = 0;  // counted by the dispatcher
  ContextId context;
  StreamId stream;
  std::int32_t priority = 0;  // of the context, larger first
  Direction direction = Direction::kUp;
  Address system_address = 0;  // kUp, kDown
  Address device_address = 0;  // kDown: read; else written
  Address source_address = 0;  // kAcross: on the device, read
  std::uint8_t value = 0;      // kFill
  std::uint64_t bytes = 0;
};

struct TransferDone {
  std::uint64_t number = 0;
  ContextId context;
  StreamId stream;
};

// A Command is one decoded command at the head of a hardware queue. models/host/command.h has its layout in
// memory.
struct Command {
  enum class Kind : std::uint8_t { kLaunch, kCopyUp, kCopyDown, kRecord, kWait, kCopyAcross, kFill };
  Kind kind = Kind::kLaunch;
  QueueId queue;
  ContextId context;
  StreamId stream;
  std::int32_t priority = 0;      // of the context when the command came to the head; larger goes first
  KernelLaunch launch;            // kLaunch; the dispatcher assigns the kernel number
  Address system_address = 0;     // kCopyUp, kCopyDown
  Address device_address = 0;     // kCopyDown: read; other copies and kFill: written
  Address source_address = 0;     // kCopyAcross: on the device, read
  std::uint8_t value = 0;         // kFill
  std::uint64_t bytes = 0;        // copies and kFill
  std::uint32_t event = 0;        // kRecord, kWait
  std::uint64_t event_value = 0;  // kRecord sets the event to it, kWait waits until the event has reached it
  Address fence_address = 0;      // where fence_value is written on completion; 0: nowhere
  std::uint64_t fence_value = 0;
};

struct CommandTaken {
  QueueId queue;
};

// Returns whether the command is a transfer, which the DMA engines perform.
inline bool is_transfer(Command::Kind kind) {
  return kind == Command::Kind::kCopyUp || kind == Command::Kind::kCopyDown ||
         kind == Command::Kind::kCopyAcross || kind == Command::Kind::kFill;
}

// A ContextUpdate carries a context's registers after the host has written one of them.
struct ContextUpdate {
  ContextId context;
  ContextView share;             // the engine derives `open` from the page table
  std::uint64_t page_table = 0;  // base page table register
  std::uint64_t texture_table = 0;
};
struct NoReply {};

}  // namespace heddle
