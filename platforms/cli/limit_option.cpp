#include "platforms/cli/limit_option.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "models/core/config/config.h"
#include "models/core/config/config_units.h"

namespace heddle {

namespace {

using config::detail::parse_cycles;
using config::detail::parse_integer;
using config::detail::parse_time;

constexpr std::string_view kInstructions = "instructions";
constexpr double kPicoseconds = 1e12;
constexpr config::Range kCounts{1, std::numeric_limits<std::int64_t>::max()};

// Sets the limit that the text states. Returns false if it states none.
bool set_limit(RunLimit& limit, std::string_view text) {
  if (const auto cycles = parse_cycles(text, kCounts); cycles.ok()) {
    limit.cycles = cycles.value;
    return true;
  }
  if (const auto time = parse_time(text); time.ok() && time.value > 0) {
    limit.seconds = static_cast<double>(time.value) / kPicoseconds;
    return true;
  }
  const bool has_unit =
      text.size() > kInstructions.size() && text.substr(text.size() - kInstructions.size()) == kInstructions;
  if (has_unit) text.remove_suffix(kInstructions.size());
  const auto count = parse_integer(text, kCounts);
  if (count.ok()) limit.warp_instructions = static_cast<std::uint64_t>(count.value);
  return count.ok();
}

bool states_twice(const RunLimit& one, const RunLimit& other) {
  return (one.cycles != 0 && other.cycles != 0) ||
         (one.warp_instructions != 0 && other.warp_instructions != 0) ||
         (one.seconds > 0 && other.seconds > 0);
}

}  // namespace

void add_limit_option(CommandLine& verb, std::vector<std::string>& limits, bool has_cycles,
                      const std::string& fallback) {
  verb.add_option(
          "--limit", limits,
          fmt::format("stop after this many {}warp instructions (2000000instructions) or this time of "
                      "the host (30s), and tell where the warps are; may be given once for each "
                      "(default: {})",
                      has_cycles ? "core cycles (5000000cycles), " : "", fallback))
      .type_name("LIMIT")
      .allow_extra_args(false);
}

RunLimit run_limit(const std::vector<std::string>& limits, bool has_cycles) {
  RunLimit all;
  for (const std::string& text : limits) {
    if (text == "none" && limits.size() == 1) return {};
    RunLimit one;
    if (!set_limit(one, text))
      throw config::Error({fmt::format(
          "--limit {}: needs {}a number of warp instructions such as 2000000instructions, a time of the host "
          "such as 30s, or none alone",
          text, has_cycles ? "a number of cycles such as 5000000cycles, " : "")});
    if (one.cycles != 0 && !has_cycles)
      throw config::Error({fmt::format("--limit {}: there are no cycles without a machine", text)});
    if (states_twice(all, one)) throw config::Error({fmt::format("--limit {}: is stated twice", text)});
    if (one.cycles != 0) all.cycles = one.cycles;
    if (one.warp_instructions != 0) all.warp_instructions = one.warp_instructions;
    if (one.seconds > 0) all.seconds = one.seconds;
  }
  return all;
}

}  // namespace heddle
