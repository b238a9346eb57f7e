#include "platforms/experiment/trace_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/config_units.h"
#include "models/gpu/instance_spec.h"

namespace heddle {

namespace {

constexpr const char* kForms =
    "sm3.warp5, sm3, kernel=NAME, cycles=1000-2000, cycles=1000- and parts with commas between";

[[noreturn]] void refuse(const std::string& text, const std::string& reason) {
  throw config::Error({fmt::format("--trace {}: {}", config::detail::shown(text), reason)});
}

// Reads a whole number at the start of `rest`, and removes it. Returns whether there is one.
bool take_number(std::string& rest, std::uint64_t& value) {
  constexpr std::size_t kMostDigits = 18;
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > kMostDigits) return false;
  value = std::stoull(rest.substr(0, digits));
  rest.erase(0, digits);
  return true;
}

bool take_word(std::string& rest, const std::string& word) {
  if (rest.rfind(word, 0) != 0) return false;
  rest.erase(0, word.size());
  return true;
}

bool read_number(std::string& rest, std::optional<std::uint32_t>& number) {
  std::uint64_t value = 0;
  if (!take_number(rest, value)) return false;
  number = static_cast<std::uint32_t>(std::min<std::uint64_t>(value, ~std::uint32_t{0}));
  return true;
}

// sm3 or sm3.warp5
bool read_place(std::string rest, TraceSelection& selection) {
  if (!take_word(rest, "sm") || !read_number(rest, selection.sm)) return false;
  if (take_word(rest, ".warp") && !read_number(rest, selection.warp)) return false;
  return rest.empty();
}

// 1000-2000 or 1000-
bool read_cycles(std::string rest, TraceWindow& window) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!take_number(rest, first) || !take_word(rest, "-")) return false;
  window.first = Cycle{first};
  if (rest.empty()) return true;
  if (!take_number(rest, last) || !rest.empty() || last < first) return false;
  window.last = Cycle{last};
  return true;
}

std::vector<std::string> kernels_of(const MachineSpec& machine) {
  std::vector<std::string> names;
  for (const HostProcessSpec& process : machine.processes)
    for (const ApiKernel& kernel : process.program.kernels)
      if (std::find(names.begin(), names.end(), kernel.name) == names.end()) names.push_back(kernel.name);
  return names;
}

// A resource manager may keep more warps on an SM than the SM has slots, up to the most of any SM.
std::uint32_t warp_slots(const MachineSpec& machine) {
  constexpr std::uint32_t kMostSlots = 64;
  const auto manager = machine.gpu.policies.find("resource_manager");
  const bool is_static = manager == machine.gpu.policies.end() || manager->second.name == "static";
  return is_static ? machine.gpu.sm.limits.warps : kMostSlots;
}

}  // namespace

TraceSelection read_trace_selection(const std::string& text) {
  TraceSelection selection;
  bool has_cycles = false;
  std::string::size_type begin = 0;
  while (begin <= text.size()) {
    const std::string::size_type end = std::min(text.find(',', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const auto refuse_second = [&](bool is_second) {
      if (is_second)
        refuse(text, fmt::format("{} is a second part of its kind", config::detail::shown(part)));
    };
    if (part.rfind("kernel=", 0) == 0 && part.size() > 7) {
      refuse_second(!selection.kernel.empty());
      selection.kernel = part.substr(7);
    } else if (take_word(part, "cycles=")) {
      refuse_second(has_cycles);
      has_cycles = true;
      if (!read_cycles(part, selection.window))
        refuse(text, fmt::format("cycles are FIRST-LAST or FIRST- in core cycles; not {}",
                                 config::detail::shown(part)));
    } else {
      TraceSelection place;
      if (!read_place(part, place))
        refuse(text,
               fmt::format("{} is no part of a trace; there are {}", config::detail::shown(part), kForms));
      refuse_second(selection.sm.has_value());
      selection.sm = place.sm;
      selection.warp = place.warp;
    }
  }
  return selection;
}

void check_trace(const std::vector<TraceSelection>& selections, const MachineSpec& machine) {
  if (selections.empty()) return;
  if (!machine.gpu.sm.executes())
    throw config::Error(
        {"--trace: a trace is of the instructions of cycle SMs, and this platform has timed ones; "
         "--timeline=blocks shows their blocks"});
  if (!instances_of(machine.gpu, machine.gpu.policies, machine.processes.size()).empty())
    throw config::Error({"--trace: a trace is of one GPU, and the policy of 'instances' splits it"});
  for (const TraceSelection& one : selections) {
    if (one.sm && *one.sm >= machine.gpu.sm.count)
      throw config::Error({fmt::format("--trace: there is no sm{}; the platform has sm0 to sm{}", *one.sm,
                                       machine.gpu.sm.count - 1)});
    if (const std::uint32_t slots = warp_slots(machine); one.warp && *one.warp >= slots)
      throw config::Error({fmt::format("--trace: there is no warp{}; an SM has the warp slots 0 to {}",
                                       *one.warp, slots - 1)});
    const std::vector<std::string> kernels = kernels_of(machine);
    if (!one.kernel.empty() && std::find(kernels.begin(), kernels.end(), one.kernel) == kernels.end())
      throw config::Error(
          {fmt::format("--trace: no application has a kernel {}{}", config::detail::shown(one.kernel),
                       config::suggestion(one.kernel, kernels))});
  }
}

}  // namespace heddle
