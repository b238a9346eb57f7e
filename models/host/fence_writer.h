#pragma once
// A FenceWriter writes fences to system memory in the order in which their commands are complete, at most one
// a cycle.

#include "models/core/base/counter.h"
#include "models/core/base/ids.h"
#include "models/core/base/ring.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"

namespace heddle {

struct Fence {
  ContextId context;
  Address address = 0;  // in system memory; 0: the command has no fence
  std::uint64_t value = 0;
};

class FenceWriter {
 public:
  // At most `most` fences wait. `owner` is the name of the block in messages.
  FenceWriter(const char* owner, ClockDomain& clock, ClockDomain::Sleeper sleeper, std::size_t most);
  void reset();

  tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }
  Counter& written() { return written_; }

  // Adds a fence to those that wait, unless the command has none.
  void add(const Fence& fence) {
    if (fence.address != 0) waiting_.push(fence);
  }
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t capacity() const { return waiting_.capacity(); }
  bool idle() const { return waiting_.empty() && memory_.outstanding() == 0; }

  // The block calls these functions in a tick. collect() takes the responses to earlier writes.
  void collect(Cycle now);
  void write(Cycle now);
  Cycle due(Cycle now) const { return memory_.due(now); }  // of the next response

 private:
  const char* owner_;
  PayloadPool pool_;
  MemoryInitiator memory_;
  Ring<Fence> waiting_;
  Counter written_;
};

}  // namespace heddle
