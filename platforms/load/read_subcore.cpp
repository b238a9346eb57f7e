#include "platforms/load/read_subcore.h"

#include <algorithm>

#include "platforms/load/read_number.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostReadLatency = 60;
constexpr std::uint32_t kLeastInSubcore = 3;  // cycles from issue until an instruction leaves

// Reads two numbers of cycles: [with an address in registers, with a uniform address].
ReadLatency read_latency(const config::Section& section, const config::Key& key) {
  ReadLatency latency;
  const auto value = section.optional(key, "list", "when it leaves the sub-core");
  if (!value) return latency;
  const std::vector<config::Value> both = value->list();
  if (both.size() != 2) {
    if (value->is_list()) value->problem("needs two entries: [address in registers, uniform address]");
    return latency;
  }
  latency.regular = static_cast<std::uint32_t>(both[0].integer({kLeastInSubcore, kMostReadLatency}));
  latency.uniform = static_cast<std::uint32_t>(both[1].integer({kLeastInSubcore, kMostReadLatency}));
  return latency;
}

void read_reads(const config::Section& section, SubcoreSpec& spec) {
  spec.global_load = read_latency(
      section, {"global_load",
                "from the issue of a load of global or local memory until its registers can be written: "
                "[address in registers, uniform address]",
                "cycles"});
  spec.shared_load = read_latency(section, {"shared_load", "the same of a load of shared memory", "cycles"});
  spec.global_store = read_latency(
      section, {"global_store", "the same of a store to global or local memory of up to 4 bytes", "cycles"});
  spec.shared_store =
      read_latency(section, {"shared_store", "the same of a store to shared memory", "cycles"});
  spec.store_read = short_cycles(
      section, {"store_register", "core cycles more for each further register that a store stores"}, 0, 16,
      0);
}

void read_uniform(const config::Section& section, SubcoreSpec& spec) {
  spec.uniform_global = short_cycles(
      section,
      {"global",
       "core cycles by which an access of global or local memory with a uniform address is earlier"},
      0, 64, 0);
  spec.uniform_shared = short_cycles(section, {"shared", "the same of an access of shared memory"}, 0, 64, 0);
  const std::uint32_t most = std::max(spec.uniform_global, spec.uniform_shared);
  if (most > 0 && most + kLeastInSubcore > spec.memory_latency)
    section.problem("must be at most memory_latency less 3 cycles");
}

OperandConstants read_constants(const config::Section& section) {
  OperandConstants constants;
  const std::uint32_t bytes =
      size(section, {"size", "constant cache of a sub-core for operands of instructions, lines of 64 B"}, 512,
           1 << 16);
  if (bytes % OperandConstants::kLineBytes != 0) section.value("size").problem("must be whole lines of 64 B");
  constants.lines = bytes / OperandConstants::kLineBytes;
  constants.miss_latency =
      short_cycles(section, {"miss", "core cycles by which a miss delays the issue"}, 1, 1 << 10);
  constants.switch_after = short_cycles(
      section, {"switch", "core cycles after which other warps issue during a miss"}, 1, 1 << 10);
  return constants;
}

}  // namespace

void read_subcore(const config::Section& section, const config::Section& l0, CycleSmSpec& sm) {
  SubcoreSpec& spec = sm.subcore;
  spec.memory_queue = number(
      section, {"memory_queue", "memory instructions of a sub-core that have not left it", "instructions"}, 1,
      64, 5);
  spec.memory_latency = short_cycles(
      section, {"memory_latency", "core cycles from the issue of a memory instruction until it leaves"},
      kLeastInSubcore, 100, 11);
  spec.memory_interval = short_cycles(
      section, {"memory_interval", "core cycles between two memory instructions that leave a sub-core"}, 1,
      64, 4);
  spec.memory_port = short_cycles(
      section, {"memory_port", "core cycles in which the memory unit takes one from all sub-cores"}, 1, 64,
      1);
  spec.load_interval = short_cycles(
      section, {"load_interval", "core cycles in which a register of a load takes the write port"}, 1, 64, 2);
  spec.shared_width = number(
      section,
      {"shared_width", "registers of a load of shared memory that take the port together", "registers"}, 1, 4,
      1);
  read_uniform(section.optional_section("uniform"), spec);
  read_reads(section.optional_section("reads"), spec);
  const config::Section constants = section.optional_section("constants");
  const OperandConstants operands = read_constants(constants);
  if (section.has("constants")) spec.constants = operands;
  spec.instruction_way =
      short_cycles(l0, {"way", "core cycles from this cache to the instruction cache of the SM, and back"}, 0,
                   kMostLatency, 0);
  spec.prefetched_lines =
      number(l0, {"prefetch", "lines behind a miss that a stream buffer requests ahead", "lines"}, 0, 64, 0);
  if (sm.pipeline != PipelineKind::kSubcore) return;
  sm.follows_control_bits = true;
  if (spec.instruction_cache.sets == 0) section.problem("sub-cores need an instruction cache: caches.l0");
  if (sm.issue_width != 1)
    section.problem("a sub-core issues one instruction a cycle: pipeline.issue_width is 1");
}

}  // namespace heddle
