// Zorua (Vijaykumar et al., Sections 5 and 6.1) gives a warp what its present phase needs, and keeps what
// does not fit in swap space: sets of four registers of a warp, sets of 1 KiB of shared memory, and the state
// of warps without a slot. A set in swap space comes back when it is accessed and a physical set is free. If
// none is free, it is accessed where it is. What the coordinator decides is in coordinator.h.
//
// Zorua gives no warp a register set, a set of shared memory or a slot that is faulty (Section 8.5).
//
// What the paper leaves open, and what is chosen here:
//   - Register r is in set r / 4 modulo the sets that the warp holds, and a byte of shared memory likewise,
//     as if the compiler numbered what is live in each phase from 0.
//   - The state of a warp, its program counter and its SIMT stack, has the size of a line.
//   - Algorithm 1 speaks of the changes of c_idle and c_mem from epoch to epoch, but Table 1 does not say
//     over which span each of them is counted. If they are counts since the start, their changes are the
//     cycles of an epoch. `compared` has both readings.
//   - Table 1 defines c_idle as the cycles without an issue in which "the pipeline is not stalled".
//     `idle_cycles` says whether cycles in which a warp waits for data from memory are among them.

#include <algorithm>
#include <cmath>
#include <optional>

#include "policies/resource_manager/coordinator.h"
#include "policies/resource_manager/i_resource_manager.h"
#include "policies/resource_manager/logical_limits.h"

namespace heddle {

namespace {

constexpr std::uint32_t kRegistersOfASet = 4;
constexpr std::uint32_t kSharedSetBytes = 1024;
constexpr std::uint32_t kRegisterBytes = kLanes * 4;  // of one register of a warp

// The reasons to wait in an idle cycle, where no warp waits for memory, and where none is stalled at a unit.
constexpr WaitReasons kNotMemory =
    reason(Bucket::kBarrier) | reason(Bucket::kScoreboardAlu) | reason(Bucket::kBufferEmpty);
constexpr WaitReasons kNotStalled = kNotMemory | reason(Bucket::kScoreboardMemory);

class Zorua final : public ResourceManager {
 public:
  using Resource = Coordinator::Resource;

  explicit Zorua(const PolicyParameters& parameters)
      : warps_(static_cast<std::uint32_t>(parameters["warps"])),
        blocks_(static_cast<std::uint32_t>(parameters["blocks"])),
        epoch_(static_cast<std::uint32_t>(parameters["epoch"])),
        mapping_cycles_(static_cast<std::uint32_t>(parameters["mapping_cycles"])) {
    spec_.threshold = parameters["threshold"];
    spec_.threshold_step = parameters["threshold_step"];
    spec_.least_difference = parameters["least_difference"];
    spec_.floor = parameters["floor"];
    const std::string& counted = parameters.name("floor_counts");
    spec_.floor_counts = counted == "resident"  ? Coordinator::FloorCounts::kResident
                         : counted == "holding" ? Coordinator::FloorCounts::kHolding
                                                : Coordinator::FloorCounts::kSchedulable;
    spec_.waiting_slots_are_free = parameters.name("waiting_slots") == "free";
    idle_reasons_ = parameters.name("idle_cycles") == "no-memory-wait" ? kNotMemory : kNotStalled;
    spec_.compares_changes = parameters.name("compared") == "changes";
    const std::string& swapped = parameters.name("swapped_sets");
    spec_.swapped_sets = swapped == "fetched"     ? Coordinator::SwappedSets::kFetched
                         : swapped == "exchanged" ? Coordinator::SwappedSets::kExchanged
                                                  : Coordinator::SwappedSets::kAccessedInPlace;
    spec_.ordered_queues = parameters.name("queues") == "ordered";
    spec_.waiting_warps_release_slots = parameters.name("waiting_warps") == "release-slots";
  }

  bool manages() const override { return true; }
  bool maps() const override { return true; }
  bool uses_phases() const override { return true; }
  std::uint32_t mapping_cycles() const override { return mapping_cycles_; }
  std::uint32_t epoch() const override { return epoch_; }

  SmLimits limits(const SmLimits& sm) const override { return limits_of_logical_warps(sm, warps_, blocks_); }

  void attach(const SmLimits& sm, const SmFaults& faults) override {
    sm_ = sm;
    const SmLimits logical = limits(sm);
    // One set is enough for a warp that needs no register.
    register_sets_ = std::max(1u, rounded_up(sm.registers_per_thread, kRegistersOfASet));
    shared_sets_ = rounded_up(sm.shared_bytes, kSharedSetBytes);
    block_of_.assign(logical.warps, 0);
    // A set with a faulty part is not used.
    const auto shape = [](std::uint32_t rows, std::uint32_t columns, std::uint32_t sets, double faulty) {
      return MappingTable::Shape{rows, columns, sets, static_cast<std::uint32_t>(std::ceil(faulty * sets))};
    };
    spec_.tables = {
        shape(logical.warps, 1, sm.warps, faults.warp_slots),
        shape(logical.block_slots, shared_sets_, sm.shared_bytes / kSharedSetBytes, faults.shared_memory),
        shape(logical.warps, register_sets_, sm.registers / (kRegistersOfASet * sm.warp_size),
              faults.registers)};
    shared_start_ = std::uint64_t{logical.warps} * register_sets_ * kRegistersOfASet * kRegisterBytes;
    slots_start_ = shared_start_ + std::uint64_t{logical.block_slots} * shared_sets_ * kSharedSetBytes;
    swap_bytes_ = slots_start_ + std::uint64_t{logical.warps} * kStateBytes;
    coordinator_.emplace(spec_);
  }

  void reset() override {
    coordinator_->reset();
    transfers_.clear();
    counts_ = {};
  }

  void set_kernel(std::uint32_t ksr, std::uint32_t warps, const PhaseNeeds&) override {
    if (ksr >= warps_of_.size()) warps_of_.resize(ksr + 1);
    warps_of_[ksr] = warps;
    coordinator_->set_kernel(ksr);
  }
  // The coordinator asks for a block when it has "free warp slots for a new thread block" (Section 5.2).
  std::uint32_t room(std::uint32_t ksr) const override { return coordinator_->free_slots() / warps_of_[ksr]; }
  void start_block(std::uint32_t ksr, std::uint32_t block, WarpMask warps, const PhaseNeeds& needs) override {
    for (WarpMask left = warps; left != 0; left &= left - 1)
      block_of_[static_cast<std::uint32_t>(__builtin_ctzll(left))] = static_cast<std::uint8_t>(block);
    coordinator_->start_block(ksr, block, warps, in_sets(needs));
    take_transfers();
  }
  void start_phase(std::uint32_t warp, const PhaseNeeds& needs) override {
    coordinator_->start_phase(warp, in_sets(needs));
    take_transfers();
  }
  void wait(std::uint32_t warp) override {
    coordinator_->wait(warp);
    take_transfers();
  }
  void go_on(WarpMask warps) override {
    coordinator_->go_on(warps);
    take_transfers();
  }
  void end_warp(std::uint32_t warp) override {
    coordinator_->end_warp(warp);
    take_transfers();
  }
  void end_block(std::uint32_t block) override {
    coordinator_->end_block(block);
    take_transfers();
  }

  void remove_block(std::uint32_t block) override {
    coordinator_->remove_block(block);
    take_transfers();
  }
  void resume_block(std::uint32_t ksr, std::uint32_t block, WarpMask warps, const WarpNeeds& needs,
                    WarpMask waiting) override {
    Coordinator::WarpNeeds sets;
    for (WarpMask left = warps; left != 0; left &= left - 1) {
      const auto warp = static_cast<std::uint32_t>(__builtin_ctzll(left));
      block_of_[warp] = static_cast<std::uint8_t>(block);
      sets[warp] = in_sets(needs[warp]);
    }
    coordinator_->resume_block(ksr, block, warps, sets, waiting);
    take_transfers();
  }
  HeldBytes held_by_warp(std::uint32_t warp) const override {
    HeldBytes held = held_by_row(Resource::kRegisters, warp, kRegistersOfASet * kRegisterBytes);
    const MappingTable& slots = table(Resource::kSlots);
    const bool is_on_chip = slots.held(warp) > 0 && !slots.is_swapped(warp, 0);
    if (is_on_chip) held.on_chip += kStateBytes;
    if (!is_on_chip && coordinator_->is_stored(warp)) held.in_swap += kStateBytes;
    return held;
  }
  HeldBytes held_by_block(std::uint32_t block) const override {
    return held_by_row(Resource::kSharedMemory, block, kSharedSetBytes);
  }

  WarpMask schedulable() const override { return coordinator_->schedulable(); }
  std::uint32_t registers_in_use() const override {
    return table(Resource::kRegisters).used() * kRegistersOfASet * sm_.warp_size;
  }
  std::uint32_t shared_bytes_in_use() const override {
    return table(Resource::kSharedMemory).used() * kSharedSetBytes;
  }

  bool read_registers(std::uint32_t warp, const Instruction& code) override {
    coordinator_->access(Resource::kSlots, warp, 0);
    for (const RegisterId id : code.sources()) access_register(warp, id, true);
    return !transfers_.empty();
  }
  bool write_registers(std::uint32_t warp, const Instruction& code) override {
    for (const RegisterId id : code.destinations()) access_register(warp, id, false);
    return !transfers_.empty();
  }

  Lanes access_shared(std::uint32_t warp, Lanes lanes, Addresses& addresses) override {
    const std::uint32_t block = block_of_[warp];
    const std::uint32_t held = table(Resource::kSharedMemory).held(block);
    if (held == 0) return 0;  // nothing is live, so nothing is kept
    Lanes swapped = 0;
    std::uint32_t known_set = ~0u;  // of the last lane that needed a look
    bool is_on_chip = true;
    seen_.assign(held, false);
    for (Lanes left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
      auto set = static_cast<std::uint32_t>(addresses[lane] / kSharedSetBytes);
      if (set >= held) set %= held;
      if (set != known_set) {
        known_set = set;
        is_on_chip = seen_[set] ? !table(Resource::kSharedMemory).is_swapped(block, set)
                                : access(Resource::kSharedMemory, block, set, warp);
        seen_[set] = true;
      }
      if (is_on_chip) continue;
      swapped |= Lanes{1} << lane;
      addresses[lane] = shared_start_ + (std::uint64_t{block} * shared_sets_ + set) * kSharedSetBytes +
                        addresses[lane] % kSharedSetBytes;
    }
    return swapped;
  }

  std::vector<SwapTransfer>& transfers() override { return transfers_; }
  std::uint64_t swap_bytes() const override { return swap_bytes_; }

  // Table 1: idle are the cycles in which the kernel issued nothing and none of its warps waited for a unit.
  // A warp at a barrier is with the coordinator, and counts neither way.
  void end_epoch(std::uint32_t ksr, const KernelStalls& stalls) override {
    constexpr WaitReasons kBarrier = reason(Bucket::kBarrier);
    constexpr WaitReasons kMemory = reason(Bucket::kScoreboardMemory) | reason(Bucket::kPipelineMemory);
    for (std::size_t i = 0; i < kManagedResources; ++i) {
      const auto resource = static_cast<Resource>(i);
      ResourceCounts& counts = counts_[i];
      counts.threshold += coordinator_->threshold(resource, ksr);
      counts.swapped += table(resource).swapped_of_group(ksr);
      ++counts.epochs;
    }
    coordinator_->end_epoch(ksr, stalls.waiting[0] + stalls.all_of(idle_reasons_),
                            stalls.all_of(kMemory | kBarrier) - stalls.all_of(kBarrier));
  }
  void end_epoch() override { coordinator_->end_epoch(); }
  ResourceCounts counts(ManagedResource resource) const override {
    return counts_[static_cast<std::size_t>(resource)];
  }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    return gpu.has_cycle_sms ? "" : "zorua gives out resources by warp, which timed SMs do not have";
  }

 private:
  const MappingTable& table(Resource resource) const { return coordinator_->table(resource); }

  HeldBytes held_by_row(Resource resource, std::uint32_t row, std::uint32_t set_bytes) const {
    HeldBytes held;
    for (std::uint32_t set = 0; set < table(resource).held(row); ++set)
      (table(resource).is_swapped(row, set) ? held.in_swap : held.on_chip) += set_bytes;
    return held;
  }

  // Registers and shared memory that no phase was said to need belong to the highest set.
  Coordinator::Needs in_sets(const PhaseNeeds& needs) const {
    return {std::clamp(rounded_up(needs.registers_per_thread, kRegistersOfASet), 1u, register_sets_),
            std::min(rounded_up(needs.shared_bytes, kSharedSetBytes), shared_sets_)};
  }

  // Returns whether the access found the set on chip, or the set has come back. The warp waits for that.
  bool access(Resource resource, std::uint32_t row, std::uint32_t column, std::uint32_t warp) {
    ResourceCounts& counts = counts_[static_cast<std::size_t>(resource)];
    ++counts.accesses;
    if (coordinator_->access(resource, row, column)) {
      ++counts.on_chip;
      return true;
    }
    if (table(resource).is_swapped(row, column)) return false;
    take_transfers(static_cast<std::uint8_t>(warp));
    return true;
  }

  void access_register(std::uint32_t warp, RegisterId id, bool reads) {
    if (id >= kFirstPredicateName) return;
    const std::uint32_t held = table(Resource::kRegisters).held(warp);
    std::uint32_t set = id / kRegistersOfASet;
    if (set >= held) set %= held;
    if (access(Resource::kRegisters, warp, set, warp)) return;
    const std::uint64_t number =
        (std::uint64_t{warp} * register_sets_ + set) * kRegistersOfASet + id % kRegistersOfASet;
    transfers_.push_back(
        {reads, static_cast<std::uint8_t>(warp), block_of_[warp], kRegisterBytes, number * kRegisterBytes});
  }

  // Takes over what the coordinator wants to move. `warp` waits for the sets that come back; the state of a
  // warp is waited for by that warp.
  void take_transfers(std::uint8_t warp = 0) {
    for (const Coordinator::Transfer& transfer : coordinator_->transfers()) {
      ResourceCounts& counts = counts_[static_cast<std::size_t>(transfer.resource)];
      ++(transfer.is_load ? counts.loaded : counts.stored);
      SwapTransfer moved;
      moved.is_load = transfer.is_load;
      moved.warp = transfer.resource == Resource::kSlots ? static_cast<std::uint8_t>(transfer.row) : warp;
      if (transfer.resource == Resource::kSharedMemory) {
        moved.block = static_cast<std::uint8_t>(transfer.row);
        moved.bytes = kSharedSetBytes;
        moved.address =
            shared_start_ + (std::uint64_t{transfer.row} * shared_sets_ + transfer.column) * kSharedSetBytes;
      } else {
        moved.block = block_of_[transfer.row];
        const bool is_slot = transfer.resource == Resource::kSlots;
        moved.bytes = is_slot ? kStateBytes : kRegistersOfASet * kRegisterBytes;
        moved.address = is_slot ? slots_start_ + std::uint64_t{transfer.row} * kStateBytes
                                : (std::uint64_t{transfer.row} * register_sets_ + transfer.column) *
                                      kRegistersOfASet * kRegisterBytes;
      }
      transfers_.push_back(moved);
    }
    coordinator_->transfers().clear();
  }

  const std::uint32_t warps_;
  const std::uint32_t blocks_;
  const std::uint32_t epoch_;
  const std::uint32_t mapping_cycles_;
  Coordinator::Spec spec_;
  WaitReasons idle_reasons_ = kNotMemory;
  SmLimits sm_;
  std::uint32_t register_sets_ = 0;  // the most of a warp
  std::uint32_t shared_sets_ = 0;    // the most of a block
  std::uint64_t shared_start_ = 0;   // in swap space
  std::uint64_t slots_start_ = 0;
  std::uint64_t swap_bytes_ = 0;
  std::vector<std::uint32_t> warps_of_;  // by KSR: of a block
  std::vector<std::uint8_t> block_of_;   // by logical warp
  std::vector<bool> seen_;               // by set of the block that is accessed
  std::vector<SwapTransfer> transfers_;
  std::array<ResourceCounts, kManagedResources> counts_{};
  std::optional<Coordinator> coordinator_;
};

HEDDLE_POLICY(
    ResourceManager, Zorua, "zorua",
    "a warp holds what its phase needs, and what does not fit on the SM is in swap space",
    "Vijaykumar et al., Zorua, MICRO 2016",
    {{"warps", "warps", 64, 1, 64, "logical ones of an SM; no fewer than its slots", true},
     {"blocks", "blocks", 16, 1, 64, "logical ones of an SM; no fewer than its slots", true},
     {"threshold", "share", 0.1, 0, 1e6, "sets that may be in swap space at the start, per physical set"},
     {"threshold_step", "share", 0.04, 0, 1e6, "what an epoch changes the threshold by, per physical set"},
     {"least_difference", "cycles", 16, 0, 1e9,
      "of the changes in idle and in memory cycles, beyond which the threshold changes"},
     {"epoch", "cycles", 2048, 1, 1e9, "core cycles between two changes of the threshold", true},
     {"floor", "share", 0.2, 0, 1,
      "while fewer warps per slot are counted, or none is schedulable, no threshold holds"},
     {"floor_counts",
      "kind",
      PolicyValue("resident"),
      0,
      0,
      "warps for the floor: all that have not ended, or those that are schedulable or hold their registers "
      "at "
      "a barrier or a fence, or those that are schedulable",
      false,
      {"resident", "holding", "schedulable"}},
     {"mapping_cycles", "cycles", 2, 0, 4, "that a mapping table adds to an access", true},
     {"swapped_sets",
      "kind",
      PolicyValue("fetched"),
      0,
      0,
      "what happens to one that is accessed: nothing, or it comes back if a physical set is free, or it also "
      "comes back for one that no warp accessed in the present and the last epoch",
      false,
      {"accessed-in-place", "fetched", "exchanged"}},
     {"compared",
      "kind",
      PolicyValue("changes"),
      0,
      0,
      "of idle and memory cycles: how they changed since the last epoch, or the cycles of the epoch",
      false,
      {"changes", "cycles"}},
     {"idle_cycles",
      "kind",
      PolicyValue("no-memory-wait"),
      0,
      0,
      "cycles without an issue that are idle: those in which no warp waits for memory or a unit, or all in "
      "which none is stalled at a unit",
      false,
      {"no-memory-wait", "no-stall"}},
     {"queues",
      "kind",
      PolicyValue("ordered"),
      0,
      0,
      "of warps that wait: by resource, or one in all",
      false,
      {"ordered", "one"}},
     {"waiting_warps",
      "kind",
      PolicyValue("release-slots"),
      0,
      0,
      "whether a warp at a barrier or a fence lends its slot",
      false,
      {"release-slots", "keep-slots"}},
     {"waiting_slots",
      "kind",
      PolicyValue("held"),
      0,
      0,
      "whether the slot of a warp at a barrier or a fence is free for a new block before another warp has it",
      false,
      {"held", "free"}}});

}  // namespace

}  // namespace heddle
