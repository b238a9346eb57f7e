#pragma once
// The MemoryStage of an SM has everything that memory instructions pass between their issue and their
// completion: the load/store unit, the queue of transfers to and from swap space, the unit for copies in
// bulk, and the transfers to other SMs of a cluster. The two units share the SM's port to the crossbar with
// the front end, which fetches instructions. The functions that take other parts of the pipeline are
// templates, so that the compiler inlines them for each generation of SMs.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "models/core/link/memory_request.h"
#include "models/sm/pipeline/bulk_copy_unit.h"
#include "models/sm/pipeline/cluster_outbox.h"
#include "models/sm/pipeline/load_store_unit.h"
#include "models/sm/pipeline/load_write.h"
#include "models/sm/pipeline/swap_queue.h"
#include "models/sm/pipeline/unit_instruction.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/sm/residence/managed_resources.h"

namespace heddle {

class MemoryStage {
 public:
  // `local` and `swap` are those of the AddressUnit. `mapped` is the resource manager if it maps, otherwise
  // null. `counts` are those of the SM. All references and `mapped` must outlive the stage.
  MemoryStage(const CycleSmSpec& spec, const LocalLayout& local, Address swap, MemoryRequestPort& port,
              ManagedResources* mapped, IssueTable& table, AccountTable<KernelCounts>& counts)
      : port_(port),
        mapped_(mapped),
        table_(table),
        lsu_(spec, local, swap, counts),
        to_swap_(lsu_, table),
        bulk_(spec.copy_unit, table, counts),
        outbox_(lsu_, table, counts) {}

  void reset() {
    lsu_.reset();
    to_swap_.reset();
    bulk_.reset();
    outbox_.reset();
  }
  void trace(WarpTracer& tracer) {
    tracer_ = &tracer;
    lsu_.trace(tracer);
    bulk_.trace(tracer);
  }
  // Both have the effect of the function of the load/store unit.
  void invalidate(ContextId context) { lsu_.invalidate(context); }
  void resize_l1(std::uint32_t bytes) { lsu_.resize_l1(bytes); }

  // Returns these warps, without those on memory where an entry of the load/store unit is missing.
  WarpMask with_entry(WarpMask warps, WarpMask on_memory) const {
    return (warps & on_memory) == 0 || lsu_.addresses().has_entry() ? warps : warps & ~on_memory;
  }
  // A memory instruction of the warp issues only if there is an entry of the load/store unit for it. The
  // function gives the instruction such an entry and returns its number. A resource manager that maps
  // replaces the addresses of the lanes whose shared memory is in swap space.
  std::uint32_t prepare(IssuedInstruction& issued, MemoryOwner owner, Cycle now) {
    if (issued.code->asynchronous) owner.copy_group = table_.warps[owner.warp].groups.copies.add();
    std::uint32_t swapped = 0;
    if (mapped_ != nullptr && issued.code->space == MemorySpace::kShared)
      swapped = mapped_->access_shared(owner.warp, issued.mask, issued.addresses);
    return lsu_.addresses().prepare(issued, owner, now, swapped);
  }
  // The warp `owner.warp` has issued an instruction that starts copies in bulk.
  void start_copies(const MemoryOwner& owner, Cycle now) { bulk_.start_copies(owner, now); }
  ClusterOutbox& outbox() { return outbox_; }
  void move(const SwapAccess& access) { to_swap_.push(access); }

  // A cycle calls these four functions in this order. step_swap() is called only if can_step_swap() returns
  // true, and access() only if is_quiet() returns false.
  bool can_step_swap() const { return to_swap_.can_step(); }
  void step_swap(Cycle now) { to_swap_.step(now); }
  bool is_quiet() const { return lsu_.quiet(); }
  // The load/store unit gives one load, when `units` can take its data to the registers, and all stores that
  // have been handed to memory. The function calls retire(slot, code) for an instruction that has completed,
  // and complete(slot) for a transfer from swap space. Then the unit accesses its caches.
  template <class Units, class Retire, class Complete>
  void access(Units& units, Cycle now, Retire retire, Complete complete);
  // Instructions whose operands have been collected enter the load/store unit.
  template <class Units>
  void enter(Units& units, Cycle now);
  void step_copies(Cycle now) { bulk_.step(now); }

  bool has_request() const { return lsu_.has_request() || bulk_.has_request(); }
  // Sends at most one request. A request for instructions of `front_end` comes first. If both the load/store
  // unit and the copy unit have a request, the two units take turns. Returns the slot of the warp of a store
  // in bulk that has read all of its bytes with this request.
  template <class FrontEnd>
  std::optional<std::uint32_t> send(FrontEnd& front_end, Cycle now);
  // Takes the answer to a request of this stage. Returns the slot of the warp if a store or a copy in bulk
  // has completed.
  std::optional<std::uint32_t> answer(const RequestNumber& request) {
    if (request.answers == RequestNumber::Answers::kBulkCopy) return bulk_.answer(request.index);
    const std::optional<std::uint32_t> slot = lsu_.answer(request);
    if (slot) --table_.warps[*slot].stores;
    return slot;
  }

  bool has_room() const { return lsu_.has_room(); }  // for an instruction that enters
  Cycle next_wake(Cycle now) const { return std::min(lsu_.next_wake(now), bulk_.next_wake(now)); }
  bool idle() const { return to_swap_.empty() && lsu_.idle() && bulk_.idle() && outbox_.empty(); }
  bool holds(AccountId account) const {
    return lsu_.addresses().holds(account) || to_swap_.holds(account) || bulk_.holds(account);
  }
  std::uint64_t busy_cycles(Cycle now) const { return lsu_.busy_cycles(now); }  // of the load/store unit

 private:
  template <class Retire, class Complete>
  void load_done(const LoadStoreUnit::Retired& load, Retire retire, Complete complete);

  MemoryRequestPort& port_;
  ManagedResources* const mapped_;
  IssueTable& table_;
  LoadStoreUnit lsu_;
  SwapQueue to_swap_;
  BulkCopyUnit bulk_;
  ClusterOutbox outbox_;
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

template <class Units, class Retire, class Complete>
void MemoryStage::access(Units& units, Cycle now, Retire retire, Complete complete) {
  if (const AddressUnit::Entry* const loaded = lsu_.loaded(now); loaded != nullptr) {
    const LoadWrite write = units.write_load(*loaded->code, loaded->owner.warp, now);
    if (write != LoadWrite::kWaits) {
      const LoadStoreUnit::Retired load = lsu_.take_loaded(now);
      if (write == LoadWrite::kDone) load_done(load, retire, complete);
    }
  }
  for (LoadStoreUnit::Retired retired; lsu_.take_stored(retired);)
    if (retired.code->space != MemorySpace::kSwap) retire(retired.warp, *retired.code);
  lsu_.step(now);
  for (const std::uint32_t slot : lsu_.stores_sent()) ++table_.warps[slot].stores;
  lsu_.stores_sent().clear();
}

template <class Retire, class Complete>
void MemoryStage::load_done(const LoadStoreUnit::Retired& load, Retire retire, Complete complete) {
  IssueWarp& warp = table_.warps[load.warp];
  if (load.code->asynchronous) warp.groups.copies.remove(load.copy_group);
  if (load.code->space != MemorySpace::kSwap) return retire(load.warp, *load.code);
  --warp.swap_loads;
  --warp.in_flight;
  complete(load.warp);
}

template <class Units>
void MemoryStage::enter(Units& units, Cycle now) {
  for (std::uint32_t left = units.memory_ports(); left > 0 && units.has_memory(now) && has_room(); --left)
    lsu_.enter(units.take_memory(now).entry, now);
}

template <class FrontEnd>
std::optional<std::uint32_t> MemoryStage::send(FrontEnd& front_end, Cycle now) {
  if (!port_.can_send(now)) return std::nullopt;
  const bool is_fetch = front_end.has_request();
  const bool is_copy = !is_fetch && bulk_.has_turn(lsu_.has_request());
  const MemoryRequest& request = is_fetch ? front_end.request() : is_copy ? bulk_.request() : lsu_.request();
  if (tracer_ != nullptr) tracer_->pass(TraceStage::kSend, request.trace, now);
  port_.send(request, now);
  if (is_copy) return bulk_.pop_request();
  if (is_fetch)
    front_end.pop_request();
  else
    lsu_.pop_request();
  return std::nullopt;
}

}  // namespace heddle
