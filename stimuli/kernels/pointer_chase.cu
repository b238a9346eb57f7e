// These kernels follow a chain of addresses: each load gives the address of the next one, so that the time of
// a step is the latency of a load.
//
// ring: unsigned[words]; the element at byte `at` holds the byte at which the next element lies. last:
// unsigned[1], written: where the chain is after `steps` loads. shared_chase takes at most 1024 words, which
// it copies to shared memory first.
//
// Block: 1 x 1 x 1. Grid: 1. Deterministic.
//
// Host sequence: pointer_chase or shared_chase once. The difference between two numbers of steps is free of
// what a launch costs, and of the first round through the ring, in which no cache has it yet.
//
// Source: Saavedra and Smith, Measuring Cache and TLB Performance and Their Effect on Benchmark Runtimes,
// 1995 (latency by footprint and stride).
#include "cuda.h"

constexpr unsigned kSharedWords = 1024;

HEDDLE_DEVICE unsigned follow(const char* ring, unsigned steps) {
  unsigned at = 0;
  for (unsigned i = 0; i < steps; ++i) at = *reinterpret_cast<const unsigned*>(ring + at);
  return at;
}

HEDDLE_KERNEL pointer_chase(const unsigned* ring, unsigned* last, unsigned steps) {
  *last = follow(reinterpret_cast<const char*>(ring), steps);
}

HEDDLE_KERNEL shared_chase(const unsigned* ring, unsigned* last, unsigned words, unsigned steps) {
  __shared__ unsigned copy[kSharedWords];
  for (unsigned i = 0; i < words && i < kSharedWords; ++i) copy[i] = ring[i];
  *last = follow(reinterpret_cast<const char*>(copy), steps);
}
