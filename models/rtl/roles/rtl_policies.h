#pragma once
// The policies of a machine, of which some may be blocks in RTL. A choice `rtl.NAME` stands for the block
// NAME of the machine; every other choice is made by the registry.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/rtl/rtl_block.h"
#include "models/rtl/rtl_spec.h"
#include "policies/block_throttle/i_block_throttle.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/registry.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class RtlPolicies {
 public:
  // `policies` has the choice for each decision, `in_use` the names of the blocks that are loaded, `clocks`
  // the frequency of each clock domain by name. Throws an RtlError if a block cannot be loaded.
  RtlPolicies(const std::map<std::string, PolicyChoice>& policies, const std::set<std::string>& in_use,
              const std::map<std::string, RtlSpec>& blocks, const std::map<std::string, double>& clocks);

  // Each makes the policy of one place in the machine, whose path names it. The other arguments are the
  // number of things that it chooses from.
  std::unique_ptr<WarpScheduler> warp_scheduler(const std::string& path, std::uint32_t warps);
  std::unique_ptr<CrossbarArbiter> crossbar_arbiter(const std::string& path, std::uint32_t inputs);
  std::unique_ptr<DramScheduler> dram_scheduler(const std::string& path, std::uint32_t banks);
  std::unique_ptr<DmaArbiter> dma_arbiter(const std::string& path, std::uint32_t transfers);
  std::unique_ptr<BlockThrottle> block_throttle(const std::string& path);
  std::unique_ptr<SmPartitioner> sm_partitioner();
  // The block of this name if it stands at this place of the memory path, or null.
  RtlBlock* interface_block(const std::string& name, const std::string& path);

  // Throws an RtlError for a block of whose `instances` the machine has none. All policies have been made.
  void check_instances() const;
  bool any() const { return !blocks_.empty(); }
  Group& stats() { return stats_; }  // "rtl", with a group for each block
  void reset();
  // The first difference of each instance that has one, block by block.
  std::vector<RtlDivergence> divergences() const;
  std::vector<const RtlBlock*> blocks() const;  // by name

 private:
  // The block that the choice for the decision names and that has an instance at this path, or null.
  RtlBlock* block_of(const char* decision, const std::string& path);
  template <class Interface>
  std::unique_ptr<Interface> model(const RtlBlock* block) const;
  template <class Interface>
  std::unique_ptr<Interface> shadowed(const RtlBlock& block) const;

  const std::map<std::string, PolicyChoice> policies_;
  std::map<std::string, std::unique_ptr<RtlBlock>> blocks_;  // by name
  Group stats_{"rtl"};
};

}  // namespace heddle
