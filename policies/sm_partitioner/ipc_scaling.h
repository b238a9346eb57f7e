#pragma once
// What a kernel's IPC would be had it not shared memory bandwidth with SMs that hold other numbers of its
// blocks (Warped-Slicer, Section IV-A, Equations 2 to 4). IPC goes with bandwidth / misses (Equation 2), but
// only as far as memory is what the SM waits for.

#include <cstdint>

namespace heddle {

struct MemoryTraffic {
  double bandwidth = 0;        // any unit
  double misses_per_kilo = 0;  // L2 misses per thousand instructions (the paper's MPKI)
};

// Equation 3's psi: the relative change of bandwidth per miss from the sample to what it is scaled to. The
// sample's bandwidth and the other's misses must not be 0.
double bandwidth_change(const MemoryTraffic& sampled, const MemoryTraffic& scaled);

// How Equation 4 is read. It has the same where misses per instruction do not depend on the blocks, from the
// blocks on the SM and those on an average one.
enum class BandwidthReading : std::uint8_t {
  kNone,     // no change
  kPrinted,  // blocks / average - 1
  // average / blocks - 1: what Equation 3 gives if SMs get bandwidth by their blocks while they are sampled,
  // and all the same later.
  kInverse,
};

// Both numbers more than 0.
double bandwidth_change(BandwidthReading reading, double blocks, double average_blocks);

// Equation 3: `memory_stalls` is the share of all sampled cycles lost to long memory latency, 0 to 1.
double scaled_ipc(double sampled_ipc, double memory_stalls, double bandwidth_change);

}  // namespace heddle
