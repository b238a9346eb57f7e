#include "stimuli/ptx/execute/copy_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kBulkAlignment = 16;  // of both addresses and of the bytes

}  // namespace

std::byte* CopyUnit::device(const WarpStep& at, std::uint32_t lane, Address address,
                            std::uint64_t bytes) const {
  const DeviceMemory::Allocation* const allocation = state_.memory.find(address, bytes);
  if (allocation == nullptr)
    faults_.raise(at, lane, fmt::format("{} bytes at {}", bytes, describe(state_.memory, address)));
  return allocation->data(address);
}

void CopyUnit::copy(const WarpStep& at, IssuedInstruction& issued) const {
  const Access& access = state_.code.accesses[at.step.index];
  const std::uint32_t bytes = access.bytes;
  const bool whole = at.step.source[2].base == RowBase::kNull;
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Address from = lane_value(at, at.step.source[0], lane) + access.offset;
    const auto to =
        static_cast<std::uint32_t>(lane_value(at, at.step.source[1], lane) + access.shared_offset);
    const std::uint64_t read = whole ? bytes : lane_value(at, at.step.source[2], lane);
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
    std::memcpy(place, device(at, lane, from, read), read);
  });
}

std::byte* CopyUnit::shared(const WarpStep& at, std::uint32_t lane, std::uint32_t address,
                            std::uint32_t bytes) const {
  const std::uint64_t size = memory_.shared_bytes();
  if (std::uint64_t{address} + bytes > size)
    faults_.raise(at, lane,
                  fmt::format("{} bytes at {:#x} of {} bytes of shared memory", bytes, address, size));
  return memory_.shared_at(address);
}

// A copy of 0 bytes is complete at once, and started() does not have it.
void CopyUnit::copy_bulk(const WarpStep& at) {
  const Access& access = state_.code.accesses[at.step.index];
  const bool is_store = at.step.statement->opcode == Opcode::kBulkStore;
  started_.clear();
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Address global = lane_value(at, at.step.source[0], lane) + access.offset;
    const auto address =
        static_cast<std::uint32_t>(lane_value(at, at.step.source[1], lane) + access.shared_offset);
    const auto bytes = static_cast<std::uint32_t>(lane_value(at, at.step.source[2], lane));
    if (global % kBulkAlignment != 0 || address % kBulkAlignment != 0 || bytes % kBulkAlignment != 0)
      faults_.raise(at, lane,
                    fmt::format("a copy of {} bytes between {:#x} and {:#x} of shared memory; the three are "
                                "multiples of {}",
                                bytes, global, address, kBulkAlignment));
    const auto barrier =
        static_cast<std::uint32_t>(lane_value(at, at.step.source[3], lane) + access.barrier_offset);
    if (!is_store) barriers_.check(at, lane, barrier);
    if (bytes == 0) return;
    std::byte* const there = device(at, lane, global, bytes);
    std::byte* const here = shared(at, lane, address, bytes);
    std::memcpy(is_store ? there : here, is_store ? here : there, bytes);
    auto free =
        std::find_if(under_way_.begin(), under_way_.end(), [](const UnderWay& is) { return !is.open; });
    if (free == under_way_.end()) free = under_way_.insert(free, UnderWay{});
    *free = {true, is_store, barrier, bytes};
    BulkCopy started;
    started.number = static_cast<std::uint64_t>(free - under_way_.begin());
    started.is_store = is_store;
    started.pieces = {{global, bytes}};
    started_.push_back(std::move(started));
  });
}

void CopyUnit::complete(std::uint64_t number) {
  UnderWay& copy = under_way_[number];
  copy.open = false;
  if (!copy.is_store) barriers_.receive(copy.barrier, copy.bytes);
}

bool CopyUnit::has_copies() const {
  return std::any_of(under_way_.begin(), under_way_.end(), [](const UnderWay& copy) { return copy.open; });
}

}  // namespace heddle::ptx
