// Warp-level management (Xiang et al., Warp-Level Divergence in GPUs, HPCA 2014): a warp takes registers and
// a slot when it starts and gives them back when it ends, and shared memory is taken and given back by the
// block. Warps are served in the order of their blocks, so that at most one block has some of its warps
// running while others wait to start. The default numbers of logical warps and blocks are those of Zorua
// (Vijaykumar et al., Section 5.5).

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "policies/resource_manager/coordinator.h"
#include "policies/resource_manager/i_resource_manager.h"
#include "policies/resource_manager/logical_limits.h"

namespace heddle {

namespace {

// Where a platform gives out resources in smaller pieces, a set has this size if all sets together are then
// the whole resource. Smaller sets would make large tables.
constexpr std::uint32_t kRegisters = 32;  // one of each lane
constexpr std::uint32_t kSharedBytes = 128;

class WarpLevelManager final : public ResourceManager {
 public:
  explicit WarpLevelManager(const PolicyParameters& parameters)
      : warps_(static_cast<std::uint32_t>(parameters["warps"])),
        blocks_(static_cast<std::uint32_t>(parameters["blocks"])) {}

  bool manages() const override { return true; }

  SmLimits limits(const SmLimits& sm) const override { return limits_of_logical_warps(sm, warps_, blocks_); }

  void attach(const SmLimits& sm, const SmFaults&) override {
    sm_ = sm;
    register_set_ = std::max(sm.register_granularity, std::gcd(sm.registers, kRegisters));
    shared_set_ = std::max(sm.shared_granularity, std::gcd(sm.shared_bytes, kSharedBytes));
    const SmLimits logical = limits(sm);
    const std::uint32_t shared_sets = sm.shared_bytes / shared_set_;
    shared_needs_of_.assign(logical.block_slots, 0);
    Coordinator::Spec spec;
    spec.tables = {
        MappingTable::Shape{logical.warps, 1, sm.warps, 0},
        MappingTable::Shape{logical.block_slots, shared_sets, shared_sets, 0},
        MappingTable::Shape{logical.warps, rounded_up(sm.registers_per_thread * sm.warp_size, register_set_),
                            sm.registers / register_set_, 0}};
    spec.oversubscribes = false;
    spec.strict_order = true;
    spec.waiting_warps_release_slots = false;
    coordinator_.emplace(spec);
  }

  void reset() override {
    coordinator_->reset();
    shared_needs_ = 0;
  }
  void set_kernel(std::uint32_t ksr, std::uint32_t warps, const PhaseNeeds& needs) override {
    if (ksr >= kernels_.size()) kernels_.resize(ksr + 1);
    kernels_[ksr] = {warps, in_sets(needs)};
  }
  // The SM asks the engine for a block when a warp slot and the shared memory of the block are free.
  std::uint32_t room(std::uint32_t ksr) const override {
    const auto& [warps, needs] = kernels_[ksr];
    const std::uint32_t blocks = rounded_up(coordinator_->free_slots(), warps);
    if (needs.shared_sets == 0) return blocks;
    const std::uint32_t sets = coordinator_->table(Coordinator::Resource::kSharedMemory).usable();
    return std::min(blocks, (sets - std::min(sets, shared_needs_)) / needs.shared_sets);
  }
  void start_block(std::uint32_t /*ksr*/, std::uint32_t block, WarpMask warps,
                   const PhaseNeeds& needs) override {
    const Coordinator::Needs sets = in_sets(needs);
    shared_needs_of_[block] = sets.shared_sets;
    shared_needs_ += sets.shared_sets;
    coordinator_->start_block(0, block, warps, sets);
  }
  void end_warp(std::uint32_t warp) override { coordinator_->end_warp(warp); }
  void end_block(std::uint32_t block) override {
    shared_needs_ -= shared_needs_of_[block];
    coordinator_->end_block(block);
  }

  void remove_block(std::uint32_t block) override {
    shared_needs_ -= shared_needs_of_[block];
    coordinator_->remove_block(block);
  }
  void resume_block(std::uint32_t /*ksr*/, std::uint32_t block, WarpMask warps, const WarpNeeds& needs,
                    WarpMask waiting) override {
    Coordinator::WarpNeeds sets;
    shared_needs_of_[block] = 0;
    for (WarpMask left = warps; left != 0; left &= left - 1) {
      const auto warp = static_cast<std::uint32_t>(__builtin_ctzll(left));
      sets[warp] = in_sets(needs[warp]);
      shared_needs_of_[block] = std::max(shared_needs_of_[block], sets[warp].shared_sets);
    }
    shared_needs_ += shared_needs_of_[block];
    coordinator_->resume_block(0, block, warps, sets, waiting);
  }
  // A warp without registers has not started, and has no state.
  HeldBytes held_by_warp(std::uint32_t warp) const override {
    const std::uint32_t slots = coordinator_->table(Coordinator::Resource::kSlots).held(warp);
    const std::uint32_t sets = coordinator_->table(Coordinator::Resource::kRegisters).held(warp);
    return {slots * kStateBytes + sets * register_set_ * 4, 0};
  }
  HeldBytes held_by_block(std::uint32_t block) const override {
    return {coordinator_->table(Coordinator::Resource::kSharedMemory).held(block) * shared_set_, 0};
  }

  WarpMask schedulable() const override { return coordinator_->schedulable(); }
  std::uint32_t registers_in_use() const override {
    return coordinator_->table(Coordinator::Resource::kRegisters).used() * register_set_;
  }
  std::uint32_t shared_bytes_in_use() const override {
    return coordinator_->table(Coordinator::Resource::kSharedMemory).used() * shared_set_;
  }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    if (gpu.has_faults) return "wlm cannot keep blocks from faulty resources";
    return gpu.has_cycle_sms ? "" : "wlm gives out resources by warp, which timed SMs do not have";
  }

 private:
  // A block of the kernel has so many warps, and each of them needs this many sets.
  struct Kernel {
    std::uint32_t warps = 1;
    Coordinator::Needs needs;
  };

  Coordinator::Needs in_sets(const PhaseNeeds& needs) const {
    return {rounded_up(needs.registers_per_thread * sm_.warp_size, register_set_),
            rounded_up(needs.shared_bytes, shared_set_)};
  }

  const std::uint32_t warps_;
  const std::uint32_t blocks_;
  SmLimits sm_;
  std::uint32_t register_set_ = 0;              // registers
  std::uint32_t shared_set_ = 0;                // bytes
  std::vector<Kernel> kernels_;                 // by KSR
  std::uint32_t shared_needs_ = 0;              // sets, of the blocks on the SM
  std::vector<std::uint32_t> shared_needs_of_;  // by logical block
  std::optional<Coordinator> coordinator_;
};

HEDDLE_POLICY(ResourceManager, WarpLevelManager, "wlm",
              "a warp holds registers and a slot, and a block shared memory, from start to end",
              "Xiang et al., Warp-Level Divergence in GPUs, HPCA 2014",
              {{"warps", "warps", 64, 1, 64, "logical ones of an SM; no fewer than its slots", true},
               {"blocks", "blocks", 16, 1, 64, "logical ones of an SM; no fewer than its slots", true}});

}  // namespace

}  // namespace heddle
