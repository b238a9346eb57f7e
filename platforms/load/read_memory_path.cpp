#include "platforms/load/read_memory_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/memory/page_table.h"
#include "platforms/load/read_number.h"
#include "platforms/load/read_policy.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostCycles = 1 << 16;

void need_power(const config::Section& section, const char* key, std::uint64_t value) {
  if (section.has(key) && value != 0 && !is_power_of_two(value))
    section.value(key).problem("must be a power of two");
}

// 0 where a problem is recorded.
std::uint32_t small_bytes(const config::Section& section, const char* key, std::uint64_t least,
                          std::uint64_t most) {
  const std::uint64_t bytes = section.bytes(key);
  if (bytes >= least && bytes <= most) return static_cast<std::uint32_t>(bytes);
  if (section.has(key)) section.value(key).problem(fmt::format("must lie in {}B .. {}B", least, most));
  return 0;
}

std::vector<std::uint32_t> read_bits(const config::Section& section, const char* key) {
  std::vector<std::uint32_t> bits;
  for (const config::Value& value : section.list(key)) {
    const auto bit = static_cast<std::uint32_t>(value.integer({7, 47}));
    if (std::find(bits.begin(), bits.end(), bit) != bits.end()) value.problem("the bit stands here already");
    bits.push_back(bit);
  }
  return bits;
}

void check_slices(const config::Section& section, const L2Spec& l2) {
  need_power(section, "slices_per_channel", l2.slices_per_channel);
  const auto own = [&](std::uint32_t bit) {
    return bit >= l2.slice_bit && (l2.slices_per_channel >> std::min(bit - l2.slice_bit, 31u)) > 1;
  };
  if (l2.slices_per_channel == 1 && !l2.slice_hash.empty())
    section.value("slice_hash").problem("there is only one slice");
  if (std::any_of(l2.slice_hash.begin(), l2.slice_hash.end(), own))
    section.value("slice_hash").problem("a bit of the slice's own number would cancel itself");
}

}  // namespace

NocSpec read_crossbar(const config::Section& section) {
  NocSpec noc;
  noc.flit_bytes = small_bytes(section, "flit", 1, 1024);
  noc.header_bytes = small_bytes(section, "header", 1, 1024);
  noc.input_flits = number(section, "input_buffer", 1, 1 << 16);
  noc.output_flits = number(section, "output_buffer", 1, 1 << 16);
  noc.latency = section.cycles("latency", {1, kMostCycles});
  noc.oldest_first = section.choice("arbitration", {"round-robin", "oldest-first"}) == "oldest-first";
  if (noc.flit_bytes == 0 || noc.header_bytes == 0) return noc;
  const std::uint32_t longest = noc.flits(NocSpec::kMostData);
  for (const auto& [key, flits] :
       {std::pair{"input_buffer", noc.input_flits}, std::pair{"output_buffer", noc.output_flits}})
    if (section.has(key) && flits < longest)
      section.value(key).problem(fmt::format("holds less than the longest packet, {} flits", longest));
  return noc;
}

L2Spec read_l2(const config::Section& section) {
  L2Spec l2;
  l2.slices_per_channel = number(section, "slices_per_channel", 1, 64);
  l2.slice_bit = number(section, "slice_bit", 7, 40);
  l2.slice_hash = read_bits(section, "slice_hash");
  check_slices(section, l2);
  l2.sets = number(section, "sets", 1, 1 << 20);
  need_power(section, "sets", l2.sets);
  l2.ways = number(section, "ways", 1, 1024);
  l2.hash = section.value("hash").boolean();
  l2.replacement = read_replacement(section);
  l2.mshrs = number(section, "mshrs", L2Spec::kLineBytes / L2Spec::kSectorBytes, 1 << 16);
  l2.merges = number(section, "merges", 1, 1024);
  l2.fill_bytes = small_bytes(section, "fill", L2Spec::kSectorBytes, L2Spec::kBurstBytes);
  need_power(section, "fill", l2.fill_bytes);
  l2.request_latency = section.cycles("request_latency", {0, kMostCycles});
  l2.hit_latency = section.cycles("hit_latency", {0, kMostCycles});
  l2.request_queue = number(section, "request_queue", 1, 1 << 16);
  l2.reply_queue = number(section, "reply_queue", 1, 1 << 16);
  l2.dram_queue = number(section, "dram_queue", L2Spec::kMostTransfers, 1 << 16);
  l2.return_queue = number(section, "return_queue", 1, 1 << 16);
  l2.write_backs = number(section, "write_backs", 2, 1 << 16);
  l2.atomic_cycles = section.cycles("atomic_cycles", {0, 1024});
  return l2;
}

std::uint64_t read_page_size(const config::Section& section, std::uint64_t device_bytes) {
  const std::uint64_t bytes = section.bytes("page_size");
  need_power(section, "page_size", bytes);
  if (section.has("page_size") && bytes < PageTables::kLeastPage)
    section.value("page_size").problem(fmt::format("must be at least {}B", PageTables::kLeastPage));
  else if (section.has("page_size") && device_bytes < bytes)
    section.value("page_size").problem("larger than device_memory");
  else if (bytes != 0 && device_bytes / bytes > PageTables::kMostFrames)
    section.value("page_size")
        .problem(fmt::format("more than {} pages in device_memory", PageTables::kMostFrames));
  return bytes;
}

}  // namespace heddle
