#pragma once
// This file has the messages between blocks over the typed sockets. They are plain data, and the receiver
// keeps a copy.
//
//   command queues -> dispatcher      Command          <- CommandTaken
//   command queues -> engine          ContextUpdate
//   dispatcher     -> engine          KernelLaunch     <- KernelDone
//   dispatcher     -> DMA engine      Transfer         <- TransferDone
//   engine         -> SM              SmRequest        <- SmReply, in dispatch_messages.h
//   DMA engine     -> engine          CopyDemand       <- CopyShare, where bandwidth is shared
//
// Flow control is by credit: a sender never has more messages outstanding than the receiver can hold.

#include <cstdint>

#include "models/core/base/ids.h"
#include "models/core/kernel/bandwidth.h"
#include "models/core/kernel/context.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

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
