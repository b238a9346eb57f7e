#include "platforms/load/read_dram.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/dram/address_map.h"
#include "platforms/load/read_number.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/page_policy/i_page_policy.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostDistance = 100'000;

DramTiming read_timing(const config::Section& section) {
  DramTiming t;
  struct Entry {
    const char* key;
    const char* description;
    std::uint32_t* value;
  };
  for (const Entry& entry : std::initializer_list<Entry>{
           {"burst", "data bus clocks of a burst", &t.burst},
           {"cl", "read to its first data", &t.cl},
           {"wl", "write to its first data", &t.wl},
           {"rcdrd", "activate to read", &t.rcdrd},
           {"rcdwr", "activate to write", &t.rcdwr},
           {"rp", "precharge to activate", &t.rp},
           {"ras", "activate to precharge", &t.ras},
           {"rc", "activate to activate of one bank", &t.rc},
           {"rrds", "activate to activate, another bank group", &t.rrds},
           {"rrdl", "activate to activate, the same bank group", &t.rrdl},
           {"ccds", "column command to column command, another bank group", &t.ccds},
           {"ccdl", "column command to column command, the same bank group", &t.ccdl},
           {"wtrs", "end of write data to read, another bank group", &t.wtrs},
           {"wtrl", "end of write data to read, the same bank group", &t.wtrl},
           {"rtw", "read to write", &t.rtw},
           {"wr", "end of write data to precharge", &t.wr},
           {"rtp", "read to precharge", &t.rtp},
           {"ppd", "precharge to precharge", &t.ppd},
           {"faw", "window of at most 4 activates", &t.faw},
           {"aw32", "window of at most 32 activates", &t.aw32},
           {"refi", "refresh to refresh", &t.refi},
           {"rfc", "refresh to the next command", &t.rfc}})
    *entry.value = number(section, {entry.key, entry.description, "command clocks"}, 1, kMostDistance);
  return t;
}

// One distance that contradicts another: at `key`, which is there.
void refuse(const config::Section& section, const char* key, bool is_wrong, const std::string& why) {
  if (is_wrong && section.has(key)) section.value(key).problem(why);
}

// Distances that no device can have together. Data sheets round each one up by itself, so that rc may be a
// clock short of ras and rp.
void check_relations(const config::Section& section, const DramTiming& t) {
  refuse(section, "ras", t.ras < t.rcdrd,
         fmt::format("must be at least rcdrd, {}: a row is read while it is open", t.rcdrd));
  refuse(section, "ras", t.ras > t.rc, fmt::format("must be at most rc, {}", t.rc));
  refuse(section, "rc", t.ras <= t.rc && t.rc + 1 < t.ras + t.rp,
         fmt::format("must be at least ras and rp together, {}, less one for rounding", t.ras + t.rp));
  refuse(section, "rrdl", t.rrdl < t.rrds, fmt::format("must be at least rrds, {}", t.rrds));
  refuse(section, "ccdl", t.ccdl < t.ccds, fmt::format("must be at least ccds, {}", t.ccds));
  refuse(section, "wtrl", t.wtrl < t.wtrs, fmt::format("must be at least wtrs, {}", t.wtrs));
  refuse(section, "faw", t.faw < t.rrds, fmt::format("must be at least rrds, {}", t.rrds));
  refuse(section, "aw32", t.aw32 < t.faw, fmt::format("must be at least faw, {}", t.faw));
}

// Bursts may not meet on the data bus, and refreshes must leave time for requests.
void check_timing(const config::Section& section, const DramTiming& t) {
  if (std::min(t.ccds, t.ccdl) < t.burst)
    section.problem(fmt::format("ccds and ccdl must be at least burst, {}", t.burst));
  if (t.rtw + t.wl < t.cl + t.burst)
    section.problem(fmt::format("rtw must be at least cl + burst - wl, {}", t.cl + t.burst - t.wl));
  const std::uint32_t round =
      t.rfc + t.ras + t.rp + t.rc + std::max(t.rcdrd, t.rcdwr) + t.rtw + t.write_to_precharge();
  if (t.refi <= round)
    section.problem(fmt::format("refi must be more than {}, a refresh and a request", round));
}

std::vector<std::uint32_t> read_bits(const config::Value& value) {
  std::vector<std::uint32_t> bits;
  for (const config::Value& bit : value.list())
    bits.push_back(static_cast<std::uint32_t>(bit.integer({0, 63})));
  return bits;
}

// {G0: [16, 20], B1: [17]}
std::vector<BankHash> read_bank_hash(const config::Section& section) {
  std::vector<BankHash> hashes;
  for (const std::string& key : section.keys()) {
    const config::Value value = section.value(key);
    if (key.size() != 2 || (key[0] != 'G' && key[0] != 'B') || key[1] < '0' || key[1] > '5')
      value.problem("a hash is named after the bit it makes, such as G0 or B1");
    else
      hashes.push_back({key[0], static_cast<std::uint32_t>(key[1] - '0'), read_bits(value)});
  }
  return hashes;
}

DramMapSpec read_map(const config::Section& section) {
  DramMapSpec map;
  map.channels = number(section, {"channels", "memory channels", "channels"}, 1, 64);
  map.interleave = section.bytes({"channel_interleave", "bytes of one channel before the next one's"});
  map.bits = section.text(
      {"map", "a letter for each bit of a channel-local address: Row, Bank, Group, Column, S in a burst"});
  map.burst_bytes = size(section, {"burst", "bytes that one burst moves"}, 0, 4096);
  if (const auto hash = section.optional(
          {"bank_hash", "address bits XORed onto a bit of the bank or group, as {G0: [16, 20], B1: [17]}"},
          "section"))
    map.bank_hash = read_bank_hash(hash->section());
  for (const config::Value& bits : section.list(
           {"channel_hash", "for each bit of the channel's number, the address bits XORed onto it", "bits"}))
    map.channel_hash.push_back(read_bits(bits));
  return map;
}

bool has_all(const config::Section& section, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return section.has(key); });
}

}  // namespace

DramSpec read_dram(const config::Section& section) {
  DramSpec spec;
  spec.map = read_map(section);
  if (has_all(section, {"map", "burst"})) try {
      const LocalMap checked(spec.map);
    } catch (const std::invalid_argument& error) {
      section.value("map").problem(error.what());
    }
  if (has_all(section, {"channels", "channel_interleave", "burst"})) try {
      const ChannelMap checked(spec.map);
    } catch (const std::invalid_argument& error) {
      section.value("channels").problem(error.what());
    }
  const config::Section timing = section.section("timing");
  spec.timing = read_timing(timing);
  if (section.has("timing")) {
    check_relations(timing, spec.timing);
    check_timing(timing, spec.timing);
  }
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
  spec.refresh = section.boolean({"refresh", "whether rows are refreshed"}, true);
  spec.refresh_postpone = number(
      section, {"refresh_postpone", "refreshes that may be owed while requests wait", "refreshes"}, 0, 8);
  spec.latency = short_cycles(
      section, {"latency", "command clocks between a request's arrival and the queue"}, 0, kMostDistance);
  spec.return_queue =
      number(section, {"return_queue", "reads that may be on their way at once", "requests"}, 1, 65536);
  return spec;
}

bool is_dram_decision(const std::string& decision) {
  return decision == DramScheduler::kDecision || decision == PagePolicy::kDecision;
}

}  // namespace heddle
