#pragma once
// A MemoryBlock is a block of the memory path behind the crossbar as the path uses it: an L2 slice or a DRAM
// channel, of the model or in RTL.

#include <tlm>

#include <cstdint>
#include <string>

#include "models/core/base/counter.h"
#include "models/core/base/ids.h"

namespace heddle {

class Group;          // models/stats/group.h
class LinkInitiator;  // models/core/link/memory_link.h
class LinkTarget;
struct LaunchCounts;  // models/core/kernel/launch_counts.h
class TraceSink;      // models/core/kernel/trace.h

class MemoryBlock {
 public:
  virtual ~MemoryBlock() = default;

  // Requests come through these ports. An L2 slice has one, a channel has one for each of its slices. The
  // first function returns the end of a memory link, or null if the block speaks the base protocol alone. The
  // second one returns a socket of the base protocol, which is bound instead.
  virtual LinkTarget* link(std::uint32_t /*i*/) { return nullptr; }
  virtual tlm::tlm_target_socket<>& port(std::uint32_t i) = 0;

  virtual void reset() = 0;
  virtual bool idle() const = 0;
  virtual std::string waiting_for() const = 0;  // what a block that is not idle waits for
  // Brings the counters up to the present cycle of the block's clock. It is called before they are read.
  virtual void update_stats(Cycle now) = 0;
  virtual Group& stats() = 0;                    // of a channel with pseudo-channels, those of the first one
  virtual void attach_stats(Group& parent) = 0;  // makes all groups of statistics children of `parent`

  // What the block has counted for a launch, whether it still works for the launch, whose SMs have the
  // answers to all its requests, and the call that starts its counts at zero again.
  virtual void add_counts(AccountId account, LaunchCounts& counts) const = 0;
  virtual bool holds(AccountId account) const = 0;
  virtual void close(AccountId account) = 0;

  // From now on the block tells the sink of requests that are followed. A block in RTL tells nothing.
  virtual void trace(TraceSink& /*sink*/) {}
};

class L2Block : public MemoryBlock {
 public:
  // Requests to DRAM leave through one of these: see link() and port().
  virtual LinkInitiator* dram_link() { return nullptr; }
  virtual tlm::tlm_initiator_socket<>& dram() = 0;
  virtual const Counter& requests() const = 0;
  virtual const Counter& lines_missed() const = 0;
  // A copy or a fill has written the line at this physical address, and the line stays in the slice. A block
  // in RTL is not told of it.
  virtual void place(Address /*line*/) {}
};

}  // namespace heddle
