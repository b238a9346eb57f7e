#include "models/rtl/roles/rtl_policies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "models/rtl/roles/rtl_block_throttle.h"
#include "models/rtl/roles/rtl_crossbar_arbiter.h"
#include "models/rtl/roles/rtl_dma_arbiter.h"
#include "models/rtl/roles/rtl_dram_scheduler.h"
#include "models/rtl/roles/rtl_units.h"
#include "models/rtl/roles/rtl_warp_scheduler.h"
#include "policies/sm_partitioner/token.h"
#include "policies/sm_partitioner/warped_slicer.h"

namespace heddle {

RtlPolicies::RtlPolicies(const std::map<std::string, PolicyChoice>& policies,
                         const std::set<std::string>& in_use, const std::map<std::string, RtlSpec>& blocks,
                         const std::map<std::string, double>& clocks)
    : policies_(policies) {
  constexpr double kPicoseconds = 1e12;
  RtlPeriods periods;
  for (const auto& [domain, hz] : clocks)
    periods[domain] = static_cast<std::uint64_t>(std::llround(kPicoseconds / hz));
  for (const std::string& name : in_use) {
    const auto spec = blocks.find(name);
    if (spec == blocks.end()) throw RtlError("the machine has no block rtl." + name);
    const auto added = blocks_.emplace(name, std::make_unique<RtlBlock>(spec->second, periods));
    stats_.attach(added.first->second->stats());
  }
}

RtlBlock* RtlPolicies::interface_block(const std::string& name, const std::string& path) {
  if (name.empty()) return nullptr;
  RtlBlock* block = blocks_.at(name).get();
  return block->has_instance(path) ? block : nullptr;
}

RtlBlock* RtlPolicies::block_of(const char* decision, const std::string& path) {
  const std::string name = rtl_block_of(policies_.at(decision).name);
  if (name.empty()) return nullptr;
  RtlBlock* block = blocks_.at(name).get();
  return block->has_instance(path) ? block : nullptr;
}

// The policy without RTL: that of the decision, or where it names a block, that of the block.
template <class Interface>
std::unique_ptr<Interface> RtlPolicies::model(const RtlBlock* block) const {
  const PolicyChoice& choice = policies_.at(Interface::kDecision);
  const std::string name = rtl_block_of(choice.name);
  if (name.empty()) return PolicyRegistry<Interface>::make(choice);
  return PolicyRegistry<Interface>::make((block == nullptr ? *blocks_.at(name) : *block).spec().model);
}

// The model's policy in shadow mode, or null.
template <class Interface>
std::unique_ptr<Interface> RtlPolicies::shadowed(const RtlBlock& block) const {
  return block.shadows() ? model<Interface>(&block) : nullptr;
}

std::unique_ptr<WarpScheduler> RtlPolicies::warp_scheduler(const std::string& path, std::uint32_t warps) {
  RtlBlock* block = block_of(WarpScheduler::kDecision, path);
  if (block == nullptr) return model<WarpScheduler>(nullptr);
  return std::make_unique<RtlWarpScheduler>(*block, path, warps, shadowed<WarpScheduler>(*block));
}

std::unique_ptr<CrossbarArbiter> RtlPolicies::crossbar_arbiter(const std::string& path,
                                                               std::uint32_t inputs) {
  RtlBlock* block = block_of(CrossbarArbiter::kDecision, path);
  if (block == nullptr) return model<CrossbarArbiter>(nullptr);
  return std::make_unique<RtlCrossbarArbiter>(*block, path, inputs, shadowed<CrossbarArbiter>(*block));
}

std::unique_ptr<DramScheduler> RtlPolicies::dram_scheduler(const std::string& path, std::uint32_t banks) {
  RtlBlock* block = block_of(DramScheduler::kDecision, path);
  std::unique_ptr<DramScheduler> own = model<DramScheduler>(block);
  if (block == nullptr) return own;
  return std::make_unique<RtlDramScheduler>(*block, path, banks, std::move(own));
}

std::unique_ptr<DmaArbiter> RtlPolicies::dma_arbiter(const std::string& path, std::uint32_t transfers) {
  RtlBlock* block = block_of(DmaArbiter::kDecision, path);
  if (block == nullptr) return model<DmaArbiter>(nullptr);
  return std::make_unique<RtlDmaArbiter>(*block, path, transfers, shadowed<DmaArbiter>(*block));
}

std::unique_ptr<BlockThrottle> RtlPolicies::block_throttle(const std::string& path) {
  RtlBlock* block = block_of(BlockThrottle::kDecision, path);
  if (block == nullptr) return model<BlockThrottle>(nullptr);
  return std::make_unique<RtlBlockThrottle>(*block, path, shadowed<BlockThrottle>(*block));
}

std::unique_ptr<SmPartitioner> RtlPolicies::sm_partitioner() {
  const PolicyChoice& choice = policies_.at(SmPartitioner::kDecision);
  const std::string name = rtl_block_of(choice.name);
  if (name.empty()) return PolicyRegistry<SmPartitioner>::make(choice);
  RtlBlock& block = *blocks_.at(name);
  const PolicyParameters parameters =
      PolicyCatalogue::instance().resolve(SmPartitioner::kDecision, block.spec().model);
  const std::string& role = block.spec().role;
  if (role == "token")
    return std::make_unique<Token>(parameters, std::make_unique<RtlTokenUnit>(block, role));
  return std::make_unique<WarpedSlicer>(parameters, std::make_unique<RtlWaterFilling>(block, role));
}

void RtlPolicies::check_instances() const {
  for (const auto& [name, block] : blocks_)
    if (block->instances() == 0)
      throw RtlError(fmt::format("{}: rtl.{}: the machine has no instance {}", block->spec().place, name,
                                 fmt::join(block->spec().instances, " or ")));
}

void RtlPolicies::reset() {
  for (const auto& [name, block] : blocks_) block->reset();
}

std::vector<RtlDivergence> RtlPolicies::divergences() const {
  std::vector<RtlDivergence> all;
  for (const auto& [name, block] : blocks_)
    all.insert(all.end(), block->divergences().begin(), block->divergences().end());
  return all;
}

std::vector<const RtlBlock*> RtlPolicies::blocks() const {
  std::vector<const RtlBlock*> all;
  for (const auto& [name, block] : blocks_) all.push_back(block.get());
  return all;
}

}  // namespace heddle
