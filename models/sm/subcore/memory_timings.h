#pragma once
// The MemoryTimings are the cycles that memory instructions take in a sub-core, by their kind and by the
// register that has their address (Huerta et al., MICRO 2025, table 2).

#include <algorithm>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

class MemoryTimings {
 public:
  explicit MemoryTimings(const SubcoreSpec& spec) : spec_(spec) {}

  // Returns the cycles from the issue of the instruction until it leaves the sub-core, if nothing delays it.
  std::uint32_t until_it_leaves(const Instruction& code) const {
    if (!code.uniform_address) return spec_.memory_latency;
    if (is_shared(code)) return spec_.memory_latency - spec_.uniform_shared;
    return is_global(code) ? spec_.memory_latency - spec_.uniform_global : spec_.memory_latency;
  }

  // Returns the cycles from when the instruction leaves until it has read its registers. They are negative if
  // it has read them before.
  std::int32_t until_it_has_read(const Instruction& code) const {
    const ReadLatency latency = latency_of(code);
    const std::uint32_t read = code.uniform_address ? latency.uniform : latency.regular;
    if (read == 0) return 0;
    return static_cast<std::int32_t>(read + later_data(code)) -
           static_cast<std::int32_t>(until_it_leaves(code));
  }

  // Returns the cycles for which the data of a load take the write port. They are written in the first of the
  // last `load_interval` cycles.
  std::uint32_t of_write_port(const Instruction& code) const {
    const std::uint32_t together = is_shared(code) ? spec_.shared_width : 1;
    return (code.register_writes + together - 1) / together * spec_.load_interval;
  }

 private:
  static constexpr std::uint32_t kRegisterBytes = 4;

  static bool is_shared(const Instruction& code) { return code.space == MemorySpace::kShared; }
  static bool is_global(const Instruction& code) {
    return code.space == MemorySpace::kGlobal || code.space == MemorySpace::kLocal;
  }
  ReadLatency latency_of(const Instruction& code) const {
    if (!is_shared(code) && !is_global(code)) return {};
    if (code.operation == Operation::kStore) return is_shared(code) ? spec_.shared_store : spec_.global_store;
    if (code.operation == Operation::kLoad && !code.asynchronous)
      return is_shared(code) ? spec_.shared_load : spec_.global_load;
    return {};
  }
  std::uint32_t later_data(const Instruction& code) const {
    if (code.operation != Operation::kStore) return 0;
    const std::uint32_t registers = (code.bytes + kRegisterBytes - 1) / kRegisterBytes;
    return (std::max(registers, 1U) - 1) * spec_.store_read;
  }

  const SubcoreSpec spec_;
};

}  // namespace heddle
