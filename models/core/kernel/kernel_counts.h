#pragma once
// What an SM counts for each launch that it runs blocks of. Totals of an SM are sums over launches, totals of
// a launch sums over SMs, so both close.
//
// A counter is one line of the table below, and `++counts.name` where its event happens. Everything else
// follows from the table: sums, samples, the statistics of SMs and of KSRs, and the tests of these.

#include <array>
#include <cstddef>
#include <cstdint>

// COUNT(name, unit, description)
#define HEDDLE_KERNEL_COUNTS(COUNT)                                                               \
  COUNT(blocks, "block", "thread blocks that ran to their end")                                   \
  COUNT(warp_instructions, "instruction", "instructions issued for a warp")                       \
  COUNT(thread_instructions, "instruction", "lanes that took part in issued instructions")        \
  COUNT(sp_instructions, "instruction", "of the warp instructions, those of the unit sp")         \
  COUNT(int_instructions, "instruction", "of the warp instructions, those of int and uniform")    \
  COUNT(dp_instructions, "instruction", "of the warp instructions, those of the unit dp")         \
  COUNT(sfu_instructions, "instruction", "of the warp instructions, those of the unit sfu")       \
  COUNT(tensor_instructions, "instruction", "of the warp instructions, those of the unit tensor") \
  COUNT(memory_instructions, "instruction", "of the warp instructions, those of the unit memory") \
  COUNT(spill_instructions, "instruction",                                                        \
        "of the warp instructions, stores and loads of spilled registers")                        \
  COUNT(sp_lanes, "lane", "lanes that took part in instructions of the unit sp")                  \
  COUNT(int_lanes, "lane", "lanes that took part in instructions of int and uniform")             \
  COUNT(dp_lanes, "lane", "lanes that took part in instructions of the unit dp")                  \
  COUNT(sfu_lanes, "lane", "lanes that took part in instructions of the unit sfu")                \
  COUNT(tensor_lanes, "lane", "lanes that took part in instructions of the unit tensor")          \
  COUNT(tensor_products, "product", "products of matrices, each of the bits of m16n8k8 of f16")   \
  COUNT(memory_lanes, "lane", "lanes that took part in instructions of the unit memory")          \
  COUNT(register_reads, "register", "registers of a whole warp that issued instructions read")    \
  COUNT(register_writes, "register", "registers of a whole warp that issued instructions write")  \
  COUNT(shared_passes, "cycle", "passes over the banks of shared memory")                         \
  COUNT(shared_conflicts, "cycle", "passes beyond an instruction's first: bank conflicts")        \
  COUNT(l1_accesses, "access", "lines that loads looked for in L1, but for swap space")           \
  COUNT(l1_hits, "access", "lines that were there")                                               \
  COUNT(l1_merges, "access", "lines that were on their way")                                      \
  COUNT(l1_misses, "access", "lines that were asked for at L2")                                   \
  COUNT(swap_loads, "line", "lines of swap space that were read")                                 \
  COUNT(swap_load_hits, "line", "of these, lines that were in L1 or on their way")                \
  COUNT(swap_stores, "line", "lines of swap space that were written")                             \
  COUNT(swap_requests, "request", "of the loads and stores below, those of swap space")           \
  COUNT(fetches, "access", "accesses of the instruction cache, tried-again ones included")        \
  COUNT(fetch_misses, "access", "lines the instruction cache asked for at L2")                    \
  COUNT(constant_accesses, "access", "lines that loads looked for in the constant cache")         \
  COUNT(constant_misses, "access", "lines the constant cache asked for at L2")                    \
  COUNT(texture_accesses, "access", "lines that texture fetches looked for in the texture cache") \
  COUNT(texture_misses, "access", "of these, lines that were asked for at L2")                    \
  COUNT(loads, "request", "reads and atomics sent to L2, fetches of instructions left out")       \
  COUNT(stores, "request", "writes sent to L2")                                                   \
  COUNT(atomics, "request", "of the reads, the atomics")                                          \
  COUNT(answers, "request", "requests that L2 has answered, those of the instruction cache too")  \
  COUNT(l2_misses, "line", "lines that L2 missed for requests it has answered")                   \
  COUNT(bulk_copies, "copy", "copies between shared memory and device memory without registers")  \
  COUNT(bulk_lines, "request", "of the loads and stores, those of these copies")                  \
  COUNT(cluster_messages, "message",                                                              \
        "accesses of shared memory of other blocks of the cluster, and signals to them")          \
  COUNT(cluster_bytes, "byte", "data of these messages and of the answers to them")               \
  COUNT(load_instructions, "instruction",                                                         \
        "loads and atomics of global, local and constant memory written back")                    \
  COUNT(load_latency, "cycle", "core cycles of those from issue to write back")

namespace heddle {

struct KernelCounts {
#define HEDDLE_DECLARE(name, unit, description) std::uint64_t name = 0;
  HEDDLE_KERNEL_COUNTS(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE

  struct Field {
    std::uint64_t KernelCounts::*value;
    const char* name;
    const char* unit;
    const char* description;
  };
#define HEDDLE_COUNT_ONE(name, unit, description) +1
  static constexpr std::size_t kFields = 0 HEDDLE_KERNEL_COUNTS(HEDDLE_COUNT_ONE);
#undef HEDDLE_COUNT_ONE
  static constexpr const std::array<Field, kFields>& fields();  // in the order of the table

  KernelCounts& operator+=(const KernelCounts& other);
  KernelCounts& operator-=(const KernelCounts& other);
};

#define HEDDLE_FIELD(name, unit, description) \
  KernelCounts::Field{&KernelCounts::name, #name, unit, description},
inline constexpr std::array<KernelCounts::Field, KernelCounts::kFields> kKernelCountFields{
    HEDDLE_KERNEL_COUNTS(HEDDLE_FIELD)};
#undef HEDDLE_FIELD

constexpr const std::array<KernelCounts::Field, KernelCounts::kFields>& KernelCounts::fields() {
  return kKernelCountFields;
}

inline KernelCounts& KernelCounts::operator+=(const KernelCounts& other) {
  for (const Field& field : fields()) this->*field.value += other.*field.value;
  return *this;
}

inline KernelCounts& KernelCounts::operator-=(const KernelCounts& other) {
  for (const Field& field : fields()) this->*field.value -= other.*field.value;
  return *this;
}

inline bool operator==(const KernelCounts& a, const KernelCounts& b) {
  for (const KernelCounts::Field& field : KernelCounts::fields())
    if (a.*field.value != b.*field.value) return false;
  return true;
}
inline bool operator!=(const KernelCounts& a, const KernelCounts& b) {
  return !(a == b);
}

}  // namespace heddle
