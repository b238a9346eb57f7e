#pragma once
// This file computes residency from the resources that a launch needs and the limits of an SM.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// A BlockShape is what one thread block needs, as the program states it.
struct BlockShape {
  std::uint32_t threads = 0;               // per block, 1 or more
  std::uint32_t registers_per_thread = 0;  // 32-bit registers
  std::uint32_t shared_bytes = 0;          // per block
  // The share of an SM's largest shared memory that the program prefers as its carve-out, 0 .. 100 percent;
  // kAnyCarveOut: it has no preference.
  std::int32_t carve_out = kAnyCarveOut;
  // The blocks of a cluster, 1 .. kMostCluster: so many blocks with consecutive numbers start together, each
  // on an SM of its own in one GPC, and access each other's shared memory.
  std::uint32_t cluster = 1;

  static constexpr std::uint32_t kMostCluster = 16;
  static constexpr std::int32_t kAnyCarveOut = -1;
};

// What bounds the speed of a kernel that runs alone, as its application states it.
enum class KernelBound : std::uint8_t { kUnknown, kCompute, kMemory };

// SmLimits are the resources of one SM and the granularity of their allocation.
struct SmLimits {
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t warp_size = 32;            // threads
  std::uint32_t registers = 0;             // 32-bit registers
  std::uint32_t register_granularity = 1;  // registers, allocated per warp
  std::uint32_t shared_bytes = 0;
  std::uint32_t shared_granularity = 1;  // bytes, allocated per block
  std::uint32_t shared_reserved = 0;     // bytes, which a block holds beside those that its program states
  std::uint32_t block_slots = 0;
  std::uint32_t threads_per_block = 0;     // most threads one block may have
  std::uint32_t registers_per_thread = 0;  // most registers one thread may have
  // The most SMs over which the blocks of a cluster can be spread: those of the largest GPC. 0: the SMs have
  // no network, and a cluster has one block.
  std::uint32_t cluster_sms = 0;
  // The SM itself gives registers and shared memory to the warps (decision `resource_manager`). A block then
  // has BlockResources without either, and must fit an SM alone.
  bool by_warp = false;
  // On an SM whose L1 and shared memory are parts of one memory, these are the sizes that shared memory may
  // have, in bytes and ascending. L1 has the rest of the memory. The list is empty if L1 and shared memory
  // are separate memories.
  std::vector<std::uint32_t> carve_outs{};
};

// SmFaults are the shares of an SM's resources that are faulty and cannot be used, 0 to below 1.
struct SmFaults {
  double registers = 0;
  double shared_memory = 0;
  double warp_slots = 0;

  bool any() const { return registers > 0 || shared_memory > 0 || warp_slots > 0; }
};

// BlockResources are what blocks hold on an SM, rounded up to the SM's granularity.
struct BlockResources {
  std::uint32_t threads = 0;
  std::uint32_t warps = 0;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t blocks = 0;  // 1 for one block

  BlockResources& operator+=(const BlockResources& other);
  BlockResources& operator-=(const BlockResources& other);
};

enum class Resource { kThreads, kWarps, kRegisters, kSharedMemory, kBlockSlots };
const char* name_of(Resource resource);

BlockResources resources_of(const BlockShape& shape, const SmLimits& limits);

// Returns what a block holds at the moment in which its last warp ends. That is all that it needs. If
// `limits.by_warp` is set, the other warps have given their warp slots back, and the block holds one of them.
BlockResources held_at_end(const BlockResources& need, const SmLimits& limits);

// Returns whether `more` fits beside `used`.
bool fits(const BlockResources& used, const BlockResources& more, const SmLimits& limits);

struct Residency {
  std::uint32_t blocks = 0;  // the most blocks of the shape on one empty SM; 0: none fits
  Resource bound =
      Resource::kBlockSlots;  // the resource that runs out first (the first of the list on a tie)
};
Residency residency_of(const BlockShape& shape, const SmLimits& limits);
// Returns how many blocks fit an SM, each of which holds the resources `block`, when other blocks on the SM
// already hold the resources `held`.
Residency residency_of(const BlockResources& block, const SmLimits& limits, const BlockResources& held = {});
// Returns the size of shared memory in bytes while blocks of the shape run. The size is an element of the
// ascending list `limits.carve_outs`, which must not be empty:
// - If `limits.by_warp` is true, the size is the largest element.
// - If the program prefers a share of shared memory, the size is the smallest element that holds one block
//   and is at least that share of the largest element.
// - Otherwise the size is the smallest element that holds as many blocks as the SM's other resources allow,
//   or the largest element if no element holds so many.
std::uint32_t carve_out_of(const BlockShape& shape, const SmLimits& limits);
// Returns the most blocks of the shape that an SM may have at once because of the carve-out that the program
// prefers, or kAnyBlocks if a preference has no effect.
std::uint32_t blocks_of_carve_out(const BlockShape& shape, const SmLimits& limits);
constexpr std::uint32_t kAnyBlocks = ~std::uint32_t{0};

// Returns whether the blocks of a kernel with this shape can run: a block fits an empty SM, and a cluster the
// SMs of a GPC.
bool can_reside(const BlockShape& shape, const SmLimits& limits);
// Returns why can_reside() is false, with the number that is needed and the number that there is.
std::string shortage_of(const BlockShape& shape, const SmLimits& limits);

// A KernelLaunch is one kernel launch as the execution engine receives it. The host may cut a launch into
// pieces of consecutive blocks, and each piece is then a KernelLaunch of its own.
struct KernelLaunch {
  KernelId kernel;  // the launch number, which the dispatcher counts
  ContextId context;
  StreamId stream;
  AccountId account;         // the execution engine gives it
  std::uint32_t tag = 0;     // the driver's number of the kernel, shown in statistics and timelines
  std::uint64_t blocks = 0;  // of the grid, or of the piece
  BlockShape shape;
  std::uint64_t block_cycles = 0;     // timed SM: residence of one block, core cycles, 1 or more; else 0
  std::uint32_t jitter_permille = 0;  // timed SM: half width of the uniform spread of residence; 0: none
  std::uint64_t seed = 0;             // of the jitter
  // Timed SM: what a block moves to and from DRAM, and between the SM and L2, in sectors of 32 bytes; 0: not
  // stated.
  std::uint32_t dram_sectors = 0;
  std::uint32_t l2_sectors = 0;
  // Timed SM: what a block at full speed draws of all that one SM can draw, in 1 / kFullPort
  // (models/core/kernel/bandwidth.h); 0: the SM's port does not limit it.
  std::uint16_t port_load = 0;
  // On a timed SM, this is the part of the SM's matrix units that a block at full speed keeps busy. The unit
  // is 1 / kFullProducts (models/core/kernel/bandwidth.h). The value is 0 if the block computes no matrix
  // product.
  std::uint16_t product_load = 0;
  std::uint64_t arguments = 0;  // a handle of the arguments, which the driver and the kernel's code agree on
  bool restartable = false;     // a block that has begun may start over: the result is the same
  // The number of the first block in the grid. It is 0 for a whole launch and for the first piece of one.
  std::uint64_t first_block = 0;
  // The host's number of a launch that it has cut, 1 .. 2^31 - 1; 0: the launch is whole. No two launches of
  // a context that are on the GPU at once have the same number.
  std::uint32_t cut = 0;
  bool is_last = true;        // no piece with higher block numbers follows
  std::int32_t priority = 0;  // of the launch, as of its stream; added to that of its context
  // The set of SMs on which alone its blocks run, as of its stream: a number of the context's sets, from 1
  // on; 0: every SM.
  std::uint32_t sm_set = 0;
};

}  // namespace heddle
