#pragma once
// The LoadStoreUnit is the memory unit of an SM. The AddressUnit at its entrance prepares an instruction when
// it issues. The LoadStoreUnit serves the instruction when its operands have been collected: it has the
// AccessQueue from the collectors, shared memory, the caches of L1, constants and textures with their
// MSHRs, and the CrossbarQueue of requests to L2. An instruction leaves when it has been written back or
// handed to memory. The unit is pure logic.

#include <optional>
#include <vector>

#include "models/core/base/ring.h"
#include "models/core/kernel/account_table.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/core/kernel/local_layout.h"
#include "models/core/link/memory_request.h"
#include "models/sm/pipeline/access_queue.h"
#include "models/sm/pipeline/address_unit.h"
#include "models/sm/pipeline/cache.h"
#include "models/sm/pipeline/crossbar_queue.h"
#include "models/sm/pipeline/request_number.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

class LoadStoreUnit {
 public:
  // A Retired instruction has left the unit, and its entry is free.
  struct Retired {
    std::uint32_t warp = 0;
    const Instruction* code = nullptr;
    std::uint8_t copy_group = 0;  // of an asynchronous copy
  };

  // `local` and `swap` are those of the AddressUnit. `counts` are those of the SM.
  LoadStoreUnit(const CycleSmSpec& spec, const LocalLayout& local, Address swap,
                AccountTable<KernelCounts>& counts);

  // Empties the unit and its caches. The owner of the counts resets them.
  void reset();
  void trace(WarpTracer& tracer) {
    tracer_ = &tracer;
    to_crossbar_.trace(tracer);
  }

  AddressUnit& addresses() { return addresses_; }  // which gives the entry of an instruction at its issue
  const AddressUnit& addresses() const { return addresses_; }

  // Both are called when the operands of the instruction have been collected, in order.
  bool has_room() const { return !queue_.full(); }
  void enter(std::uint32_t entry, Cycle now) {
    ++held_;
    queue_.push(entry, now);
  }

  // Does one cycle of work on the oldest instruction: one access of L1, of the constant cache or of shared
  // memory.
  void step(Cycle now);

  // Returns the next instruction whose registers can be written, or null. take_loaded() takes it.
  const AddressUnit::Entry* loaded(Cycle now);
  Retired take_loaded(Cycle now);
  // Gives the next instruction that has been handed to memory; false: there is none.
  bool take_stored(Retired& retired);

  // These functions give the requests to the crossbar in order.
  bool has_request() const { return to_crossbar_.has_request(); }
  const MemoryRequest& request() const { return to_crossbar_.front(); }
  void pop_request() {
    to_crossbar_.pop();
    --held_;
    end_stall(Stall::kQueue);
  }
  // The instruction of this entry is complete only after one more answer. The caller has sent a request for
  // it by another way than the crossbar.
  void await_answer(std::uint32_t entry) { ++addresses_[entry].pending; }
  // Takes the answer to a request. Returns the slot of the warp if the request was a store.
  std::optional<std::uint32_t> answer(const RequestNumber& number);

  // Returns whether no instruction and no request is in the unit, so that a cycle would change nothing.
  bool quiet() const { return held_ == 0; }
  Cycle next_wake(Cycle now) const;
  bool idle() const;
  // L1 has so much of its memory from now on.
  void resize_l1(std::uint32_t bytes) { l1_.cache.resize(bytes); }
  // Drops the lines of the context in L1 and in the texture cache.
  void invalidate(ContextId context);

  // Returns AccessQueue::busy_cycles().
  std::uint64_t busy_cycles(Cycle now) const { return queue_.busy_cycles(now); }

  // Returns the warp of each store request that was queued since the caller last emptied the list.
  std::vector<std::uint32_t>& stores_sent() { return stores_sent_; }

 private:
  using Answers = RequestNumber::Answers;
  using Entry = AddressUnit::Entry;
  // Why the oldest instruction was refused, if nothing that it needs has become free since.
  enum class Stall : std::uint8_t {
    kNone,
    kQueue,  // the CrossbarQueue or the way to it is full; a request leaves it
    kCache,  // a cache has no line, MSHR or merge; an answer frees one
  };
  struct Due {
    Cycle cycle;
    std::uint32_t entry;
  };
  // A ReadPath is a cache with the loads that hit in it.
  struct ReadPath {
    ReadPath(const CacheSpec& spec, Answers of, RequestKind of_misses, std::uint32_t to_register,
             std::uint32_t to_crossbar, std::uint32_t entries, std::uint32_t lines = 1,
             std::uint32_t later = 0)
        : cache(spec),
          answers(of),
          kind(of_misses),
          hit_latency(to_register),
          miss_latency(to_crossbar),
          line_latency(later),
          hits(std::size_t{entries} + (std::size_t{to_register} + std::size_t{later} * kLanes) * lines) {}
    void reset() {
      cache.reset();
      hits.clear();
    }
    Cache cache;
    Answers answers;             // what those to its misses are for
    RequestKind kind;            // of its misses
    std::uint32_t hit_latency;   // from access to the register
    std::uint32_t miss_latency;  // from access to the queue to the crossbar
    std::uint32_t line_latency;  // cycles by which data come later for each earlier cycle of accesses
    Ring<Due> hits;              // data in flight, in order of due cycle
  };

  // Both return whether the access was the last one of the instruction.
  bool access_shared(Entry& entry, std::uint32_t index, Cycle now);
  bool access_line(Entry& entry, std::uint32_t index, Cycle now);
  // Accesses the next line. A load also accesses the lines behind it if L1 can read them in the same cycle,
  // or if they can bypass L1 in the same cycle.
  bool access_lines(Entry& entry, std::uint32_t index, Cycle now);
  // load() and load_through() return false if the cache refuses the access.
  bool load(Entry& entry, std::uint32_t index, const LineAccess& line, Cycle now);
  bool load_through(ReadPath& path, Entry& entry, std::uint32_t index, const LineAccess& line, Cycle now);
  void store(Entry& entry, const LineAccess& line, Cycle now);
  void end_stall(Stall stall) {
    if (stall_ == stall) stall_ = Stall::kNone;
  }
  void leave(std::uint32_t index) {
    addresses_.give_back(index);
    --held_;
  }
  ReadPath* path_of(const Entry& entry);  // null: its accesses go to L2
  bool goes_through_l1(const Entry& entry) { return path_of(entry) == &l1_; }
  bool has_room_for(const Entry& entry);  // room for all requests of one access
  static MemoryRequest request_of(const Entry& entry, RequestKind kind, Address line);
  // Counts and queues the requests of CrossbarQueue::add(), and returns their number.
  std::uint32_t send(const MemoryRequest& whole, RequestNumber number, Cache::Sectors sectors,
                     std::uint32_t latency, Cycle now, const LineAccess* atomic = nullptr);
  void tell_access(const Entry& entry, const LineAccess& line, const char* what, Cycle now) const {
    if (tracer_ != nullptr) tracer_->access(entry.owner.warp, *entry.code, line.line, kLineBytes, what, now);
  }
  void await_data(Ring<Due>& source, Cycle due, std::uint32_t index);
  // Queues the data of a hit, which come the latency of a hit after cycle `accessed`, but not before the data
  // of earlier hits.
  void await_hit(ReadPath& path, Cycle accessed, std::uint32_t index);
  void arrived(std::uint32_t index);
  KernelCounts& counts_of(const Entry& entry) { return counts_[entry.owner.account]; }

  const std::uint32_t shared_latency_;  // from access to the register
  const bool l1_caches_global_;
  const bool l1_is_updated_;
  const std::uint32_t l1_lines_;
  const bool constants_are_dropped_;

  // The members that every cycle reads are kept together.
  std::uint32_t held_ = 0;  // instructions that have entered, and requests in `to_crossbar_`
  AddressUnit addresses_;
  CrossbarQueue to_crossbar_;

  ReadPath l1_;
  ReadPath constants_;
  ReadPath textures_;
  AccessQueue queue_;                // instructions from the collectors
  Ring<Due> shared_;                 // data in flight from shared memory, in order of due cycle
  Cycle data_due_ = Cycle::never();  // the earliest due cycle of shared memory and of the hits
  Ring<std::uint32_t> loaded_;       // entries whose data have all arrived
  Ring<std::uint32_t> stored_;       // entries that memory has taken, or that write nothing back
  Stall stall_ = Stall::kNone;
  std::vector<std::uint32_t> stores_sent_;
  AccountTable<KernelCounts>& counts_;
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

}  // namespace heddle
