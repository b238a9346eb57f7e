#include "platforms/load/read_dram.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/dram/address_map.h"
#include "models/dram/standards/dram_standard.h"
#include "platforms/load/read_number.h"
#include "platforms/load/read_policy.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostDistance = 100'000;
constexpr const char* kBooleans[] = {"true", "false", "on", "off", "yes", "no"};

// Reads the standard's parameters in the order of the standard. The default of a parameter may depend on the
// parameters before it.
DramTiming read_timing(const config::Section& section, const DramStandard& standard) {
  DramTiming timing(standard);
  for (const TimingParameter& parameter : standard.parameters) {
    const config::Key key{parameter.name, parameter.doc, parameter.unit};
    timing[parameter.name] =
        parameter.fallback == nullptr
            ? number(section, key, 1, kMostDistance)
            : static_cast<std::uint32_t>(section.integer(key, {1, kMostDistance},
                                                         std::max(1u, timing.value_of(parameter.fallback))));
  }
  return timing;
}

// Refuses timing parameters that no device of the standard can combine.
void check_timing(const config::Section& section, const DramTiming& timing) {
  for (const TimingLimit& limit : timing.standard().limits) {
    const std::uint32_t least = timing.value_of(limit.least);
    if (timing[limit.parameter] >= least || !section.has(limit.parameter)) continue;
    section.value(limit.parameter)
        .problem(fmt::format("must be at least {}, {}: {}", limit.least, least, limit.reason));
  }
}

std::vector<std::uint32_t> read_bits(const config::Value& value) {
  std::vector<std::uint32_t> bits;
  for (const config::Value& bit : value.list())
    bits.push_back(static_cast<std::uint32_t>(bit.integer({0, 63})));
  return bits;
}

// Reads bank hashes such as {G0: [16, 20], B1: [17]}. P0 is the bit of the pseudo-channel.
std::vector<BankHash> read_bank_hash(const config::Section& section) {
  std::vector<BankHash> hashes;
  for (const std::string& key : section.keys()) {
    const config::Value value = section.value(key);
    if (key.size() != 2 || (key[0] != 'G' && key[0] != 'B' && key[0] != 'P') || key[1] < '0' || key[1] > '5')
      value.problem("a hash is named after the bit it makes, such as G0 or B1");
    else
      hashes.push_back({key[0], static_cast<std::uint32_t>(key[1] - '0'), read_bits(value)});
  }
  return hashes;
}

DramMapSpec read_map(const config::Section& section) {
  DramMapSpec map;
  map.channels = number(section, {"channels", "memory channels", "channels"}, 1, 256);
  map.interleave = section.bytes({"channel_interleave", "bytes of one channel before the next one's"});
  map.bits = section.text({"map",
                           "a letter for each bit of a channel-local address: Row, Bank, Group, Column, "
                           "Pseudo-channel, S in a burst"});
  map.burst_bytes = size(section, {"burst", "bytes that one burst moves"}, 0, 4096);
  if (const auto hash = section.optional(
          {"bank_hash", "address bits XORed onto a bit of the bank or group, as {G0: [16, 20], B1: [17]}"},
          "section"))
    map.bank_hash = read_bank_hash(hash->section());
  for (const config::Value& bits :
       section.list({"channel_hash",
                     "for each bit of a hash of the channel's number, its address bits; see models/MEMORY.md",
                     "bits"}))
    map.channel_hash.push_back(read_bits(bits));
  for (const config::Value& channels : section.list(
           {"channels_of",
            "by context: the channels in which its memory lies, a list each, equal or without a channel "
            "in common; contexts behind the lists take them in turn",
            "channels"})) {
    map.channels_of.emplace_back();
    for (const config::Value& channel : channels.list())
      map.channels_of.back().push_back(static_cast<std::uint32_t>(channel.integer({0, 255})));
  }
  map.stack_ids = static_cast<std::uint32_t>(section.integer(
      {"stack_ids", "stack ids of a pseudo-channel, 1, 2 or 4: the first G of the map", "stack ids"}, {1, 4},
      1));
  return map;
}

// Reports a problem if `channels_of` does not fit the other keys of the map, which are right.
void check_sets(const config::Section& section, const DramMapSpec& map) {
  try {
    const ChannelMap checked(map);
  } catch (const std::invalid_argument& error) {
    section.value("channels_of").problem(error.what());
  }
}

// Refuses a map and a number of stack ids that no device of the standard has.
void check_organisation(const config::Section& section, const DramMapSpec& map,
                        const DramStandard& standard) {
  const LocalMap local(map);
  if (local.pseudo_channels() > standard.pseudo_channels)
    section.value("map").problem(standard.name + " has no pseudo-channels, the P of the map");
  const std::uint32_t stacks = map.stack_ids;
  if (stacks != 1 && (stacks > standard.stack_ids || stacks == 3)) {
    section.value("stack_ids")
        .problem(standard.stack_ids == 1 ? standard.name + " has no stack ids" : "must be 1, 2 or 4");
    return;
  }
  if (standard.groups != 0 && local.groups() != stacks * standard.groups)
    section.value("map").problem(fmt::format("{} bank groups; {} has {} in each of {} stack ids",
                                             local.groups(), standard.name, standard.groups, stacks));
  if (standard.banks_per_group != 0 && local.banks_per_group() != standard.banks_per_group)
    section.value("map").problem(fmt::format("{} banks a group; {} has {}", local.banks_per_group(),
                                             standard.name, standard.banks_per_group));
}

void read_refresh(const config::Section& section, const DramStandard& standard, DramSpec& spec) {
  const auto value = section.optional({"refresh",
                                       "off; on or all: rows are refreshed in all banks at once; bank: bank "
                                       "by bank, in one or in the same of "
                                       "each group, as the standard says"},
                                      "on, off, all or bank", "on");
  if (!value) return;
  const std::string text = value->is_scalar() ? value->assigned() : "";
  const bool is_boolean = std::count(std::begin(kBooleans), std::end(kBooleans), text) != 0;
  if (is_boolean)
    spec.refresh = value->boolean();
  else
    spec.refresh_by_bank = value->choice({"all", "bank", "off", "on"}) == "bank";
  if (spec.refresh_by_bank && standard.bank_refresh_interval == nullptr)
    value->problem(standard.name + " has no refresh of single banks");
}

bool has_all(const config::Section& section, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return section.has(key); });
}

}  // namespace

DramSpec read_dram(const config::Section& section) {
  DramSpec spec;
  spec.map = read_map(section);
  if (has_all(section, {"channels", "channel_interleave", "burst"})) try {
      DramMapSpec whole = spec.map;
      whole.channels_of.clear();
      const ChannelMap checked(whole);
      check_sets(section, spec.map);
    } catch (const std::invalid_argument& error) {
      section.value("channels").problem(error.what());
    }
  const config::Section timing = section.section("timing");
  const config::Key standard{"standard", "DRAM standard: its commands, timing parameters and rules"};
  const DramStandard& chosen =
      *find_dram_standard(section.choice(standard, dram_standard_names(), kDefaultDramStandard));
  if (has_all(section, {"map", "burst"})) try {
      check_organisation(section, spec.map, chosen);
    } catch (const std::invalid_argument& error) {
      section.value("map").problem(error.what());
    }
  spec.timing = read_timing(timing, chosen);
  if (section.has("timing")) check_timing(timing, spec.timing);
  spec.queue = number(
      section, {"queue", "requests of a channel's queue, reads and writes together", "requests"}, 1, 1024);
  spec.write_high = number(
      section, {"write_high", "waiting writes with which the controller turns to them", "requests"}, 1, 1024);
  spec.write_low =
      number(section, {"write_low", "waiting writes with which it turns back to reads", "requests"}, 0, 1023);
  if (section.has("write_high") && spec.write_high > spec.queue)
    section.value("write_high").problem("more writes than the queue holds");
  if (section.has("write_low") && spec.write_low >= spec.write_high)
    section.value("write_low").problem("must be less than write_high");
  spec.write_drain =
      read_policy_of_block(section, WriteDrain::kDecision, WriteDrain::kDefault, "policy of write drains");
  read_refresh(section, chosen, spec);
  spec.refresh_postpone = number(
      section, {"refresh_postpone", "refreshes that may be owed while requests wait", "refreshes"}, 0, 8);
  spec.refresh_policy =
      read_policy_of_block(section, RefreshPolicy::kDecision, RefreshPolicy::kDefault, "policy of refreshes");
  spec.latency = short_cycles(
      section, {"latency", "command clocks between a request's arrival and the queue"}, 0, kMostDistance);
  spec.return_queue =
      number(section, {"return_queue", "reads that may be on their way at once", "requests"}, 1, 65536);
  return spec;
}

void set_channel_bytes(const config::Section& section, std::uint64_t device_bytes, std::uint64_t page_bytes,
                       DramMapSpec& map) {
  if (map.channels_of.empty() || map.channels == 0 || page_bytes == 0) return;
  map.channel_bytes = device_bytes / map.channels / page_bytes * page_bytes;
  if (map.channel_bytes == 0)
    section.value("channels_of").problem("a channel's part of device_memory is smaller than a page");
}

}  // namespace heddle
