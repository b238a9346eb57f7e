#pragma once
// The AddressUnit is the address generation of an SM's load/store unit. When a memory instruction issues, it
// turns the addresses of the lanes into the lines that the instruction accesses and into passes over the
// banks of shared memory. It holds them in an entry, which the instruction has from its issue until it has
// been written back or handed to memory. The unit is pure logic.

#include "models/core/base/free_list.h"
#include "models/core/base/lazy_array.h"
#include "models/core/kernel/local_layout.h"
#include "models/sm/pipeline/coalescer.h"
#include "models/sm/residence/memory_owner.h"
#include "models/sm/residence/sm_pipeline.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

class AddressUnit {
 public:
  struct Entry {
    MemoryOwner owner;
    const Instruction* code = nullptr;  // null: the entry is free
    std::uint32_t next = 0;             // index of the next line to access
    std::uint32_t pending = 0;          // answers that the entry waits for
    std::uint32_t passes = 0;           // passes over shared memory that are left
    std::uint32_t turns = 0;            // cycles in which lines were accessed
    bool swapped = false;               // the lines are of swap space
    Cycle issued;
    Coalesced lines;  // the last member, so that an instruction of few lines touches few pages of the host
  };

  // `local` has the local memory of the SM's warps. `swap` is the address of the SM's swap space.
  AddressUnit(const CycleSmSpec& spec, const LocalLayout& local, Address swap);

  void reset();  // Every entry is free afterwards.

  bool has_entry() const { return !free_.empty(); }

  // These take a free entry and return its number.
  //
  // An instruction of shared memory accesses swap space, not shared memory, for the lanes of `swapped`, at
  // their addresses from the start of swap space. An atomic there is a load and a store.
  std::uint32_t prepare(const IssuedInstruction& issued, const MemoryOwner& owner, Cycle now,
                        std::uint32_t swapped = 0);
  // Prepares an access of whole lines of swap space, 1 .. SmPipeline::kMostTransferLines. Its code is of
  // MemorySpace::kSwap.
  std::uint32_t prepare_swap(bool load, std::uint64_t address, std::uint32_t lines, const MemoryOwner& owner,
                             Cycle now);
  // Prepares an access of lines of a saved block, whose addresses are virtual ones. They pass L1 by, because
  // the block may go on on another SM. Its code is of MemorySpace::kSaved, and the warp waits for the answers
  // to its stores.
  std::uint32_t prepare_saved(bool load, Address address, std::uint32_t lines, const MemoryOwner& owner,
                              Cycle now);

  Entry& operator[](std::uint32_t entry) { return entries_[entry]; }
  const Entry& operator[](std::uint32_t entry) const { return entries_[entry]; }
  void give_back(std::uint32_t entry) {
    entries_[entry].code = nullptr;
    free_.give_back(entry);
  }

  bool idle() const { return free_.in_use() == 0; }
  bool holds(AccountId account) const;  // whether an instruction of the launch has an entry

 private:
  std::uint32_t take_entry(const Instruction* code, const MemoryOwner& owner, Cycle now);
  std::uint32_t prepare_lines(const Instruction& code, Address address, std::uint32_t lines,
                              const MemoryOwner& owner, Cycle now);
  void find_shared(const IssuedInstruction& issued, std::uint32_t swapped, Entry& entry) const;
  void find_local(const IssuedInstruction& issued, Entry& entry) const;
  void find_atomic(const IssuedInstruction& issued, Entry& entry) const;
  void find_lines(const IssuedInstruction& issued, Entry& entry) const;

  const LocalLayout local_;
  const Address swap_;
  const std::uint32_t shared_banks_;
  const bool merges_atomics_;
  const bool marks_loads_;  // LineAccess::written has the bytes that a load touches, too
  FreeList free_;
  LazyArray<Entry> entries_;
};

}  // namespace heddle
