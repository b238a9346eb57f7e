#include "platforms/load/read_cycle_sm.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/sm/coalescer.h"
#include "platforms/load/read_number.h"
#include "platforms/load/read_policy.h"

namespace heddle {

namespace {

template <class Enum>
std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(name_of(static_cast<Enum>(i)));
  return result;
}

// The place of a text among names; a problem, and the first, if it is none of them.
template <class Enum>
Enum one_of(const config::Value& value, std::size_t count) {
  const std::vector<std::string> known = names<Enum>(count);
  const auto found = std::find(known.begin(), known.end(), value.choice(known));
  return static_cast<Enum>(found == known.end() ? 0 : found - known.begin());
}

void read_pipeline(const config::Section& section, CycleSmSpec& sm) {
  sm.schedulers = number(section, "schedulers", 1, kMostSchedulers);
  sm.issue_width = number(section, "issue_width", 1, 2);
  sm.fetch_width = number(section, "fetch_width", 1, CycleSmSpec::kMostBuffer);
  sm.buffer_entries = number(section, "buffer_entries", 1, CycleSmSpec::kMostBuffer);
  sm.register_banks = number(section, "register_banks", 1, kMostRegisterBanks);
  sm.writebacks = number(section, "writebacks", 1, kMostWritebacks);
  if (section.has("register_banks") && !is_power_of_two(sm.register_banks))
    section.value("register_banks").problem("must be a power of two");
  const config::Value order = section.value("stall_order");
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

void read_units(const config::Section& section, CycleSmSpec& sm) {
  for (const std::string& name : section.keys()) {
    const std::vector<std::string> known = names<UnitKind>(kUnitKinds);
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) continue;  // an unknown key: the document tells
    const config::Section unit = section.section(name);
    sm.units[static_cast<std::size_t>(found - known.begin())] = {
        number(unit, "count", 1, kMostPipelines), number(unit, "collectors", 1, kMostCollectors),
        number(unit, "ports", 1, 8)};
  }
  std::uint32_t collectors = 0;
  for (const UnitSpec& unit : sm.units) collectors += unit.collectors;
  if (collectors > kMostCollectors)
    section.problem(fmt::format("{} collectors in all units; the most is {}", collectors, kMostCollectors));
  if (sm.units[static_cast<std::size_t>(UnitKind::kMemory)].count != 1)
    section.problem("needs one memory unit: memory: {count: 1, ...}");
}

// op: [unit, latency, initiation interval]
void read_operations(const config::Section& section, CycleSmSpec& sm) {
  for (std::size_t i = 0; i < kOperations; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (is_memory(operation)) continue;
    const config::Value value = section.value(name_of(operation));
    const std::vector<config::Value> parts = value.list();
    if (parts.size() != 3) {
      if (value.is_list()) value.problem("needs three entries: [unit, latency, initiation interval]");
      continue;
    }
    OperationSpec& spec = sm.operations[i];
    spec.unit = one_of<UnitKind>(parts[0], kUnitKinds);
    spec.latency = static_cast<std::uint32_t>(parts[1].integer({1, kMostLatency}));
    spec.interval = static_cast<std::uint32_t>(parts[2].integer({1, kMostLatency}));
    if (spec.unit == UnitKind::kMemory || sm.units[static_cast<std::size_t>(spec.unit)].count == 0)
      parts[0].problem(fmt::format("this SM has no unit '{}' for it", name_of(spec.unit)));
  }
}

CacheSpec read_cache(const config::Section& section) {
  CacheSpec cache;
  const std::uint64_t size = section.bytes("size");
  cache.ways = number(section, "ways", 1, 1024);
  cache.sector_bytes = static_cast<std::uint32_t>(section.bytes("sector", kLineBytes));
  cache.hashed = section.boolean("hashed", false);
  cache.replacement = read_replacement(section);
  cache.mshrs = number(section, "mshrs", 1, 4096);
  cache.merges = number(section, "merges", 1, 256);
  cache.miss_queue = number(section, "miss_queue", 1, 1024);
  cache.latency = static_cast<std::uint32_t>(section.cycles("latency", {1, kMostLatency}));
  if (cache.sector_bytes != kSectorBytes && cache.sector_bytes != 2 * kSectorBytes &&
      cache.sector_bytes != kLineBytes)
    section.value("sector").problem("must be 32B, 64B or 128B");
  if (cache.ways == 0) return cache;  // a problem already
  if (size == 0 || size % (std::uint64_t{kLineBytes} * cache.ways) != 0 || size > (1u << 26))
    section.value("size").problem(
        fmt::format("must be whole sets of {} lines of {} B, up to 64 MiB", cache.ways, kLineBytes));
  cache.sets = static_cast<std::uint32_t>(size / kLineBytes / cache.ways);
  return cache;
}

}  // namespace

CycleSmSpec read_cycle_sm(const config::Section& root) {
  CycleSmSpec sm;
  read_pipeline(root.section("pipeline"), sm);
  read_units(root.section("units"), sm);
  read_operations(root.section("operations"), sm);
  const config::Section caches = root.section("caches");
  sm.instruction_cache = read_cache(caches.section("instruction"));
  sm.constant_cache = read_cache(caches.section("constant"));
  const config::Section l1 = caches.section("l1");
  sm.l1 = read_cache(l1);
  sm.l1_caches_global = l1.boolean("global", true);
  sm.l1_hit_return = static_cast<std::uint32_t>(l1.cycles("return", {0, kMostLatency}));
  const config::Section shared = root.section("shared_memory");
  sm.shared_banks = number(shared, "banks", 1, kMostBanks);
  sm.shared_latency = static_cast<std::uint32_t>(shared.cycles("latency", {1, kMostLatency}));
  const config::Section memory = root.section("load_store");
  sm.memory_latency = static_cast<std::uint32_t>(memory.cycles("latency", {1, kMostLatency}));
  sm.load_entries = number(memory, "entries", 1, 4096);
  return sm;
}

}  // namespace heddle
