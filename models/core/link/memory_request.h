#pragma once
// A MemoryRequest is one request of the memory path, from an SM to an L2 slice or from a slice to DRAM.

#include <array>
#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle {

constexpr std::uint32_t kLineBytes = 128;   // of every cache
constexpr std::uint32_t kSectorBytes = 32;  // the smallest transfer

enum class RequestKind : std::uint8_t {
  kOther,
  kLoad,
  kStore,
  kAtomic,       // a read-modify-write that the L2 slice performs
  kInstruction,  // instruction fetch
  kConstant,
  kFill,       // L2 to DRAM: a read of sectors that missed
  kWriteBack,  // dirty sectors of an evicted line
  kSwapLoad,   // a read or a write of swap space, wherever it comes from
  kSwapStore,
};

struct MemoryRequest {
  Address address = 0;      // virtual as far as the crossbar, then physical; aligned to a sector of 32 bytes
  std::uint32_t bytes = 0;  // whole sectors of one line of 128 bytes
  RequestKind kind = RequestKind::kOther;
  bool partial = false;    // kStore: a byte of the range is not written; `written` has the bytes that are
  std::uint8_t lanes = 0;  // kAtomic: the number of its lanes
  std::uint8_t depth = 0;  // kAtomic: the most lanes that access one word, summed over its sectors
  ContextId context;
  AccountId account;                       // of the launch that causes it
  SmId sm;                                 // the SM that causes it; its port sets it
  std::uint32_t warp = 0;                  // slot
  std::uint32_t trace = 0;                 // models/core/kernel/trace.h; 0: nobody follows the request
  std::uint64_t number = 0;                // the sender's own number, which comes back with the answer
  std::array<std::uint64_t, 2> written{};  // a bit per byte of the line
  Cycle issued;                            // in cycles of the sender's clock; its port sets it
  std::uint32_t merger_entry = 0;          // of the ReadMerger that the request has passed
  bool missed_line = false;                // of an answer of L2: whether the request missed a line there
};

inline bool is_write(RequestKind kind) {
  return kind == RequestKind::kStore || kind == RequestKind::kWriteBack || kind == RequestKind::kSwapStore;
}
inline bool is_swap(RequestKind kind) {
  return kind == RequestKind::kSwapLoad || kind == RequestKind::kSwapStore;
}

// An SM's requests leave it through this port.
class MemoryRequestPort {
 public:
  virtual ~MemoryRequestPort() = default;
  virtual bool can_send(Cycle now) const = 0;  // whether one more request can be sent in this cycle
  virtual void send(const MemoryRequest& request, Cycle now) = 0;
};

}  // namespace heddle
