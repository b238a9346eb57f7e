#include "platforms/load/read_memory_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/memory/page_table.h"
#include "platforms/load/read_number.h"
#include "platforms/load/read_policy.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostCycles = 1 << 16;
constexpr std::uint32_t kMostFarBytes = 1024;

void need_power(const config::Section& section, const char* key, std::uint64_t value) {
  if (section.has(key) && value != 0 && !is_power_of_two(value))
    section.value(key).problem("must be a power of two");
}

std::vector<std::uint32_t> read_slice_hash(const config::Section& section, const config::Key& key) {
  std::vector<std::uint32_t> bits;
  for (const config::Value& value : section.list(key)) {
    const auto bit = static_cast<std::uint32_t>(value.integer({7, 47}));
    if (std::find(bits.begin(), bits.end(), bit) != bits.end()) value.problem("the bit is listed twice");
    bits.push_back(bit);
  }
  return bits;
}

std::vector<std::uint32_t> read_ways_of(const config::Section& section, const config::Key& key,
                                        const L2Spec& l2) {
  std::vector<std::uint32_t> ways;
  std::uint64_t sum = 0;
  for (const config::Value& value : section.list(key)) {
    ways.push_back(static_cast<std::uint32_t>(value.integer({1, 1024})));
    sum += ways.back();
    if (sum == ways.back() || sum <= l2.ways) continue;
    value.problem(fmt::format("the contexts have {} ways, and a set has {}", sum, l2.ways));
    break;
  }
  if (ways.size() == 1 && ways.front() > l2.ways)
    section.value("ways_of").problem(fmt::format("a set has {} ways", l2.ways));
  if (!ways.empty() && PolicyRegistry<Replacement>::make(l2.replacement)->keeps_state())
    section.value("ways_of").problem(fmt::format(
        "the replacement policy '{}' has state of a whole set; lru and fifo have none", l2.replacement.name));
  return ways;
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

LinkSpec read_link(const config::Section& links, const std::string& key, const std::string& blocks) {
  const config::Section section = links.optional_section(key);
  const std::string protocol = section.choice(
      {"protocol", "what crosses the links " + blocks +
                       ": requests, or transactions of the TLM-2.0 base protocol, with the same results"},
      {"memory-link", "base-protocol"}, "memory-link");
  const std::uint64_t latency = section.cycles(
      {"latency", "cycles of the receiver's clock on the links " + blocks + ", in both directions"},
      {1, kMostCycles}, 1);
  return links.has(key) ? LinkSpec{protocol == "base-protocol", latency} : LinkSpec{};
}

MergeSpec read_merge(const config::Section& section) {
  const config::Section merge = section.optional_section("merge");
  MergeSpec spec;
  const std::string of = merge.choice(
      {"of", "the SMs whose reads of the same sectors go to L2 once: none, those of a TPC, a CPC or a GPC"},
      {"none", "tpc", "cpc", "gpc"}, "none");
  spec.entries =
      number(merge, {"entries", "reads of a group that others may wait for", "reads"}, 1, 1 << 16, 1024);
  spec.reads = number(merge, {"reads", "the most reads that one answer serves", "reads"}, 2, 256, 4);
  spec.port_bytes = static_cast<std::uint32_t>(
      merge.bytes({"port", "what a group takes of answers to reads in a cycle; 0: there is no limit"}, 0));
  if (spec.port_bytes > 64 * NocSpec::kMostData) merge.value("port").problem("must lie in 0B .. 8KiB");
  using Of = MergeSpec::Of;
  spec.of = of == "none" ? Of::kNone : of == "tpc" ? Of::kTpc : of == "cpc" ? Of::kCpc : Of::kGpc;
  return spec;
}

NocSpec read_crossbar(const config::Section& section) {
  NocSpec noc;
  noc.flit_bytes = size(section, {"flit", "size of a flit"}, 1, 1024);
  noc.header_bytes = size(section, {"header", "size of a packet's header"}, 1, 1024);
  noc.reply_bytes = static_cast<std::uint32_t>(section.bytes(
      {"reply_data",
       "the most bytes that one packet of a reply answers for, of a read or a write: 32B, 64B or 128B"},
      NocSpec::kMostData));
  if (noc.reply_bytes != 32 && noc.reply_bytes != 64 && noc.reply_bytes != NocSpec::kMostData) {
    section.value("reply_data").problem("must be 32B, 64B or 128B");
    noc.reply_bytes = NocSpec::kMostData;
  }
  noc.input_flits = number(section, {"input_buffer", "buffer of an input port", "flits"}, 1, 1 << 16);
  noc.output_flits = number(section, {"output_buffer", "buffer of an output port", "flits"}, 1, 1 << 16);
  noc.latency =
      section.cycles({"latency", "crossbar cycles from an input buffer to the output"}, {1, kMostCycles});
  noc.reply_flit_bytes = static_cast<std::uint32_t>(
      section.bytes({"reply_flit", "size of a flit of the replies' switch"}, noc.flit_bytes));
  noc.sm_port_bytes = static_cast<std::uint32_t>(section.bytes(
      {"sm_port", "what an SM takes of answers in a cycle; 0: as much as the replies' switch brings"}, 0));
  if (section.has("reply_flit") && (noc.reply_flit_bytes == 0 || noc.reply_flit_bytes > 1024))
    section.value("reply_flit").problem("must lie in 1B .. 1KiB");
  if (noc.sm_port_bytes > 1024) section.value("sm_port").problem("must lie in 0B .. 1KiB");
  noc.merge = read_merge(section);
  for (const config::Value& value : section.list(
           {"outstanding_of",
            "by context: the most requests that an L2 slice has and has not answered; 0, and for the "
            "contexts beyond: there is no limit",
            "requests"}))
    noc.outstanding_of.push_back(static_cast<std::uint32_t>(value.integer({0, 65536})));
  if (noc.flit_bytes == 0 || noc.header_bytes == 0) return noc;
  const std::uint32_t longest = std::max(noc.flits(NocSpec::kMostData),
                                         NocSpec::kMostData / noc.reply_bytes * noc.flits(noc.reply_bytes));
  for (const auto& [key, flits] :
       {std::pair{"input_buffer", noc.input_flits}, std::pair{"output_buffer", noc.output_flits}})
    if (section.has(key) && flits < longest)
      section.value(key).problem(fmt::format("holds less than the longest packet, {} flits", longest));
  return noc;
}

L2Spec read_l2(const config::Section& section) {
  constexpr std::int64_t kMost = 1 << 16;
  L2Spec l2;
  l2.slices_per_channel = number(
      section, {"slices_per_channel", "L2 slices of a memory channel, a power of two", "slices"}, 1, 64);
  l2.slice_bit = number(
      section, {"slice_bit", "lowest bit of the slice's number in a channel-local address", "bit"}, 7, 40);
  l2.slice_hash =
      read_slice_hash(section, {"slice_hash", "address bits XORed onto the slice's number, in turn", "bits"});
  check_slices(section, l2);
  l2.sets = number(section, {"sets", "sets of a slice, a power of two", "sets"}, 1, 1 << 20);
  need_power(section, "sets", l2.sets);
  l2.ways = number(section, {"ways", "ways of a set", "lines"}, 1, 1024);
  l2.hash = section.boolean({"hash", "whether the set's number is hashed with higher address bits"});
  l2.replacement = read_replacement(section);
  l2.ways_of =
      read_ways_of(section,
                   {"ways_of",
                    "by context: ways of a set that its new lines take; the contexts beyond share the "
                    "rest, or take any way if there is none",
                    "lines"},
                   l2);
  l2.mshrs = number(section, {"mshrs", "lines that wait for DRAM in a slice", "MSHRs"},
                    L2Spec::kLineBytes / L2Spec::kSectorBytes, kMost);
  l2.merges =
      number(section, {"merges", "requests that wait for one line, the first included", "requests"}, 1, 1024);
  l2.fill_bytes = size(section, {"fill", "size of one DRAM request of a miss, a power of two"},
                       L2Spec::kSectorBytes, L2Spec::kMostBurstBytes);
  need_power(section, "fill", l2.fill_bytes);
  l2.width = static_cast<std::uint32_t>(
      section.bytes({"width", "what a slice looks up and delivers in an L2 cycle: 32B, 64B or 128B"},
                    L2Spec::kSectorBytes));
  if (l2.width != 32 && l2.width != 64 && l2.width != 128) {
    section.value("width").problem("must be 32B, 64B or 128B");
    l2.width = L2Spec::kSectorBytes;
  }
  l2.request_latency =
      section.cycles({"request_latency", "L2 cycles of the fixed way before the slice"}, {0, kMostCycles});
  l2.hit_latency = section.cycles(
      {"hit_latency", "L2 cycles from the access of the last sector to the reply"}, {0, kMostCycles});
  l2.request_queue =
      number(section, {"request_queue", "requests beyond those on the fixed way", "requests"}, 1, kMost);
  l2.reply_queue =
      number(section, {"reply_queue", "replies beyond those within the hit latency", "replies"}, 1, kMost);
  l2.dram_queue = number(section, {"dram_queue", "requests to DRAM that wait in the slice", "requests"},
                         L2Spec{}.most_transfers(), kMost);
  l2.return_queue =
      number(section, {"return_queue", "responses of DRAM that wait in the slice", "responses"}, 1, kMost);
  l2.write_backs =
      number(section, {"write_backs", "most lines written back without DRAM's response", "lines"}, 2, kMost);
  l2.atomic_cycles = section.cycles(
      {"atomic_cycles", "L2 cycles of the slice's port for each step of an atomic"}, {0, 1024});
  l2.atomic_sectors = section.boolean(
      {"atomic_sectors",
       "whether a step of an atomic serves a lane of each word of a sector, and not one lane"});
  l2.far_latency = section.cycles(
      {"far_latency",
       "L2 cycles more between an SM and the half of the slices that is not its own; 0: L2 is one"},
      {0, kMostCycles}, 0);
  l2.far_bytes = static_cast<std::uint32_t>(section.bytes(
      {"far_width", "size of what passes between a slice and the other half in an L2 cycle"}, 32));
  if (l2.far_bytes == 0 || l2.far_bytes > kMostFarBytes)
    section.value("far_width").problem(fmt::format("must be 1B .. {}B", kMostFarBytes));
  l2.copies_end = section.choice({"far_copies",
                                  "how long a half of L2 keeps copies of lines of the other half: until they "
                                  "are evicted, or until a launch ends"},
                                 {"evicted", "launch"}, "evicted") == "launch";
  l2.copies_stay =
      section.choice({"copies",
                      "where what copies and fills write to device memory is afterwards: in DRAM "
                      "alone, or in L2, too"},
                     {"dram", "l2"}, "dram") == "l2";
  return l2;
}

std::uint64_t read_page_size(const config::Section& section, std::uint64_t device_bytes) {
  const std::uint64_t bytes =
      section.bytes({"page_size", "size of a page, a power of two"}, config::Range{PageTables::kLeastPage});
  need_power(section, "page_size", bytes);
  if (bytes != 0 && device_bytes < bytes)
    section.value("page_size").problem("larger than device_memory");
  else if (bytes != 0 && device_bytes / bytes > PageTables::kMostFrames)
    section.value("page_size")
        .problem(fmt::format("more than {} pages in device_memory", PageTables::kMostFrames));
  return bytes;
}

}  // namespace heddle
