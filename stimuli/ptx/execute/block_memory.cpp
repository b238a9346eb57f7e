// What a block's loads, stores and atomics do.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stimuli/ptx/execute/address_windows.h"
#include "stimuli/ptx/execute/block_stream.h"
#include "stimuli/ptx/execute/texture_sampler.h"

namespace heddle::ptx {
namespace {

using Addresses = std::array<Address, kLanes>;

constexpr std::size_t kMostString = 1U << 16U;

std::uint32_t lowest(std::uint32_t active) {
  return static_cast<std::uint32_t>(__builtin_ctz(active));
}

// In memory of so many bytes that starts at 0, each at a multiple of its own.
bool all_fit(const Address* addresses, std::uint64_t bytes, std::uint64_t size) {
  return bytes <= size && all_within(addresses, 0, size - bytes, bytes);
}

}  // namespace

void PtxBlockStream::access(const Now& now, IssuedInstruction& issued) {
  const Access& access = code_.accesses[now.step.index];
  Address* const addresses = issued.addresses.data();
  if (access.space == Space::kParam) return access_parameter(now, access, issued);
  const Row& row = now.step.source[0];
  const std::uint64_t base = access.frame_relative ? now.warp.frame().local_base : 0;
  const bool narrow = access.space == Space::kShared || access.space == Space::kLocal;
  if (row.base == RowBase::kNull)
    set_all(narrow ? static_cast<std::uint32_t>(base + access.offset) : access.offset, addresses);
  else if (narrow || !row.wide)
    add_narrow(now.warp.at(row), row.wide, access.offset, now.active, addresses);
  else
    add_wide(now.warp.at(row), access.offset, now.active, addresses);
  switch (access.space) {
    case Space::kShared:
      return access_shared(now, access, addresses);
    case Space::kLocal:
      return access_local(now, access, addresses);
    case Space::kGeneric:
      return access_generic(now, access, issued);
    default:
      return access_device(now, access, addresses);
  }
}

void PtxBlockStream::move(const Now& now, const Access& access, const LanePlaces& places, bool shared) {
  if (now.step.kind == Step::Kind::kAtomic) {
    AtomicRows rows;
    rows.old = now.warp.at(now.step.destination[0]);
    rows.a = now.warp.at(now.step.source[1]);
    rows.b = now.warp.at(now.step.source[2]);
    return (shared ? access.shared_atomic : access.atomic)(places, now.active, rows);
  }
  LanePlaces element = places;
  for (std::uint32_t i = 0; i < access.width; ++i) {
    if (now.step.kind == Step::Kind::kLoad)
      access.load[i](element, now.active, now.warp.at(now.step.destination[i]));
    else
      access.store[i](element, now.active, now.warp.at(now.step.source[i + 1]));
    element.data += access.bytes;
  }
}

void PtxBlockStream::access_device(const Now& now, const Access& access, const Address* addresses) {
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.width;
  const DeviceMemory::Allocation*& found = state_.found[now.step.index];
  const auto all_in = [&](const DeviceMemory::Allocation* allocation) {
    return allocation != nullptr && bytes <= allocation->bytes &&
           all_within(addresses, allocation->address, allocation->bytes - bytes, bytes);
  };
  if (!all_in(found)) {
    found = state_.memory.find(addresses[lowest(now.active)], bytes);
    if (!all_in(found)) return access_apart(now, access, addresses);
  }
  move(now, access, {found->data(found->address), found->address, addresses});
}

// Lanes in several allocations, or somewhere wrong: one by one.
void PtxBlockStream::access_apart(const Now& now, const Access& access, const Address* addresses) {
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.width;
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const std::uint32_t lane = lowest(left);
    const DeviceMemory::Allocation* const allocation = state_.memory.find(addresses[lane], bytes);
    if (addresses[lane] % bytes != 0)
      fault(now, lane, fmt::format("{} bytes at {:#x}, which is not aligned", bytes, addresses[lane]));
    if (allocation == nullptr) fault_outside(now, lane, addresses[lane]);
    const Now one{now.warp, now.step, now.number, 1U << lane};
    Addresses same;
    same.fill(addresses[lane]);
    move(one, access, {allocation->data(allocation->address), allocation->address, same.data()});
  }
}

// Of memory that starts at 0: the first lane whose place does not fit there.
void PtxBlockStream::fault_misplaced(const Now& now, const Address* addresses, std::uint64_t bytes,
                                     std::uint64_t size, const char* memory) const {
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const Address at = addresses[lowest(left)];
    if (at % bytes != 0)
      fault(now, lowest(left),
            fmt::format("{} bytes at {:#x} of {}, which is not aligned", bytes, at, memory));
    if (at + bytes > size)
      fault(now, lowest(left),
            fmt::format("{} bytes at {:#x} of the {} bytes of {}", bytes, at, size, memory));
  }
}

void PtxBlockStream::access_shared(const Now& now, const Access& access, const Address* addresses) {
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.width;
  if (!all_fit(addresses, bytes, shared_.size()))
    fault_misplaced(now, addresses, bytes, shared_.size(), "shared memory");
  move(now, access, {shared_.data(), 0, addresses}, true);
}

void PtxBlockStream::access_local(const Now& now, const Access& access, const Address* addresses) {
  const std::uint64_t each = code_.local_bytes;
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.width;
  if (!all_fit(addresses, bytes, each)) fault_misplaced(now, addresses, bytes, each, "local memory");
  Addresses places;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t thread = std::min(now.number * kLanes + lane, threads_ - 1);
    places[lane] = thread * each + addresses[lane];
  }
  move(now, access, {local_.data(), 0, places.data()});
}

// A launch's parameters, or those of calls, which have a place for each lane.
void PtxBlockStream::access_parameter(const Now& now, const Access& access, IssuedInstruction& issued) {
  const Row& row = now.step.source[0];
  const bool of_launch =
      now.warp.frame().code->function->entry && (access.uniform || row.base != RowBase::kNull);
  if (!of_launch) return access_area(now, access);
  if (access.uniform)
    set_all(access.offset, issued.addresses.data());
  else
    add_narrow(now.warp.at(row), row.wide, access.offset, now.active, issued.addresses.data());
  access_launch_parameters(now, access, issued.addresses.data());
}

void PtxBlockStream::access_launch_parameters(const Now& now, const Access& access, Address* addresses) {
  const std::vector<std::byte>& parameters = state_.launch.parameters;
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.width;
  if (now.step.kind != Step::Kind::kLoad)
    fault(now, lowest(now.active), "parameters of a launch cannot be written");
  if (!all_fit(addresses, bytes, parameters.size()))
    fault_misplaced(now, addresses, bytes, parameters.size(), "parameters");
  // Only read: stores have been refused.
  move(now, access, {const_cast<std::byte*>(parameters.data()), 0, addresses});
  const Image& image = image_of(*state_.launch.code);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] += image.address + image.parameters;
}

void PtxBlockStream::access_area(const Now& now, const Access& access) {
  const Row& row = now.step.source[0];
  const Frame& frame = now.warp.frame();
  const std::uint64_t each = frame.code->function->area_bytes;
  Addresses places;
  if (row.base == RowBase::kNull)
    set_all(access.offset, places.data());
  else
    add_narrow(now.warp.at(row), row.wide, access.offset, now.active, places.data());
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.width;
  if (bytes > each || !all_within(places.data(), 0, each - bytes, 1))
    fault(now, lowest(now.active),
          fmt::format("{} bytes outside of the {} bytes of a call's parameters", bytes, each));
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) places[lane] += lane * each;
  move(now, access, {now.warp.area_of(frame, 0), 0, places.data()});
}

void PtxBlockStream::access_generic(const Now& now, const Access& access, IssuedInstruction& issued) {
  Address* const addresses = issued.addresses.data();
  const Space first = space_of_generic(addresses[lowest(now.active)]);
  std::uint32_t same = 0;
  for (std::uint32_t left = now.active; left != 0; left &= left - 1)
    if (space_of_generic(addresses[lowest(left)]) == first) same |= 1U << lowest(left);
  if (same != now.active) {
    // The SM is shown those that go where the lowest lane goes.
    Addresses all = issued.addresses;
    const std::uint32_t others = now.active & ~same;
    const Now rest{now.warp, now.step, now.number, others};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      if ((others >> lane & 1U) == 0) issued.addresses[lane] = all[lowest(others)];
    access_generic(rest, access, issued);
    issued.addresses = all;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      if ((same >> lane & 1U) == 0) issued.addresses[lane] = all[lowest(same)];
  }
  const Now mine{now.warp, now.step, now.number, same};
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

void PtxBlockStream::read_generic(const Now& now, std::uint32_t lane, std::uint64_t address, void* to,
                                  std::uint32_t bytes) {
  const Space space = space_of_generic(address);
  const std::uint64_t offset = address - window_of(space);
  const std::uint64_t thread = now.number * kLanes + lane;
  const std::byte* from = nullptr;
  if (space == Space::kShared && offset + bytes <= shared_.size()) {
    from = shared_.data() + offset;
  } else if (space == Space::kLocal && offset + bytes <= code_.local_bytes) {
    from = local_.data() + thread * code_.local_bytes + offset;
  } else if (space == Space::kGlobal) {
    if (const DeviceMemory::Allocation* allocation = state_.memory.find(address, bytes))
      from = allocation->data(address);
  }
  if (from == nullptr)
    fault(now, lane, fmt::format("{} bytes at {}", bytes, describe(state_.memory, address)));
  std::memcpy(to, from, bytes);
}

std::string PtxBlockStream::text_at(const Now& now, std::uint32_t lane, std::uint64_t address) {
  std::string text;
  for (char c = 0; text.size() < kMostString; text += c) {
    read_generic(now, lane, address + text.size(), &c, 1);
    if (c == 0) break;
  }
  return text;
}

const Texture& PtxBlockStream::texture_of(const Now& now, std::uint32_t lane) const {
  if (now.step.target != Statement::kNowhere) {
    const auto bound = state_.launch.textures.find(now.step.target);
    if (bound == state_.launch.textures.end())
      fault(now, lane,
            fmt::format("nothing is bound to '{}'",
                        image_of(*state_.launch.code).module->variables[now.step.target].name));
    return bound->second;
  }
  std::uint64_t handle = 0;
  std::memcpy(&handle, now.warp.at(now.step.source[0]) + std::size_t{lane} * sizeof(handle), sizeof(handle));
  if (state_.launch.handles != nullptr)
    if (const auto known = state_.launch.handles->find(handle); known != state_.launch.handles->end())
      return known->second;
  fault(now, lane, fmt::format("{:#x} is no texture or surface", handle));
}

void PtxBlockStream::sample(const Now& now, IssuedInstruction& issued) {
  const Statement& statement = *now.step.statement;
  const bool integers = statement.source_type == Type::kS32;
  const auto coordinate = [&](std::size_t index, std::uint32_t lane) {
    if (index >= now.step.sources) return 0.0;
    const std::byte* const at = now.warp.at(now.step.source[index]) + std::size_t{lane} * 4;
    if (integers) {
      std::int32_t value = 0;
      std::memcpy(&value, at, sizeof(value));
      return static_cast<double>(value);
    }
    float value = 0;
    std::memcpy(&value, at, sizeof(value));
    return static_cast<double>(value);
  };
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const std::uint32_t lane = lowest(left);
    const Texture& texture = texture_of(now, lane);
    Texel texel;
    try {
      texel = ptx::sample(texture, state_.memory, coordinate(1, lane), coordinate(2, lane), integers);
    } catch (const std::out_of_range& error) {
      fault(now, lane, error.what());
    }
    issued.addresses[lane] = texel.address;
    for (std::size_t i = 0; i < now.step.destinations; ++i) {
      const Row& to = now.step.destination[i];
      const auto narrow = static_cast<std::int32_t>(texel.channels[i]);
      const std::int64_t value = statement.type == Type::kS32 ? std::int64_t{narrow} : texel.channels[i];
      const std::size_t bytes = to.wide ? 8 : 4;
      std::memcpy(now.warp.at(to) + lane * bytes, &value, bytes);
    }
  }
}

// sust.b: x counts bytes.
void PtxBlockStream::store_surface(const Now& now, IssuedInstruction& issued) {
  const Statement& statement = *now.step.statement;
  const std::uint32_t bytes = bytes_of(statement.type);
  const auto coordinate = [&](std::size_t index, std::uint32_t lane) {
    std::int32_t value = 0;
    if (index < now.step.index)
      std::memcpy(&value, now.warp.at(now.step.source[index]) + std::size_t{lane} * 4, sizeof(value));
    return std::int64_t{value};
  };
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const std::uint32_t lane = lowest(left);
    const Texture& surface = texture_of(now, lane);
    const std::int64_t rows = surface.height == 0 ? 1 : surface.height;
    const auto row_bytes = static_cast<std::int64_t>(surface.width * texel_bytes(surface));
    const std::int64_t all = std::int64_t{bytes} * statement.width;
    std::int64_t x = coordinate(1, lane);
    std::int64_t y = statement.variant == Variant::kTwoD ? coordinate(2, lane) : 0;
    const bool outside = x < 0 || y < 0 || x + all > row_bytes || y >= rows;
    issued.addresses[lane] = surface.address;
    if (outside && statement.bounds == Bounds::kZero) continue;
    if (outside && statement.bounds == Bounds::kTrap)
      fault(now, lane,
            fmt::format("a store at ({}, {}) of a surface of {} bytes by {} rows", x, y, row_bytes, rows));
    x = std::clamp<std::int64_t>(x, 0, std::max<std::int64_t>(row_bytes - all, 0));
    y = std::clamp<std::int64_t>(y, 0, rows - 1);
    const Address at =
        surface.address + static_cast<std::uint64_t>(y) * surface.pitch + static_cast<std::uint64_t>(x);
    issued.addresses[lane] = at;
    for (std::size_t i = 0; i < now.step.destinations; ++i) {
      const Row& row = now.step.destination[i];
      try {
        state_.memory.write(at + i * bytes, now.warp.at(row) + std::size_t{lane} * (row.wide ? 8 : 4), bytes);
      } catch (const std::out_of_range& error) {
        fault(now, lane, error.what());
      }
    }
  }
}

}  // namespace heddle::ptx
