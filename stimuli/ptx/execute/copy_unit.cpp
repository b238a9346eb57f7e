#include "stimuli/ptx/execute/copy_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "stimuli/ptx/lanes/swizzle.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kBoxAlignment = 128;  // of a box in shared memory

// Combines two arrays of `bytes` bytes, whose elements have `element` bytes each. act() combines each element
// of `from` with the element at the same index of `to`, and stores the result in `to`.
void reduce(AtomicLanes act, std::uint32_t element, std::byte* to, const std::byte* from,
            std::uint32_t bytes) {
  const std::uint32_t row_element = std::max(element, 4U);
  std::array<std::byte, std::size_t{kLanes} * 8> values{};
  std::array<Address, kLanes> addresses{};
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint32_t lanes = std::min(kLanes, (bytes - done) / element);
    for (std::uint32_t lane = 0; lane < lanes; ++lane, done += element) {
      addresses[lane] = done;
      std::memcpy(values.data() + std::size_t{lane} * row_element, from + done, element);
    }
    const std::uint32_t active = lanes == kLanes ? kEveryLane : (1U << lanes) - 1;
    act({to, 0, addresses.data()}, active, {nullptr, values.data(), nullptr});
  }
}

// Returns the type as which elements of a tensor are combined (PTX ISA, cp.reduce.async.bulk.tensor), or
// kNone where they cannot be combined so. Of floats there are sums alone.
Type reduced_type(TensorMap::Element element, Variant variant) {
  using Element = TensorMap::Element;
  const bool adds = variant == Variant::kAdd;
  const bool counts = variant == Variant::kInc || variant == Variant::kDec;
  switch (element) {
    case Element::kU32:
      return Type::kU32;
    case Element::kS32:
      return counts ? Type::kNone : Type::kS32;
    case Element::kU64:
      return counts ? Type::kNone : Type::kU64;
    case Element::kS64:
      return counts || adds ? Type::kNone : Type::kS64;
    case Element::kF16:
      return adds ? Type::kF16 : Type::kNone;
    case Element::kBf16:
      return adds ? Type::kBf16 : Type::kNone;
    case Element::kF32:
    case Element::kFlushedF32:
      return adds ? Type::kF32 : Type::kNone;
    case Element::kF64:
      return adds ? Type::kF64 : Type::kNone;
    default:
      return Type::kNone;
  }
}

}  // namespace

std::uint32_t copying_lanes(const WarpStep& at) {
  if ((at.active & (at.active - 1)) == 0) return at.active;
  const auto same = [&](std::uint32_t a, std::uint32_t b) {
    const auto is_same = [&](const Row& row) { return lane_value(at, row, a) == lane_value(at, row, b); };
    return std::all_of(at.step.source.begin(), at.step.source.begin() + at.step.sources, is_same) &&
           std::all_of(at.step.destination.begin(), at.step.destination.begin() + at.step.destinations,
                       is_same);
  };
  std::uint32_t lanes = 0;
  for_each_lane(at.active, [&](std::uint32_t lane) {
    bool is_new = true;
    for_each_lane(lanes, [&](std::uint32_t other) { is_new = is_new && !same(lane, other); });
    if (is_new) lanes |= 1U << lane;
  });
  return lanes;
}

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
                            std::uint64_t bytes) const {
  const std::uint64_t size = memory_.shared_bytes();
  if (address + bytes > size)
    faults_.raise(at, lane,
                  fmt::format("{} bytes at {:#x} of {} bytes of shared memory", bytes, address, size));
  return memory_.shared_at(address);
}

// Returns the blocks of a multicast; 0: the copy is none.
std::uint32_t CopyUnit::multicast_of(const WarpStep& at, std::uint32_t lane) const {
  if (!at.step.statement->has(kMulticast)) return 0;
  const auto blocks =
      static_cast<std::uint32_t>(lane_value(at, at.step.source[at.step.sources - 1U], lane)) & 0xffffU;
  const std::uint32_t size = memory_.cluster() == nullptr ? 1 : memory_.cluster()->cluster().size();
  if (blocks == 0 || blocks >> size != 0)
    faults_.raise(at, lane, fmt::format("a multicast to the blocks {:#x} of a cluster of {}", blocks, size));
  return blocks;
}

// Without a multicast, the address may be one in another block of the cluster. The barrier object lies in the
// same block, and so do those of a multicast.
CopyUnit::Target CopyUnit::target_of(const WarpStep& at, std::uint32_t lane, std::uint32_t address) const {
  const Row& row = at.step.source[at.step.kind == Step::Kind::kTensorCopy ? 2 : 3];
  Target target;
  target.address = address;
  target.barrier = static_cast<std::uint32_t>(lane_value(at, row, lane) +
                                              state_.code.accesses[at.step.index].barrier_offset);
  const std::uint32_t multicast = multicast_of(at, lane);
  const ClusterMember* const cluster = memory_.cluster();
  if (cluster == nullptr) {
    barriers_.check(at, lane, target.barrier);
    return target;
  }
  const ClusterPlace to = cluster->place_of(address);
  constexpr std::uint32_t kBarrierBytes = sizeof(std::uint64_t);
  const ClusterPlace barrier = cluster->place_of(at, lane, target.barrier, kBarrierBytes, kBarrierBytes);
  if (to.rank != barrier.rank || (multicast != 0 && to.rank != cluster->rank()))
    faults_.raise(
        at, lane,
        fmt::format("a copy to block {} of the cluster that arrives at a barrier object of block {}{}",
                    to.rank, barrier.rank,
                    multicast == 0 ? "" : "; a multicast names addresses of its own block"));
  target.blocks = multicast != 0 ? multicast : 1U << to.rank;
  target.address = to.offset;
  target.barrier = barrier.offset;
  if ((target.blocks >> cluster->rank() & 1U) != 0) barriers_.check(at, lane, target.barrier);
  return target;
}

template <typename Visit>
void CopyUnit::for_each_block(const WarpStep& at, std::uint32_t lane, const Target& target, Visit visit) {
  const ClusterMember* const cluster = memory_.cluster();
  if (cluster == nullptr) return visit(memory_);
  for_each_lane(target.blocks, [&](std::uint32_t rank) { visit(cluster->memory_of(at, lane, rank)); });
}

void CopyUnit::arrive(std::uint32_t blocks, std::uint32_t barrier, std::uint32_t bytes) {
  ClusterMember* const cluster = memory_.cluster();
  if (cluster == nullptr) return barriers_.receive(barrier, bytes);
  for_each_lane(blocks, [&](std::uint32_t rank) {
    if (rank == cluster->rank())
      barriers_.receive(barrier, bytes);
    else
      cluster->send({ClusterMessage::Kind::kBytes, static_cast<std::uint8_t>(rank), 0, 0, barrier, bytes});
  });
}

void CopyUnit::start_copy(BulkCopy copy, const Target& target, std::uint32_t bytes) {
  auto free = std::find_if(under_way_.begin(), under_way_.end(), [](const UnderWay& is) { return !is.open; });
  if (free == under_way_.end()) free = under_way_.insert(free, UnderWay{});
  *free = {true, copy.is_store, target.blocks, target.barrier, bytes};
  copy.number = static_cast<std::uint64_t>(free - under_way_.begin());
  started_.push_back(std::move(copy));
}

// A copy of 0 bytes is complete at once, and started() does not have it.
void CopyUnit::copy_bulk(const WarpStep& at) {
  const Access& access = state_.code.accesses[at.step.index];
  BulkCopy copy;
  copy.is_store = stores_in_bulk(at.step.statement->opcode);
  const std::uint32_t element = bytes_of(at.step.statement->type);
  if (access.atomic != nullptr) copy.reduced_bytes = static_cast<std::uint8_t>(element);
  started_.clear();
  for_each_lane(copying_lanes(at), [&](std::uint32_t lane) {
    const Address global = lane_value(at, at.step.source[0], lane) + access.offset;
    const auto address =
        static_cast<std::uint32_t>(lane_value(at, at.step.source[1], lane) + access.shared_offset);
    const auto bytes = static_cast<std::uint32_t>(lane_value(at, at.step.source[2], lane));
    if (global % kBulkAlignment != 0 || address % kBulkAlignment != 0 || bytes % kBulkAlignment != 0)
      faults_.raise(at, lane,
                    fmt::format("a copy of {} bytes between {:#x} and {:#x} of shared memory; the three are "
                                "multiples of {}",
                                bytes, global, address, kBulkAlignment));
    const Target target = copy.is_store ? Target{1, address, 0} : target_of(at, lane, address);
    if (bytes == 0) return;
    std::byte* const there = device(at, lane, global, bytes);
    std::byte* const here = shared(at, lane, target.address, bytes);
    if (access.atomic != nullptr)
      reduce(access.atomic, element, there, here, bytes);
    else if (copy.is_store)
      std::memcpy(there, here, bytes);
    else
      for_each_block(at, lane, target, [&](BlockMemory& memory) {
        std::memcpy(memory.shared_at(target.address), there, bytes);
      });
    copy.pieces = {{global, bytes}};
    start_copy(copy, target, bytes);
  });
}

CopyUnit::Box CopyUnit::box_of(const WarpStep& at, std::uint32_t lane) const {
  const Statement& statement = *at.step.statement;
  const Address place = lane_value(at, at.step.source[0], lane);
  if (place % TensorMap::kAlignment != 0)
    faults_.raise(
        at, lane,
        fmt::format("a tensor map at {:#x}, which is no multiple of {}", place, TensorMap::kAlignment));
  EncodedTensorMap bytes;
  memory_.read_generic(at, lane, place, bytes.data(), TensorMap::kBytes);
  const std::optional<TensorMap> map = decode(bytes);
  if (!map) faults_.raise(at, lane, fmt::format("no tensor map at {:#x}", place));
  if (map->dimensions != statement.width)
    faults_.raise(
        at, lane,
        fmt::format("{} coordinates of a tensor of {} dimensions", statement.width, map->dimensions));
  Box box;
  box.map = *map;
  for (std::size_t d = 0; d < map->dimensions; ++d)
    box.at[d] = static_cast<std::int32_t>(lane_value(at, at.step.destination[d], lane));
  const auto address = static_cast<std::uint32_t>(lane_value(at, at.step.source[1], lane) +
                                                  state_.code.accesses[at.step.index].shared_offset);
  box.target = stores_in_bulk(statement.opcode) ? Target{1, address, 0} : target_of(at, lane, address);
  if (box.target.address % kBoxAlignment != 0)
    faults_.raise(at, lane,
                  fmt::format("a box at {:#x} of shared memory, which is no multiple of {}",
                              box.target.address, kBoxAlignment));
  shared(at, lane, box.target.address, map->rows_of_box() * map->row_pitch());
  if (statement.opcode != Opcode::kTensorReduce) return box;
  box.type = reduced_type(map->element, statement.variant);
  if (box.type == Type::kNone)
    faults_.raise(at, lane, "a reduction that the type of the tensor's elements does not have");
  Statement reduction = statement;
  reduction.type = box.type;
  box.reduce = atomic_lanes(reduction, false);
  return box;
}

// A box without elements in the array is complete when its copy issues, and started() does not have it.
void CopyUnit::copy_tensor(const WarpStep& at) {
  started_.clear();
  for_each_lane(copying_lanes(at), [&](std::uint32_t lane) {
    const Box box = box_of(at, lane);
    BulkCopy copy;
    copy.is_store = stores_in_bulk(at.step.statement->opcode);
    if (box.reduce != nullptr) copy.reduced_bytes = static_cast<std::uint8_t>(bytes_of(box.type));
    const BoxRows rows(box.map, box.at);
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const BoxRow row = rows[i];
      if (copy.is_store)
        store_row(at, lane, box, row);
      else
        load_row(at, lane, box, row);
      if (row.bytes == 0) continue;
      if (!copy.pieces.empty() && copy.pieces.back().address + copy.pieces.back().bytes == row.address)
        copy.pieces.back().bytes += row.bytes;
      else
        copy.pieces.push_back({row.address, row.bytes});
    }
    const auto bytes = static_cast<std::uint32_t>(box.map.bytes_of_box());
    if (!copy.pieces.empty())
      start_copy(std::move(copy), box.target, bytes);
    else if (!copy.is_store)
      arrive(box.target.blocks, box.target.barrier, bytes);
  });
}

void CopyUnit::load_row(const WarpStep& at, std::uint32_t lane, const Box& box, const BoxRow& row) {
  const std::uint32_t bytes = box.map.row_bytes();
  row_.resize(bytes);
  for (std::uint32_t i = 0; i < bytes; ++i) row_[i] = fill_byte(box.map, i);
  if (row.bytes != 0)
    std::memcpy(row_.data() + row.begin, device(at, lane, row.address, row.bytes), row.bytes);
  for_each_block(at, lane, box.target, [&](BlockMemory& memory) {
    for (std::uint32_t i = 0; i < bytes; i += kBulkAlignment)
      std::memcpy(memory.shared_at(swizzled(box.target.address + row.offset + i, box.map.swizzle)),
                  row_.data() + i, kBulkAlignment);
  });
}

void CopyUnit::store_row(const WarpStep& at, std::uint32_t lane, const Box& box, const BoxRow& row) {
  if (row.bytes == 0) return;
  const std::uint32_t bytes = box.map.row_bytes();
  row_.resize(bytes);
  for (std::uint32_t i = 0; i < bytes; i += kBulkAlignment)
    std::memcpy(row_.data() + i,
                memory_.shared_at(swizzled(box.target.address + row.offset + i, box.map.swizzle)),
                kBulkAlignment);
  std::byte* const there = device(at, lane, row.address, row.bytes);
  if (box.reduce != nullptr)
    reduce(box.reduce, bytes_of(box.type), there, row_.data() + row.begin, row.bytes);
  else
    std::memcpy(there, row_.data() + row.begin, row.bytes);
}

void CopyUnit::complete(std::uint64_t number) {
  UnderWay& copy = under_way_[number];
  copy.open = false;
  if (!copy.is_store) arrive(copy.blocks, copy.barrier, copy.bytes);
}

bool CopyUnit::has_copies() const {
  return std::any_of(under_way_.begin(), under_way_.end(), [](const UnderWay& copy) { return copy.open; });
}

}  // namespace heddle::ptx
