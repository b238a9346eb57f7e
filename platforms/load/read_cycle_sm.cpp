#include "platforms/load/read_cycle_sm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/sm/pipeline/coalescer.h"
#include "platforms/load/read_number.h"
#include "platforms/load/read_policy.h"
#include "platforms/load/read_subcore.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostCache = 64 << 20;

template <class Enum>
std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(name_of(static_cast<Enum>(i)));
  return result;
}

// Returns the enumerator with the value's name. For an unknown name it records a problem and returns the
// first.
template <class Enum>
Enum one_of(const config::Value& value, std::size_t count) {
  const std::vector<std::string> known = names<Enum>(count);
  const auto found = std::find(known.begin(), known.end(), value.choice(known));
  return static_cast<Enum>(found == known.end() ? 0 : found - known.begin());
}

void read_pipeline(const config::Section& section, CycleSmSpec& sm) {
  sm.pipeline = section.choice({"kind",
                                "operand collectors and units that all schedulers share, as from Fermi to "
                                "Pascal, or a sub-core for each scheduler, as since Volta"},
                               {"collector", "subcore"}, "collector") == "subcore"
                    ? PipelineKind::kSubcore
                    : PipelineKind::kCollector;
  sm.schedulers =
      number(section, {"schedulers", "warp schedulers of an SM", "schedulers"}, 1, kMostSchedulers);
  sm.schedulers_rotate =
      section.choice(
          {"scheduler_order",
           "which scheduler issues first in a cycle, and so has a unit that they share: always the "
           "same one, or each in turn"},
          {"fixed", "rotating"}, "fixed") == "rotating";
  sm.issue_width = number(
      section, {"issue_width", "instructions of its warp that a scheduler issues in a cycle", "instructions"},
      1, 2);
  sm.fetch_width = number(section, {"fetch_width", "instructions that a fetch brings", "instructions"}, 1,
                          CycleSmSpec::kMostBuffer);
  sm.buffer_entries =
      number(section, {"buffer_entries", "entries of a warp's instruction buffer", "instructions"}, 1,
             CycleSmSpec::kMostBuffer);
  sm.register_banks =
      number(section, {"register_banks", "banks of the register file, a power of two", "banks"}, 1,
             kMostRegisterBanks);
  sm.writebacks = number(section, {"writebacks", "results that the units write in a cycle", "results"}, 1,
                         kMostWritebacks);
  sm.collect_latency = short_cycles(
      section, {"collect_latency", "core cycles from a free operand collector to the first read"}, 0, 1, 0);
  sm.dispatch_latency = short_cycles(
      section, {"dispatch_latency", "core cycles from the last read to the unit; not of the memory unit"}, 0,
      kMostStages, 0);
  sm.result_latency = short_cycles(
      section, {"result_latency", "core cycles from a result, or data of shared memory, to the registers"}, 0,
      kMostStages, 0);
  sm.branch_latency = short_cycles(
      section, {"branch_latency", "core cycles from a branch that is taken to the fetch of its target"}, 0,
      1 << 8, 0);
  sm.block_start = short_cycles(
      section, {"block_start", "core cycles from the arrival of a block to the first issue of its warps"}, 0,
      1 << 16, 0);
  sm.warp_start =
      short_cycles(section, {"warp_start", "core cycles more for each warp of the block"}, 0, 1 << 10, 0);
  if (section.has("register_banks") && !is_power_of_two(sm.register_banks))
    section.value("register_banks").problem("must be a power of two");
  const std::string schedule =
      section.choice({"schedule",
                      "the instructions of PTX kernels: one for each statement, or as an assembler folds and "
                      "orders them; see stimuli/KERNELS.md"},
                     {"none", "ptxas-like"}, "none");
  sm.code.schedule = schedule == "none" ? CodeSchedule::kNone : CodeSchedule::kPtxasLike;
  sm.code.instruction_bytes = static_cast<std::uint32_t>(section.bytes(
      {"instruction_bytes", "size of an instruction of PTX kernels: 8B, or 16B as since Volta"}, 8));
  if (sm.code.instruction_bytes != 8 && sm.code.instruction_bytes != 16)
    section.value("instruction_bytes").problem("must be 8B or 16B");
  const config::Value order = section.value(
      {"stall_order", "of the reasons that hold for some warp in a cycle without issue, the first counts"},
      "list", "every reason once");
  for (const config::Value& value : order.list()) {
    const auto bucket = one_of<Bucket>(value, kBuckets);
    if (bucket == Bucket::kActive || bucket == Bucket::kNoWarp)
      value.problem("a cycle is so without looking at what warps wait for");
    if (std::find(sm.stall_order.begin(), sm.stall_order.end(), bucket) != sm.stall_order.end())
      value.problem("named twice");
    sm.stall_order.push_back(bucket);
  }
  if (order.is_list() && sm.stall_order.size() != kBuckets - 2)
    order.problem(
        "must name every reason once: pipeline_memory, pipeline_alu, scoreboard_memory, "
        "scoreboard_alu, buffer_empty, barrier");
}

// Reads the pipelines of each unit. A unit that the platform lacks has no pipelines.
void read_units(const config::Section& section, CycleSmSpec& sm) {
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const char* const name = name_of(static_cast<UnitKind>(i));
    const config::Section unit = section.optional_section(name);
    const UnitSpec spec{
        number(unit, {"count", "pipelines of the unit, a warp wide", "pipelines"}, 1, kMostPipelines),
        number(unit, {"collectors", "operand collectors of the unit", "collectors"}, 1, kMostCollectors),
        number(unit, {"ports", "instructions that enter and leave the collectors in a cycle", "instructions"},
               1, 8)};
    if (section.has(name)) sm.units[i] = spec;
  }
  std::uint32_t collectors = 0;
  for (const UnitSpec& unit : sm.units) collectors += unit.collectors;
  if (collectors > kMostCollectors)
    section.problem(fmt::format("{} collectors in all units; the most is {}", collectors, kMostCollectors));
  if (sm.units[static_cast<std::size_t>(UnitKind::kMemory)].count != 1)
    section.problem("needs one memory unit: memory: {count: 1, ...}");
}

// Reads one operation: [unit, latency, initiation interval]. Its instructions may take as many intervals as
// `repeats` says.
void read_operation(const config::Value& value, const CycleSmSpec& sm, std::uint32_t repeats,
                    OperationSpec& spec) {
  const std::vector<config::Value> parts = value.list();
  if (parts.size() != 3) {
    if (value.is_list()) value.problem("needs three entries: [unit, latency, initiation interval]");
    return;
  }
  spec.unit = one_of<UnitKind>(parts[0], kUnitKinds);
  spec.latency = static_cast<std::uint32_t>(parts[1].integer({1, kMostLatency}));
  spec.interval = static_cast<std::uint32_t>(parts[2].integer({1, kMostLatency}));
  if (spec.unit == UnitKind::kMemory || sm.units[static_cast<std::size_t>(spec.unit)].count == 0)
    parts[0].problem(fmt::format("this SM has no unit '{}' for it", name_of(spec.unit)));
  if (spec.unit == UnitKind::kTensor && spec.latency + (repeats - 1) * spec.interval > kMostLatency)
    value.problem(fmt::format("the latency and {} initiation intervals are more than {} cycles", repeats - 1,
                              kMostLatency));
}

// Returns what an operation costs that the platform does not state.
std::string shown_default(Operation operation) {
  if (operation == Operation::kTensorGroup) return "none: no wgmma";
  return fmt::format("{} {}", operation == Operation::kTensorWide ? "twice" : "as",
                     name_of(costs_as(operation)));
}

// Reads the operations. An operation that the platform does not state costs what costs_as() says. By default
// kTensorWide costs twice as much as kTensor.
void read_operations(const config::Section& section, CycleSmSpec& sm) {
  std::array<bool, kOperations> stated{};
  for (std::size_t i = 0; i < kOperations; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (is_memory(operation)) continue;
    const config::Key key{name_of(operation), "[unit, latency, initiation interval] of the operation",
                          "cycles"};
    const Operation other = costs_as(operation);
    const std::uint32_t repeats =
        operation == Operation::kTensorGroup ? kMostGroupRepeats : kMostIntervalRepeats;
    if (other == operation) {
      read_operation(section.value(key, "list"), sm, repeats, sm.operations[i]);
    } else if (const auto value = section.optional(key, "list", shown_default(operation))) {
      read_operation(*value, sm, repeats, sm.operations[i]);
      stated[i] = true;
    }
  }
  for (std::size_t i = 0; i < kOperations; ++i) {
    auto source = static_cast<Operation>(i);
    while (!stated[static_cast<std::size_t>(source)] && costs_as(source) != source) source = costs_as(source);
    sm.operations[i] = sm.operations[static_cast<std::size_t>(source)];
  }
  if (!stated[static_cast<std::size_t>(Operation::kTensorWide)]) {
    OperationSpec& wide = sm.operations[static_cast<std::size_t>(Operation::kTensorWide)];
    wide.latency += wide.interval;
    wide.interval *= 2;
  }
}

CopyUnitSpec read_copy_unit(const config::Section& section) {
  CopyUnitSpec spec;
  spec.lines = number(
      section,
      {"lines", "lines of 128 B that the unit has asked for and not received; 0: there is no unit", "lines"},
      0, 4096);
  spec.latency = short_cycles(section, {"latency", "core cycles from the issue of a copy to its first line"},
                              1, kMostLatency);
  spec.interval = short_cycles(section, {"interval", "core cycles from line to line"}, 1, 64, 1);
  return spec;
}

// Reads the sizes that shared memory may have in the memory of L1.
void read_carve_outs(const config::Section& shared, const config::Section& l1, const CacheSpec& cache,
                     std::vector<std::uint32_t>& sizes) {
  if (!shared.has("carve_outs")) return;
  const config::Value list = shared.value(
      {"carve_outs",
       "that shared memory may have in the memory of L1, which has the rest; without: its own memory"},
      "list", "sizes in ascending order");
  for (const config::Value& value : list.list()) {
    const std::uint64_t bytes = value.bytes();
    if (bytes >= cache.bytes()) value.problem("must leave L1 a part of its memory");
    if (!sizes.empty() && bytes <= sizes.back()) value.problem("must be larger than the one before");
    sizes.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, cache.bytes())));
  }
  if (list.is_list() && sizes.empty()) list.problem("must have a size");
  if (cache.replacement.name != "lru" && cache.replacement.name != "fifo")
    l1.value("replacement").problem("must be lru or fifo where shared memory is a part of L1's memory");
}

// `sends` says whether the misses of the cache go to the crossbar.
CacheSpec read_cache(const config::Section& section, bool sends = true) {
  CacheSpec cache;
  const std::uint64_t size =
      section.bytes({"size", "size of the cache: whole sets of lines of 128 B"}, {kLineBytes, kMostCache});
  cache.ways = number(section, {"ways", "ways of a set", "lines"}, 1, 1024);
  cache.sector_bytes = static_cast<std::uint32_t>(section.bytes(
      {"sector", "size of a sector, which is what a miss fetches: 32B, 64B or 128B"}, kLineBytes));
  cache.hashed =
      section.boolean({"hashed", "whether the set's number is hashed with higher address bits"}, false);
  cache.replacement = read_replacement(section);
  cache.mshrs =
      number(section,
             {"mshrs", sends ? "lines that wait for the L2" : "lines that wait for the next cache", "MSHRs"},
             1, 4096);
  cache.merges = number(section, {"merges", "requests that wait for one line", "requests"}, 1, 256);
  if (sends)
    cache.miss_queue =
        number(section, {"miss_queue", "requests that wait for the crossbar", "requests"}, 1, 1024);
  cache.latency =
      short_cycles(section, {"latency", "core cycles from the tags to the data"}, 1, kMostLatency);
  if (cache.sector_bytes != kSectorBytes && cache.sector_bytes != 2 * kSectorBytes &&
      cache.sector_bytes != kLineBytes)
    section.value("sector").problem("must be 32B, 64B or 128B");
  if (cache.ways == 0) return cache;  // recorded as a problem above
  if (size % (std::uint64_t{kLineBytes} * cache.ways) != 0)
    section.value("size").problem(
        fmt::format("must be whole sets of {} lines of {} B", cache.ways, kLineBytes));
  cache.sets = static_cast<std::uint32_t>(size / kLineBytes / cache.ways);
  return cache;
}

}  // namespace

CycleSmSpec read_cycle_sm(const config::Section& root, std::vector<std::uint32_t>& carve_outs) {
  CycleSmSpec sm;
  read_pipeline(root.section("pipeline"), sm);
  read_units(root.section("units"), sm);
  read_operations(root.section("operations"), sm);
  const config::Section caches = root.section("caches");
  const config::Section instruction = caches.section("instruction");
  sm.instruction_cache = read_cache(instruction);
  sm.code_is_dropped =
      instruction.boolean({"flush", "whether the set-up of a kernel drops the code of its context"}, false);
  sm.prefetched_lines =
      number(instruction, {"prefetch", "lines behind a miss that a stream buffer requests ahead", "lines"}, 0,
             64, 0);
  const config::Section l0 = caches.optional_section("l0");
  const CacheSpec l0_cache = read_cache(l0, false);
  if (caches.has("l0")) sm.subcore.instruction_cache = l0_cache;
  read_subcore(root.optional_section("subcore"), l0, sm);
  const config::Section constant = caches.section("constant");
  sm.constant_cache = read_cache(constant);
  sm.constants_are_dropped =
      constant.boolean({"flush", "whether the set-up of a kernel drops the constants of its context"}, false);
  const CacheSpec textures = read_cache(caches.optional_section("texture"));
  if (caches.has("texture")) sm.texture_cache = textures;
  const config::Section l1 = caches.section("l1");
  sm.l1 = read_cache(l1);
  sm.l1_caches_global =
      l1.boolean({"global", "whether global loads are cached; local ones always are"}, true);
  sm.l1_is_updated =
      l1.choice({"stores",
                 "what a global store, which always goes on to L2, does to sectors that are in the cache"},
                {"drop", "update"}, "drop") == "update";
  sm.l1_lines = number(
      l1,
      {"lines",
       "lines of a load that are read in a cycle, if they lie in different banks of 4 B, or that pass L1 by, "
       "if they have no more sectors than a line",
       "lines"},
      1, 32, 1);
  sm.l1_line_latency = short_cycles(l1,
                                    {"line_latency",
                                     "core cycles by which the data of a load that takes several cycles are "
                                     "later for each cycle before theirs"},
                                    0, 16, 0);
  sm.l1_hit_return =
      short_cycles(l1, {"return", "core cycles from the data of a hit to the register"}, 0, kMostLatency);
  const config::Section shared = root.section("shared_memory");
  read_carve_outs(shared, l1, sm.l1, carve_outs);
  sm.shared_banks = number(shared, {"banks", "banks of shared memory, 4 bytes wide", "banks"}, 1, kMostBanks);
  sm.shared_latency =
      short_cycles(shared, {"latency", "core cycles from an access to its data"}, 1, kMostLatency);
  const config::Section memory = root.section("load_store");
  sm.memory_latency =
      short_cycles(memory, {"latency", "core cycles from the operands to the first access"}, 1, kMostLatency);
  sm.load_entries = number(memory, {"entries", "memory instructions in flight", "instructions"}, 1, 4096);
  sm.merges_atomics = memory.boolean({"merged_atomics",
                                      "whether a PTX kernel's atomics are compiled to one operation of a "
                                      "warp where all lanes access one word"},
                                     false);
  if (root.has("bulk_copies")) sm.copy_unit = read_copy_unit(root.section("bulk_copies"));
  return sm;
}

}  // namespace heddle
