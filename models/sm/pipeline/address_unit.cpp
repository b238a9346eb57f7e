#include "models/sm/pipeline/address_unit.h"

#include <algorithm>

#include "models/core/kernel/address_spaces.h"

namespace heddle {

namespace {

Instruction access_of(MemorySpace space, Operation operation) {
  Instruction code;
  code.operation = operation;
  code.space = space;
  code.bytes = 4;
  return code;
}
const Instruction kLoadOfSwap = access_of(MemorySpace::kSwap, Operation::kLoad);
const Instruction kStoreOfSwap = access_of(MemorySpace::kSwap, Operation::kStore);
const Instruction kLoadOfSaved = access_of(MemorySpace::kSaved, Operation::kLoad);
const Instruction kStoreOfSaved = access_of(MemorySpace::kSaved, Operation::kStore);

Address in_program(Address address) {
  return address & (kProgramAddresses - 1);
}

bool is_store(const IssuedInstruction& issued) {
  return issued.code->operation == Operation::kStore;
}

}  // namespace

AddressUnit::AddressUnit(const CycleSmSpec& spec, const LocalLayout& local, Address swap)
    : local_(local),
      swap_(swap),
      shared_banks_(spec.shared_banks),
      merges_atomics_(spec.merges_atomics),
      marks_loads_(spec.l1_lines > 1),
      free_(spec.load_entries),
      entries_(spec.load_entries) {}

void AddressUnit::reset() {
  for (std::uint32_t i = 0; i < free_.used(); ++i) entries_[i].code = nullptr;
  free_.reset();
}

bool AddressUnit::holds(AccountId account) const {
  return std::any_of(entries_.data(), entries_.data() + free_.used(), [account](const Entry& entry) {
    return entry.code != nullptr && entry.owner.account == account;
  });
}

std::uint32_t AddressUnit::take_entry(const Instruction* code, const MemoryOwner& owner, Cycle now) {
  const std::uint32_t index = free_.take();
  Entry& entry = entries_[index];
  entry.owner = owner;
  entry.code = code;
  entry.next = 0;
  entry.pending = 1;  // one for the accesses that are still to be made
  entry.passes = 0;
  entry.turns = 0;
  entry.swapped = false;
  entry.issued = now;
  entry.lines.count = 0;
  return index;
}

std::uint32_t AddressUnit::prepare(const IssuedInstruction& issued, const MemoryOwner& owner, Cycle now,
                                   std::uint32_t swapped) {
  const std::uint32_t index = take_entry(issued.code, owner, now);
  if (issued.mask == 0) return index;
  Entry& entry = entries_[index];
  if (issued.code->space == MemorySpace::kShared)
    find_shared(issued, swapped, entry);
  else if (issued.code->space == MemorySpace::kLocal)
    find_local(issued, entry);
  else if (issued.code->operation == Operation::kAtomic)
    find_atomic(issued, entry);
  else
    find_lines(issued, entry);
  return index;
}

void AddressUnit::find_shared(const IssuedInstruction& issued, std::uint32_t swapped, Entry& entry) const {
  const bool atomic = issued.code->operation == Operation::kAtomic;
  if (swapped == 0) {
    entry.passes = shared_passes(issued, shared_banks_, atomic);
    return;
  }
  IssuedInstruction on_chip = issued;
  on_chip.mask &= ~swapped;
  if (on_chip.mask != 0) entry.passes = shared_passes(on_chip, shared_banks_, atomic);
  entry.swapped = true;
  Addresses placed;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) placed[lane] = swap_ + issued.addresses[lane];
  coalesce(placed, swapped, issued.code->bytes, is_store(issued), entry.lines);
}

void AddressUnit::find_local(const IssuedInstruction& issued, Entry& entry) const {
  Addresses placed;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) placed[lane] = in_program(issued.addresses[lane]);
  coalesce_local(placed, issued.mask, issued.code->bytes, is_store(issued), local_, entry.owner.warp,
                 entry.lines);
}

// All lanes of an atomic that is merged are one operation, which the lowest lane makes.
void AddressUnit::find_atomic(const IssuedInstruction& issued, Entry& entry) const {
  Addresses placed;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) placed[lane] = in_program(issued.addresses[lane]);
  const std::uint32_t lanes =
      merges_atomics_ && issued.code->mergeable ? issued.mask & ~(issued.mask - 1) : issued.mask;
  coalesce(placed, lanes, issued.code->bytes, false, entry.lines);
  count_depths(placed, lanes, entry.lines);
}

void AddressUnit::find_lines(const IssuedInstruction& issued, Entry& entry) const {
  const Address base = issued.code->space == MemorySpace::kConstant ? kConstantAddresses : 0;
  const Address begin = in_program(issued.addresses[0]);
  if (begin + Address{kLanes} * issued.code->bytes <= kProgramAddresses &&
      is_run(issued.addresses, issued.mask, issued.code->bytes))
    return coalesce_run(begin + base, issued.code->bytes, is_store(issued), entry.lines);
  Addresses placed;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    placed[lane] = in_program(issued.addresses[lane]) + base;
  coalesce(placed, issued.mask, issued.code->bytes, is_store(issued) || marks_loads_, entry.lines);
}

std::uint32_t AddressUnit::prepare_swap(bool load, std::uint64_t address, std::uint32_t lines,
                                        const MemoryOwner& owner, Cycle now) {
  return prepare_lines(load ? kLoadOfSwap : kStoreOfSwap, swap_ + address, lines, owner, now);
}

std::uint32_t AddressUnit::prepare_saved(bool load, Address address, std::uint32_t lines,
                                         const MemoryOwner& owner, Cycle now) {
  return prepare_lines(load ? kLoadOfSaved : kStoreOfSaved, address, lines, owner, now);
}

std::uint32_t AddressUnit::prepare_lines(const Instruction& code, Address address, std::uint32_t lines,
                                         const MemoryOwner& owner, Cycle now) {
  const std::uint32_t index = take_entry(&code, owner, now);
  Entry& entry = entries_[index];
  entry.swapped = true;
  entry.lines.count = lines;
  for (std::uint32_t i = 0; i < lines; ++i) {
    LineAccess& line = entry.lines.access[i] = LineAccess{};
    line.line = address + std::uint64_t{i} * kLineBytes;
    line.sectors = (1u << kLineBytes / kSectorBytes) - 1;
    line.written = {~std::uint64_t{0}, ~std::uint64_t{0}};
  }
  return index;
}

}  // namespace heddle
