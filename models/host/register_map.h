#pragma once
// This is the register map of the GPU behind the `mmio` target socket. Registers are 8 bytes wide and
// little-endian. An access that is not a whole aligned register is answered with TLM_ADDRESS_ERROR_RESPONSE.
// A write takes effect at the next edge of the PCIe clock. transport_dbg reads any range without side effect.
//
//   address             register
//   0x00_0000           ID               read only   "HEDDLE01"
//   0x00_0008           QUEUES           read only   hardware queues
//   0x00_0010           CONTEXTS         read only
//   0x00_0018           SMS              read only
//   0x00_0020           COUNTERS         read only   counters in the window
//   0x00_0028           ERROR            a QueueError; writing clears it
//   0x00_0030           ERROR_QUEUE      read only   the queue that halted
//   0x00_1000 + 64 q    queue q:         BASE +0x00, ENTRIES +0x08, TAIL +0x10 (doorbell), HEAD +0x18 (read
//                                        only), WRITEBACK +0x20
//   0x00_8000 + 64 c    context c:       PRIORITY +0x00 (signed, larger first), TOKENS +0x08, PAGE_TABLE
//                                        +0x10 (0: no process has the context), TEXTURE_TABLE +0x18
//   0x10_0000 + 8 i     counter i        read only   in the order of their paths
//   0x20_0000 + 128 i   name of counter i read only  its path, ended by a zero byte
//
// A queue is a ring of 64-byte command descriptors (models/host/command.h) in system memory at BASE. TAIL and
// HEAD count descriptors and wrap at 2^64; descriptor n lies at BASE + 64 (n mod ENTRIES). The driver may
// have at most ENTRIES descriptors between HEAD and TAIL. After each descriptor that is taken, the GPU writes
// HEAD to the 8 bytes at WRITEBACK, unless that is 0. A descriptor that the GPU cannot accept halts its queue
// until a reset: ERROR and ERROR_QUEUE report it, and kHalted is written to WRITEBACK.

#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle::registers {

constexpr std::uint64_t kIdValue = 0x3130454c44444548ULL;  // "HEDDLE01"
constexpr std::uint64_t kHalted = ~std::uint64_t{0};

constexpr Address kId = 0x00;
constexpr Address kQueues = 0x08;
constexpr Address kContexts = 0x10;
constexpr Address kSms = 0x18;
constexpr Address kCounters = 0x20;
constexpr Address kError = 0x28;
constexpr Address kErrorQueue = 0x30;

constexpr Address kQueueBase = 0x1000;
constexpr Address kContextBase = 0x8000;
constexpr Address kContextEnd = 0x100000;
constexpr Address kBlockStride = 0x40;  // of queues and contexts
constexpr Address kCounterValues = 0x100000;
constexpr Address kCounterNames = 0x200000;
constexpr Address kNameBytes = 128;
constexpr Address kEnd = 0x1000000;

enum QueueRegister : Address { kBase = 0x00, kEntries = 0x08, kTail = 0x10, kHead = 0x18, kWriteback = 0x20 };
enum ContextRegister : Address { kPriority = 0x00, kTokens = 0x08, kPageTable = 0x10, kTextureTable = 0x18 };

constexpr Address queue(std::uint32_t number, QueueRegister which) {
  return kQueueBase + number * kBlockStride + which;
}
constexpr Address context(std::uint32_t number, ContextRegister which) {
  return kContextBase + number * kBlockStride + which;
}

enum class QueueError : std::uint64_t {
  kNone = 0,
  kBus = 1,      // a descriptor could not be read
  kOpcode = 2,   // unknown opcode, or a reserved field that is not zero
  kContext = 3,  // no such context
  kStream = 4,   // no such stream
  kEvent = 5,    // no such event
  kKernel = 6,   // no blocks, no residence, or a block that does not fit an SM
  kCopy = 7,     // a copy or a fill of no bytes, or a fill with more than a byte
  kRing = 8,     // ENTRIES is zero or too large, or TAIL is more than ENTRIES ahead of HEAD
};

}  // namespace heddle::registers
