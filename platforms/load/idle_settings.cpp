#include "platforms/load/idle_settings.h"

#include <algorithm>
#include <vector>

namespace heddle {

namespace {

constexpr const char* kNoInstructions =
    "changes nothing: the SMs are timed (sm.model), their blocks last a stated time and execute no "
    "instruction";
constexpr const char* kNoMemory =
    "changes nothing: the SMs are timed (sm.model), and the memory behind them is not simulated";
constexpr const char* kNoContention =
    "changes nothing: the SMs are timed, and kernels do not contend for L2 (contention.kernels is off)";
constexpr const char* kNoEnergy =
    "changes nothing: the SMs are timed (sm.model), and execute nothing that costs energy";
constexpr const char* kSimulated =
    "changes nothing: cycle SMs contend for a memory that is simulated, and contention is that of timed SMs";
constexpr const char* kExecuted =
    "changes nothing: cycle SMs execute instructions, and only kernels of timed SMs state their work";
constexpr const char* kPassesL1 =
    "changes nothing for kernels without local memory: global loads pass L1 (caches.l1.global is off)";

using Keys = std::vector<std::string>;

// Whether the key is one of these or below one.
bool is_below(const std::string& key, const Keys& sections) {
  return std::any_of(sections.begin(), sections.end(), [&key](const std::string& section) {
    return key == section || key.rfind(section + ".", 0) == 0;
  });
}

// Of the memory, timed SMs know what its bandwidth follows from (platforms/load/read_bandwidth.h).
const Keys kBandwidthOfL2{"crossbar.flit", "l2.slices_per_channel", "clocks.icnt", "clocks.l2"};

std::string why_idle_if_timed(const GpuSpec& spec, const std::string& key) {
  if (is_below(key,
               {"pipeline", "units", "operations", "caches", "shared_memory", "load_store", "bulk_copies"}))
    return kNoInstructions;
  if (is_below(key, {"energy"})) return kNoEnergy;
  if (is_below(key, kBandwidthOfL2)) return spec.bandwidth.kernels ? "" : kNoContention;
  if (key == "dram.timing.burst") return "";  // of the bandwidth, too
  if (is_below(key, {"crossbar", "l2", "links", "memory", "dram.timing", "dram.queue", "dram.write_high",
                     "dram.write_low", "dram.refresh", "dram.refresh_postpone", "dram.latency",
                     "dram.return_queue"}))
    return kNoMemory;
  return "";
}

}  // namespace

std::string why_idle(const GpuSpec& spec, const std::string& assignment) {
  const std::string key = assignment.substr(0, assignment.find('='));
  const ExecutionSpec* const execution = spec.sm.execution();
  if (execution == nullptr) return why_idle_if_timed(spec, key);
  if (is_below(key, {"contention"})) return kSimulated;
  if (is_below(key, {"arithmetic"})) return kExecuted;
  if (is_below(key, {"caches.l1"}) && key != "caches.l1.global" && !execution->l1_caches_global)
    return kPassesL1;
  return "";
}

}  // namespace heddle
