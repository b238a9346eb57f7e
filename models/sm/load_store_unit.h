#pragma once
// The memory unit of an SM: one in-order queue from the collectors, shared memory with its banks, L1 and
// constant cache with their MSHRs, and the queue of requests towards the crossbar. What an access of L1 asks
// L2 for reaches that queue L1's latency later, what goes past L1 at once. An instruction holds an entry from
// issue until it has been written back or handed to memory. Pure logic.

#include <optional>
#include <vector>

#include "models/core/base/ring.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/core/link/memory_request.h"
#include "models/sm/cache.h"
#include "models/sm/coalescer.h"
#include "models/sm/cycle_spec.h"

namespace heddle {

// Who an instruction belongs to.
struct MemoryOwner {
  std::uint32_t warp = 0;    // slot
  std::uint64_t thread = 0;  // of the warp's first lane, counted over the GPU's warp slots
  KsrId kernel;
  ContextId context;
};

class LoadStoreUnit {
 public:
  // What an entry's end means to the SM.
  struct Retired {
    std::uint32_t warp = 0;
    const Instruction* code = nullptr;
  };

  // threads: of all the GPU's warp slots; counts: by KSR.
  LoadStoreUnit(const CycleSmSpec& spec, std::uint64_t threads, std::vector<KernelCounts>& counts);

  // Empties the unit and its caches. The counts are their owner's to reset.
  void reset();

  // At issue.
  bool has_entry() const { return entries_left_ > 0; }
  std::uint32_t prepare(const IssuedInstruction& issued, const MemoryOwner& owner, Cycle now);

  // From the collectors, in order.
  bool has_room() const { return !queue_.full(); }
  void enter(std::uint32_t entry, Cycle now) { queue_.push({now + memory_latency_, entry}); }

  // One cycle of work on the oldest instruction: one access of L1, of the constant cache or of shared memory.
  void step(Cycle now);

  // The next one whose registers can be written; to be asked once a cycle.
  bool take_loaded(Cycle now, Retired& retired);
  // The next one that has been handed to memory.
  bool take_stored(Retired& retired);

  // Requests towards the crossbar, and their answers. Answers of stores give the warp's slot.
  bool has_request() const { return !requests_.empty(); }
  const MemoryRequest& request() const { return requests_.front(); }
  void pop_request() {
    requests_.pop();
    --held_;
    stalled_ = false;
  }
  // The warp whose store it answers, if it does.
  std::optional<std::uint32_t> answer(std::uint64_t number);
  static bool is_mine(std::uint64_t number) { return number >> 56 != 0; }

  // Nothing in it and nothing to send: a cycle would change nothing.
  bool quiet() const { return held_ == 0; }
  Cycle next_wake(Cycle now) const;
  bool idle() const { return quiet() && l1_.idle() && constants_.idle(); }
  void invalidate_l1(ContextId context) { l1_.invalidate(context.value); }

  // Cycles before `now` in which an instruction was at the unit: it made an access, or was refused.
  std::uint64_t busy_cycles(Cycle now) const;

  // Warps of the store requests queued since the last call; the caller empties it.
  std::vector<std::uint32_t>& stores_sent() { return stores_sent_; }

 private:
  enum class Way : std::uint8_t {
    kLine = 1,
    kDirect,
    kStore,
    kConstant,
    kWriteBack
  };  // of a request's number
  struct Entry {
    MemoryOwner owner;
    const Instruction* code = nullptr;
    Coalesced lines;
    std::uint32_t next = 0;     // line to access
    std::uint32_t pending = 0;  // answers to come
    std::uint32_t passes = 0;   // shared memory, left to make
    Cycle issued;
  };
  struct Due {
    Cycle cycle;
    std::uint32_t entry;
  };
  struct Leaving {
    Cycle due;
    MemoryRequest request;
  };

  bool access_shared(Entry& entry, std::uint32_t index, Cycle now);  // these tell whether it was the last one
  bool access_line(Entry& entry, std::uint32_t index, Cycle now);
  bool load(Entry& entry, std::uint32_t index, const LineAccess& line, Cycle now);  // false: refused
  bool load_through(Cache& cache, Entry& entry, std::uint32_t index, const LineAccess& line, Cycle now);
  void store(Entry& entry, const LineAccess& line, Cycle now);
  void leave_l1(Cycle now);
  void free_entry(std::uint32_t index) {
    free_[entries_left_++] = index;
    --held_;
  }
  bool goes_through_l1(const Instruction& code) const;
  bool has_room_for(const Instruction& code) const;  // for what an access of it may ask L2 for
  static MemoryRequest request_of(const Entry& entry, RequestKind kind, Address line, std::uint64_t number);
  // One request for each run of sectors of its line; tells how many. They reach the queue towards the
  // crossbar `latency` cycles from now.
  std::uint32_t send(const MemoryRequest& whole, Cache::Sectors sectors, std::uint32_t latency, Cycle now,
                     const SectorLanes& atomic_lanes = {});
  void await_data(Ring<Due>& source, Cycle due, std::uint32_t index);
  void arrived(std::uint32_t index);
  void count(Entry& entry, Cache::Outcome outcome);
  static std::uint64_t number(Way way, Cache::Sectors sectors, std::uint64_t index) {
    return static_cast<std::uint64_t>(way) << 56 | static_cast<std::uint64_t>(sectors) << 48 | index;
  }
  KernelCounts& counts_of(const Entry& entry) { return counts_[entry.owner.kernel.value]; }

  const std::uint64_t threads_;
  const std::uint32_t memory_latency_;
  const std::uint32_t shared_latency_;
  const std::uint32_t shared_banks_;
  const std::uint32_t l1_latency_;      // to data, or to leaving towards L2
  const std::uint32_t l1_hit_latency_;  // to the register
  const std::uint32_t constant_latency_;
  const bool l1_caches_global_;

  // What every cycle asks is kept together.
  std::uint32_t held_ = 0;  // entries taken, and requests in `leaving_` and `requests_`
  std::uint32_t entries_left_;
  Ring<MemoryRequest> requests_;

  Cache l1_;
  Cache constants_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;  // the first `entries_left_` of it
  Ring<Due> queue_;                  // from the collectors
  std::uint64_t busy_cycles_ = 0;    // of the instructions that have left it
  Cycle left_{0};                    // the cycle after the last one that they had
  Ring<Due> shared_;                 // data on its way, by source: in order of their due cycles
  Ring<Due> hits_;
  Ring<Due> constant_hits_;
  Cycle data_due_ = Cycle::never();  // the first of these three
  Ring<std::uint32_t> loaded_;       // all there
  Ring<std::uint32_t> stored_;       // handed to memory, or nothing to write back
  Ring<Leaving> leaving_;  // from L1, in order of their due cycles; moves up when requests_ has room
  std::size_t request_limit_;
  bool stalled_ = false;  // the oldest instruction was refused, and nothing has changed since
  std::vector<std::uint32_t> stores_sent_;
  std::vector<KernelCounts>& counts_;  // by KSR
};

}  // namespace heddle
