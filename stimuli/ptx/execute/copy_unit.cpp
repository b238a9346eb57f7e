#include "stimuli/ptx/execute/copy_unit.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::ptx {

void CopyUnit::copy(const WarpStep& at, IssuedInstruction& issued) const {
  const Access& access = state_.code.accesses[at.step.index];
  const std::uint32_t bytes = access.bytes;
  const auto value = [&](std::size_t source, std::uint32_t lane) {
    const Row& row = at.step.source[source];
    std::uint64_t number = 0;
    if (row.base == RowBase::kNull) return number;
    std::memcpy(&number, at.warp.at(row) + std::size_t{lane} * (row.wide ? 8 : 4), row.wide ? 8 : 4);
    return number;
  };
  const bool whole = at.step.source[2].base == RowBase::kNull;
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Address from = value(0, lane) + access.offset;
    const auto to = static_cast<std::uint32_t>(value(1, lane) + access.shared_offset);
    const std::uint64_t read = whole ? bytes : value(2, lane);
    if (read > bytes) faults_.raise(at, lane, fmt::format("a copy of {} of {} bytes", read, bytes));
    std::byte* const place = memory_.place_of(at, Space::kShared, lane, to, bytes);
    std::memset(place, 0, bytes);
    issued.addresses[lane] = from;
    if (read == 0) {
      issued.mask &= ~(1U << lane);
      return;
    }
    if (from % bytes != 0)
      faults_.raise(at, lane, fmt::format("{} bytes at {:#x}, which is not aligned", bytes, from));
    const DeviceMemory::Allocation* const allocation = state_.memory.find(from, read);
    if (allocation == nullptr)
      faults_.raise(at, lane, fmt::format("{} bytes at {}", read, describe(state_.memory, from)));
    std::memcpy(place, allocation->data(from), read);
  });
}

}  // namespace heddle::ptx
