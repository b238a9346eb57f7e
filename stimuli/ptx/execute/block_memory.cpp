#include "stimuli/ptx/execute/block_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stimuli/ptx/execute/cluster_member.h"
#include "stimuli/ptx/execute/generic_addresses.h"

namespace heddle::ptx {
namespace {

using Addresses = std::array<Address, kLanes>;

constexpr std::size_t kMostString = 1U << 16U;
constexpr std::size_t kMostBytes = 16;  // of a lane's access to device memory

// Whether `bytes` at each address are aligned and lie in a memory of `size` bytes that starts at 0.
bool all_fit(const Address* addresses, std::uint64_t bytes, std::uint64_t size) {
  return bytes <= size && all_within(addresses, 0, size - bytes, bytes);
}

}  // namespace

BlockMemory::BlockMemory(LaunchState& state, const FaultReporter& faults, ClusterMember* cluster)
    : state_(state),
      faults_(faults),
      cluster_(cluster),
      transfer_(state),
      threads_(static_cast<std::uint32_t>(state.launch.block.count())),
      local_bytes_(state.code.local_bytes),
      shared_(state.module().functions[state.launch.entry].static_shared_bytes + state.launch.dynamic_shared),
      local_(threads_ * local_bytes_) {}

void BlockMemory::start() {
  std::fill(shared_.begin(), shared_.end(), std::byte{0});
  std::fill(local_.begin(), local_.end(), std::byte{0});
}

ClusterMember* BlockMemory::cluster() const {
  return cluster_ == nullptr || cluster_->is_alone() ? nullptr : cluster_;
}

void BlockMemory::access(const WarpStep& at, IssuedInstruction& issued) {
  const Access& access = state_.code.accesses[at.step.index];
  Address* const addresses = issued.addresses.data();
  if (access.space == Space::kParam) return access_parameters(at, access, issued);
  const Row& row = at.step.source[0];
  const std::uint64_t base = access.frame_relative ? at.warp.frame().local_base : 0;
  const bool narrow = access.space == Space::kShared || access.space == Space::kLocal;
  if (row.base == RowBase::kNull)
    set_all(narrow ? static_cast<std::uint32_t>(base + access.offset) : access.offset, addresses);
  else if (narrow || !row.wide)
    add_narrow(at.warp.at(row), row.wide, access.offset, at.active, addresses);
  else
    add_wide(at.warp.at(row), access.offset, at.active, addresses);
  switch (access.space) {
    case Space::kShared:
      return access_shared(at, access, addresses);
    case Space::kLocal:
      return access_local(at, access, addresses);
    case Space::kGeneric:
      return access_generic(at, access, issued);
    default:
      return access_device(at, access, addresses);
  }
}

void BlockMemory::append_local(std::uint32_t warp, std::vector<std::byte>& to) const {
  const std::uint32_t first = warp * kLanes;
  const std::uint32_t end = std::min(first + kLanes, threads_);
  const auto at = [&](std::uint32_t thread) {
    return local_.begin() + static_cast<std::ptrdiff_t>(thread * local_bytes_);
  };
  to.insert(to.end(), at(first), at(end));
}

void BlockMemory::access_device(const WarpStep& at, const Access& access, const Address* addresses) {
  const std::uint64_t bytes = bytes_of_lane(access);
  std::atomic<const DeviceMemory::Allocation*>& kept = state_.last_allocations[at.step.index];
  const DeviceMemory::Allocation* last = kept.load(std::memory_order_relaxed);
  const auto holds_all = [&](const DeviceMemory::Allocation* allocation) {
    return allocation != nullptr && bytes <= allocation->bytes &&
           all_within(addresses, allocation->address, allocation->bytes - bytes, bytes);
  };
  if (!holds_all(last)) {
    last = state_.memory.find(addresses[at.first_lane()], bytes);
    kept.store(last, std::memory_order_relaxed);
    if (!holds_all(last)) return access_lane_by_lane(at, access, addresses);
  }
  transfer_.run_watched(at, access, {last->data(last->address), last->address, addresses});
}

// The lanes access several allocations, or at least one of them is misaligned or outside of all.
void BlockMemory::access_lane_by_lane(const WarpStep& at, const Access& access, const Address* addresses) {
  const std::uint64_t bytes = bytes_of_lane(access);
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const DeviceMemory::Allocation* const allocation = state_.memory.find(addresses[lane], bytes);
    if (addresses[lane] % bytes != 0)
      faults_.raise(at, lane, fmt::format("{} bytes at {:#x}, which is not aligned", bytes, addresses[lane]));
    if (allocation == nullptr) return access_outside(at.with_lanes(1U << lane), access, addresses[lane]);
    Addresses same;
    same.fill(addresses[lane]);
    transfer_.run_watched(at.with_lanes(1U << lane), access,
                          {allocation->data(allocation->address), allocation->address, same.data()});
  });
}

// One lane accesses bytes that do not lie in one allocation.
void BlockMemory::access_outside(const WarpStep& at, const Access& access, Address address) {
  const std::unique_lock<std::mutex> lock = state_.memory.lock_unallocated();
  std::array<std::byte*, kMostBytes> places{};
  const std::uint64_t bytes = bytes_of_lane(access);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    places[i] = state_.memory.mapped_byte(address + i);
    if (places[i] == nullptr) throw Fault(faults_.outside(at, at.first_lane(), address));
  }
  StrayAccesses* const strays = state_.launch.strays;
  if (strays == nullptr) throw StrayFault(faults_.outside(at, at.first_lane(), address));
  strays->add({faults_.now().value, faults_.block_number()},
              [&] { return faults_.outside(at, at.first_lane(), address); });
  std::array<std::byte, kMostBytes> data{};
  for (std::uint64_t i = 0; i < bytes; ++i) data[i] = *places[i];
  Addresses same;
  same.fill(address);
  transfer_.run_watched(at, access, {data.data(), address, same.data()});
  if (at.step.kind == Step::Kind::kLoad) return;
  for (std::uint64_t i = 0; i < bytes; ++i) *places[i] = data[i];
}

// Faults at the first lane whose bytes are misaligned or outside of a memory of `size` bytes that starts at
// 0.
void BlockMemory::raise_misplaced(const WarpStep& at, const Address* addresses, std::uint64_t bytes,
                                  std::uint64_t size, const char* memory) const {
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Address address = addresses[lane];
    if (address % bytes != 0)
      faults_.raise(at, lane,
                    fmt::format("{} bytes at {:#x} of {}, which is not aligned", bytes, address, memory));
    if (address + bytes > size)
      faults_.raise(at, lane,
                    fmt::format("{} bytes at {:#x} of the {} bytes of {}", bytes, address, size, memory));
  });
}

void BlockMemory::access_shared(const WarpStep& at, const Access& access, Address* addresses) {
  const std::uint64_t bytes = bytes_of_lane(access);
  if (!all_fit(addresses, bytes, shared_.size())) {
    if (access.in_cluster && cluster() != nullptr) return access_cluster(at, access, addresses);
    raise_misplaced(at, addresses, bytes, shared_.size(), "shared memory");
  }
  transfer_.run_watched(at, access, {shared_.data(), 0, addresses}, true);
}

// The lanes that access the memory of one block do so together, those of the lowest lane first.
void BlockMemory::access_cluster(const WarpStep& at, const Access& access, Address* addresses) {
  const std::uint64_t bytes = bytes_of_lane(access);
  const bool is_load = at.step.kind == Step::Kind::kLoad;
  const bool returns = is_load || at.step.statement->opcode == Opcode::kAtom;
  for (std::uint32_t left = at.active; left != 0;) {
    const std::uint32_t first = at.with_lanes(left).first_lane();
    const std::uint32_t rank = cluster_->place_of(static_cast<std::uint32_t>(addresses[first])).rank;
    Addresses offsets;
    offsets.fill(cluster_->place_of(static_cast<std::uint32_t>(addresses[first])).offset);
    std::uint32_t same = 0;
    for_each_lane(left, [&](std::uint32_t lane) {
      const ClusterPlace place = cluster_->place_of(static_cast<std::uint32_t>(addresses[lane]));
      if (place.rank != rank) return;
      same |= 1U << lane;
      offsets[lane] = place.offset;
    });
    left &= ~same;
    const WarpStep part = at.with_lanes(same);
    BlockMemory& there = cluster_->memory_of(at, first, rank);
    if (!all_fit(offsets.data(), bytes, there.shared_bytes()))
      raise_misplaced(part, offsets.data(), bytes, there.shared_bytes(),
                      fmt::format("shared memory of block {} of the cluster", rank).c_str());
    transfer_.run_watched(part, access, {there.shared_at(0), 0, offsets.data()}, true);
    if (rank == cluster_->rank()) continue;
    const auto all = static_cast<std::uint32_t>(bytes) * static_cast<std::uint32_t>(__builtin_popcount(same));
    cluster_->send({ClusterMessage::Kind::kAccess, static_cast<std::uint8_t>(rank), is_load ? 0 : all,
                    returns ? all : 0, 0, 0});
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    addresses[lane] = cluster_->place_of(static_cast<std::uint32_t>(addresses[lane])).offset;
}

void BlockMemory::access_local(const WarpStep& at, const Access& access, const Address* addresses) {
  const std::uint64_t bytes = bytes_of_lane(access);
  if (!all_fit(addresses, bytes, local_bytes_))
    raise_misplaced(at, addresses, bytes, local_bytes_, "local memory");
  Addresses places;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t thread = std::min(at.number * kLanes + lane, threads_ - 1);
    places[lane] = thread * local_bytes_ + addresses[lane];
  }
  transfer_.run(at, access, {local_.data(), 0, places.data()});
}

void BlockMemory::access_parameters(const WarpStep& at, const Access& access, IssuedInstruction& issued) {
  const Row& row = at.step.source[0];
  const bool of_launch =
      at.warp.frame().code->function->entry && (access.uniform || row.base != RowBase::kNull);
  if (!of_launch) return access_call_parameters(at, access);
  if (access.uniform)
    set_all(access.offset, issued.addresses.data());
  else
    add_narrow(at.warp.at(row), row.wide, access.offset, at.active, issued.addresses.data());
  access_launch_parameters(at, access, issued.addresses.data());
}

// The SM sees the addresses of the parameters in the module's image.
void BlockMemory::access_launch_parameters(const WarpStep& at, const Access& access, Address* addresses) {
  const std::vector<std::byte>& parameters = state_.launch.parameters;
  const std::uint64_t bytes = bytes_of_lane(access);
  if (at.step.kind != Step::Kind::kLoad)
    faults_.raise(at, at.first_lane(), "parameters of a launch cannot be written");
  if (!all_fit(addresses, bytes, parameters.size()))
    raise_misplaced(at, addresses, bytes, parameters.size(), "parameters");
  // The parameters are only read, because stores have been refused.
  transfer_.run(at, access, {const_cast<std::byte*>(parameters.data()), 0, addresses});
  const Image& image = image_of(*state_.launch.code);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] += image.address + image.parameters;
}

// The parameters of calls have a place for each lane in the warp's parameter areas.
void BlockMemory::access_call_parameters(const WarpStep& at, const Access& access) {
  const Row& row = at.step.source[0];
  const Frame& frame = at.warp.frame();
  const std::uint64_t area_bytes = frame.code->function->area_bytes;
  Addresses places;
  if (row.base == RowBase::kNull)
    set_all(access.offset, places.data());
  else
    add_narrow(at.warp.at(row), row.wide, access.offset, at.active, places.data());
  const std::uint64_t bytes = bytes_of_lane(access);
  if (bytes > area_bytes || !all_within(places.data(), 0, area_bytes - bytes, 1))
    faults_.raise(at, at.first_lane(),
                  fmt::format("{} bytes outside of the {} bytes of a call's parameters", bytes, area_bytes));
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) places[lane] += lane * area_bytes;
  transfer_.run(at, access, {at.warp.area_of(frame, 0), 0, places.data()});
}

void BlockMemory::access_generic(const WarpStep& at, const Access& access, IssuedInstruction& issued) {
  Address* const addresses = issued.addresses.data();
  const Space first = space_of_generic(addresses[at.first_lane()]);
  std::uint32_t same = 0;
  for_each_lane(at.active, [&](std::uint32_t lane) {
    if (space_of_generic(addresses[lane]) == first) same |= 1U << lane;
  });
  if (same != at.active) {
    // The lanes of other spaces access them first, so that `issued` ends with the lowest lane's space.
    const Addresses all = issued.addresses;
    const WarpStep others = at.with_lanes(at.active & ~same);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      if ((others.active >> lane & 1U) == 0) issued.addresses[lane] = all[others.first_lane()];
    access_generic(others, access, issued);
    issued.addresses = all;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      if ((same >> lane & 1U) == 0) issued.addresses[lane] = all[at.first_lane()];
  }
  const WarpStep mine = at.with_lanes(same);
  issued.mask = same;
  const std::uint64_t window = window_of(first);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] -= window;
  if (first == Space::kShared) {
    issued.code = &access.resolved[1];
    access_shared(mine, access, addresses);
  } else if (first == Space::kLocal) {
    issued.code = &access.resolved[2];
    access_local(mine, access, addresses);
  } else if (first == Space::kParam) {
    issued.code = &access.resolved[0];
    access_launch_parameters(mine, access, addresses);
  } else {
    issued.code = &access.resolved[0];
    access_device(mine, access, addresses);
  }
}

void BlockMemory::read_generic(const WarpStep& at, std::uint32_t lane, std::uint64_t address, void* to,
                               std::uint32_t bytes) const {
  const Space space = space_of_generic(address);
  const std::uint64_t offset = address - window_of(space);
  const std::uint64_t thread = at.number * kLanes + lane;
  const std::byte* from = nullptr;
  if (space == Space::kShared && offset + bytes <= shared_.size()) {
    from = shared_.data() + offset;
  } else if (space == Space::kLocal && offset + bytes <= local_bytes_) {
    from = local_.data() + thread * local_bytes_ + offset;
  } else if (space == Space::kParam && offset + bytes <= state_.launch.parameters.size()) {
    from = state_.launch.parameters.data() + offset;
  } else if (space == Space::kGlobal) {
    if (const DeviceMemory::Allocation* allocation = state_.memory.find(address, bytes))
      from = allocation->data(address);
  }
  if (from == nullptr)
    faults_.raise(at, lane, fmt::format("{} bytes at {}", bytes, describe(state_.memory, address)));
  std::memcpy(to, from, bytes);
}

std::byte* BlockMemory::place_of(const WarpStep& at, Space space, std::uint32_t lane, Address address,
                                 std::uint32_t bytes) {
  if (space == Space::kShared || space == Space::kLocal) {
    const bool shared = space == Space::kShared;
    const std::uint64_t size = shared ? shared_.size() : local_bytes_;
    Addresses same;
    same.fill(address);
    if (!all_fit(same.data(), bytes, size))
      raise_misplaced(at.with_lanes(1U << lane), same.data(), bytes, size,
                      shared ? "shared memory" : "local memory");
    const std::uint64_t thread = at.number * kLanes + lane;
    return shared ? shared_.data() + address : local_.data() + thread * local_bytes_ + address;
  }
  if (address % bytes != 0)
    faults_.raise(at, lane, fmt::format("{} bytes at {:#x}, which is not aligned", bytes, address));
  const DeviceMemory::Allocation* const allocation = state_.memory.find(address, bytes);
  if (allocation == nullptr)
    faults_.raise(at, lane, fmt::format("{} bytes at {}", bytes, describe(state_.memory, address)));
  return allocation->data(address);
}

void BlockMemory::check_shared(const WarpStep& at, std::uint32_t lane, std::uint32_t address,
                               std::uint32_t bytes, std::uint32_t alignment) const {
  if (address % alignment != 0)
    faults_.raise(at, lane,
                  fmt::format("{} bytes at {:#x} of shared memory, which is not aligned", bytes, address));
  if (std::uint64_t{address} + bytes > shared_.size())
    faults_.raise(
        at, lane,
        fmt::format("{} bytes at {:#x} of the {} bytes of shared memory", bytes, address, shared_.size()));
}

std::string BlockMemory::read_string(const WarpStep& at, std::uint32_t lane, std::uint64_t address) const {
  std::string text;
  for (char c = 0; text.size() < kMostString; text += c) {
    read_generic(at, lane, address + text.size(), &c, 1);
    if (c == 0) break;
  }
  return text;
}

}  // namespace heddle::ptx
