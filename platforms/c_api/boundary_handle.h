#pragma once
// A BoundaryHandle simulates one block of the memory path without the rest of the machine, so that a caller
// can compare a block of its own with it cycle by cycle. The block is an L2 slice, whose requests to memory
// are answered after a fixed latency, or a memory channel.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/gpu/memory_blocks.h"
#include "platforms/c_api/boundary_ports.h"
#include "platforms/c_api/handle.h"

namespace heddle {

// The block and what stands around it.
struct Boundary {
  Boundary(const GpuSpec& spec, std::string block);

  const GpuSpec gpu;
  const std::string name;  // of the block: "l2_0"
  const ChannelMap channels;
  RtlPolicies policies;  // a block may be one in RTL
  std::unique_ptr<ClockDomain> l2;
  std::unique_ptr<ClockDomain> dram;
  std::unique_ptr<MemoryBlock> block;
  std::vector<std::unique_ptr<BoundarySource>> sources;  // one for each port
  std::unique_ptr<FarSide> far_side;                     // of a slice; null for a channel
  ClockDomain* clock = nullptr;                          // that of the block
  std::uint32_t index = 0;                               // of the slice, or of the channel
  Group stats{"gpu"};                                    // so that counters have the paths of a machine
  Group root{""};
};

class BoundaryHandle final : public SimulationHandle {
 public:
  // Each line of `options` is one option: --set as of `heddle run`, or --latency, the cycles of the L2's
  // clock after which memory answers a slice. Throws a BadCall or a config::Error.
  static std::unique_ptr<BoundaryHandle> open(const std::string& platform, const std::string& block,
                                              const std::string& options);

  const char* kind() const override { return "boundary"; }
  void reset() override;
  std::string list(const std::string& what) override;
  bool step(std::uint64_t cycles) override;
  bool run_to(std::uint64_t cycle) override;
  bool run_to_end() override;
  std::uint64_t now(const std::string& clock) override;
  std::uint64_t counter(const std::string& name) override;

  // Returns whether the block takes the request in the next cycle. Throws a BadCall for a request that cannot
  // come to this block.
  bool send(const BoundaryRequest& request);
  std::optional<std::uint64_t> take();

 private:
  explicit BoundaryHandle(Boundary& boundary) : boundary_(boundary) {}
  void check(const BoundaryRequest& request) const;
  bool is_channel() const { return boundary_.far_side == nullptr; }
  const char* clock_name() const { return is_channel() ? "dram" : "l2"; }
  const Group& stats();  // as of the present

  Boundary& boundary_;
};

}  // namespace heddle
