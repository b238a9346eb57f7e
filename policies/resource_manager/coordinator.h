#pragma once
// The Coordinator of an SM decides which of its warps may be scheduled (Vijaykumar et al., Zorua, Sections
// 5.2 to 5.4). A warp is schedulable while it has a warp slot and the registers of its phase, and its block
// has the shared memory of its phase. Any other warp waits in one of three queues: the thread queue if it has
// no slot, else the shared-memory queue if its block lacks shared memory, else the register queue. A warp
// takes all that it lacks at once, or nothing.
//
// The coordinator acts when a block or a phase starts, a warp waits or goes on, and a warp or a block ends.
// Each time it serves the register queue first and the thread queue last, each in the order of arrival. A
// warp whose resources are not free may still have them if they are oversubscribed: sets of other warps then
// go to swap space (MappingTable).
//
// What the paper leaves open, and what is chosen here:
//   - The slot of a waiting warp stays with it until another warp needs a slot. Only then is the state of the
//     waiting warp stored, and only then does the slot count as lent. A warp at a barrier holds its slot,
//     though it does not need it at once (Section 4.2.1).
//   - A warp whose slot is in swap space gets one back when a slot is free, and takes none from another warp.
//   - Each kernel on the SM has thresholds of its own, of the SM's sets, and its own idle and memory cycles.
//     A set of a kernel replaces one of the same kernel as long as there is one.
//   - A block needs the most shared memory that the present phase of one of its warps needs.

#include <array>
#include <cstdint>
#include <vector>

#include "policies/resource_manager/managed_resource.h"
#include "policies/resource_manager/mapping_table.h"

namespace heddle {

class Coordinator {
 public:
  using WarpMask = std::uint64_t;  // a bit for each logical warp
  static constexpr std::uint32_t kMostWarps = 64;

  using Resource = ManagedResource;
  static constexpr std::size_t kResources = kManagedResources;

  // What the coordinator does with a resource set in swap space after a warp has accessed it. The access
  // itself goes to memory (Section 5.6). By Section 4 resources can be re-mapped between physical and swap
  // space.
  enum class SwappedSets : std::uint8_t {
    kAccessedInPlace,
    kFetched,    // it comes back if a physical set is free
    kExchanged,  // or if there is one that was not accessed of late, which goes to swap space for it
  };

  // The warps that the coordinator compares with its floor, below which it oversubscribes. The paper's floor
  // is 20 % of the SM's occupancy (Section 5.3).
  enum class FloorCounts : std::uint8_t {
    kResident,  // all that have not ended
    kHolding,   // those that are schedulable, or hold their registers at a barrier or a fence
    kSchedulable,
  };

  struct Spec {
    // By Resource. A row of slots and registers is a logical warp, one of shared memory a logical block.
    std::array<MappingTable::Shape, kResources> tables;
    bool oversubscribes = true;  // false: nothing goes to swap space
    SwappedSets swapped_sets = SwappedSets::kFetched;
    bool strict_order = false;  // a warp that has to wait holds back those behind it in its queue
    // The three means against deadlock (Section 5.3).
    bool ordered_queues = true;               // false: one queue, in the order of arrival
    bool waiting_warps_release_slots = true;  // false: a warp that waits stays schedulable
    // Thresholds do not hold while fewer warps than this share of the slots are counted, or while none is
    // schedulable.
    double floor = 0.2;
    FloorCounts floor_counts = FloorCounts::kResident;
    bool waiting_slots_are_free = false;  // for a new block, before another warp has them
    // Algorithm 1 and Table 1. Shares are of the physical sets.
    double threshold = 0.1;  // the sets in swap space at the start
    double threshold_step = 0.04;
    bool compares_changes = true;  // false: compares the cycles of an epoch
    double least_difference = 16;  // of the two changes in cycles; a threshold moves beyond it
  };

  // What a phase needs: the register sets of a warp, and the shared-memory sets of its block.
  struct Needs {
    std::uint32_t register_sets = 0;
    std::uint32_t shared_sets = 0;
  };

  // A set that is stored to swap space or loaded from it.
  struct Transfer {
    Resource resource = Resource::kRegisters;
    bool is_load = false;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };

  explicit Coordinator(const Spec& spec);
  void reset();

  // The number of a kernel is below MappingTable::kMostGroups. Each kernel has thresholds of its own, which
  // start anew when the number is given to another kernel.
  void set_kernel(std::uint32_t kernel);
  // The logical warps of `warps` are those of a block that starts in the logical block. Both must be unused.
  void start_block(std::uint32_t kernel, std::uint32_t block, WarpMask warps, const Needs& needs);
  // Does so with the needs of each warp. The warps of `waiting` wait at a barrier.
  using WarpNeeds = std::array<Needs, kMostWarps>;
  void resume_block(std::uint32_t kernel, std::uint32_t block, WarpMask warps, const WarpNeeds& needs,
                    WarpMask waiting);
  // The warps of the block leave the SM, with what they and their block hold.
  void remove_block(std::uint32_t block);
  void start_phase(std::uint32_t warp, const Needs& needs);
  // The warp starts to wait at a barrier or a fence.
  void wait(std::uint32_t warp);
  // The warps of the mask may continue. Those that did not wait are left as they are.
  void go_on(WarpMask warps);
  void end_warp(std::uint32_t warp);
  // All warps of the block have ended.
  void end_block(std::uint32_t block);

  // An epoch has ended in which the kernel was idle, and in which all its warps waited for memory, for so
  // many core cycles.
  void end_epoch(std::uint32_t kernel, std::uint64_t idle_cycles, std::uint64_t memory_cycles);
  void end_epoch();  // after those of the kernels

  WarpMask schedulable() const { return schedulable_; }
  // Returns the slots that no warp holds or waits for. A warp whose slot was lent at a barrier or a fence
  // needs none until it goes on.
  std::uint32_t free_slots() const;
  // Counts an access to a set. Returns whether it was on chip. If not, it may have come back.
  bool access(Resource resource, std::uint32_t row, std::uint32_t column);
  // The transfers since the caller last emptied the list, in order.
  std::vector<Transfer>& transfers() { return transfers_; }

  const MappingTable& table(Resource resource) const { return tables_[index(resource)]; }
  // Returns whether the program counter and the SIMT stack of the warp are in memory.
  bool is_stored(std::uint32_t warp) const { return warps_[warp].is_stored; }
  double threshold(Resource resource, std::uint32_t kernel = 0) const {  // in sets
    return kernels_[kernel].thresholds[index(resource)];
  }
  // Returns whether every table closes and every schedulable warp has what its phase needs. Tests call it.
  bool closes() const;

 private:
  struct Warp {
    std::uint32_t block = 0;
    std::uint32_t kernel = 0;
    Needs needs;
    bool is_stored = false;  // the state of the warp is in memory
  };

  struct Kernel {
    std::array<double, kResources> thresholds{};  // sets in swap space
    std::uint64_t idle_cycles = 0;                // of the last epoch
    std::uint64_t memory_cycles = 0;
  };

  static std::size_t index(Resource resource) { return static_cast<std::size_t>(resource); }
  static WarpMask bit(std::uint32_t warp) { return WarpMask{1} << warp; }
  MappingTable& mapping(Resource resource) { return tables_[index(resource)]; }
  bool has_slot(std::uint32_t warp) const;
  bool lacks(Resource resource, std::uint32_t warp) const;
  bool lacks_any(std::uint32_t warp) const;
  Resource queue_of(std::uint32_t warp) const;
  void queue(std::uint32_t warp);
  void serve_queues();
  bool acquire(std::uint32_t warp);
  bool may_take(Resource resource, std::uint32_t kernel, std::uint32_t sets) const;
  WarpMask counted_for_floor() const;
  bool is_below_floor() const;
  bool may_have_slot(std::uint32_t warp) const;
  void take_slot(std::uint32_t warp);
  void take(Resource resource, std::uint32_t row, std::uint32_t sets);
  void lose_slot(std::uint32_t warp);
  void free_registers(std::uint32_t warp);
  void free_shared_memory(std::uint32_t block);

  const Spec spec_;
  std::array<MappingTable, kResources> tables_;
  std::vector<Kernel> kernels_;
  std::array<Warp, kMostWarps> warps_{};
  std::vector<WarpMask> blocks_;  // by logical block: its warps that have not ended
  WarpMask live_ = 0;
  WarpMask schedulable_ = 0;
  WarpMask waiting_ = 0;               // at a barrier or a fence
  std::vector<std::uint8_t> pending_;  // the warps in the queues, in order of arrival
  std::vector<std::uint8_t> serving_;  // the warps of `pending_` while they are served
  std::vector<Transfer> transfers_;
};

}  // namespace heddle
