#include "stimuli/ptx/execute/group_unit.h"

#include <cstring>

#include "stimuli/ptx/statements/group_product.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kChunkBytes = MatrixDescriptor::kChunkBytes;

// Calls visit(place in the matrix, register, bit position) for each element of the fragment of a lane.
template <typename Visit>
void visit_elements(const FragmentTable& table, std::uint32_t lane, Visit visit) {
  const FragmentInfo& info = table.info;
  const std::uint32_t bits = bits_of(info.element);
  for (std::uint32_t i = 0; i < info.elements(); ++i)
    visit(table.places[lane * info.elements() + i], i / info.per_register, i % info.per_register * bits);
}

void read_registers(const WarpStep& at, const FragmentTable& table, const std::vector<Row>& rows,
                    std::vector<std::uint32_t>& elements) {
  const std::uint32_t bits = bits_of(table.info.element);
  const std::uint32_t mask = bits == 32 ? ~0U : (1U << bits) - 1;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    visit_elements(table, lane, [&](std::uint32_t place, std::uint32_t number, std::uint32_t bit) {
      elements[place] = static_cast<std::uint32_t>(lane_value(at, rows[number], lane) >> bit) & mask;
    });
}

void write_registers(const WarpStep& at, const FragmentTable& table, const std::vector<Row>& rows,
                     const std::vector<std::uint32_t>& elements) {
  std::vector<std::uint64_t> words(rows.size());
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    words.assign(rows.size(), 0);
    visit_elements(table, lane, [&](std::uint32_t place, std::uint32_t number, std::uint32_t bit) {
      words[number] |= std::uint64_t{elements[place]} << bit;
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t bytes = rows[i].wide ? 8 : 4;
      std::memcpy(at.warp.at(rows[i]) + lane * bytes, &words[i], bytes);
    }
  }
}

}  // namespace

// Of 16 bytes the elements follow each other along k, or across lines.
template <typename Visit>
void GroupUnit::read_lines(const WarpStep& at, const Lines& lines, Visit visit) {
  const std::uint32_t in_chunk = kChunkBytes / lines.bytes;
  const std::uint32_t depth = kGroupBytes / lines.bytes;
  const auto read = [&](std::uint32_t line, std::uint32_t chunk, auto element) {
    const Address address = lines.matrix.place_of(line, chunk, lines.is_k_major);
    const std::byte* from = memory_.place_of(at, Space::kShared, 0, address, kChunkBytes);
    for (std::uint32_t i = 0; i < in_chunk; ++i, from += lines.bytes) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, from, lines.bytes);
      element(i, bits);
    }
  };
  if (lines.is_k_major) {
    for (std::uint32_t line = 0; line < lines.count; ++line)
      for (std::uint32_t chunk = 0; chunk < depth / in_chunk; ++chunk)
        read(lines.first + line, chunk,
             [&](std::uint32_t i, std::uint32_t bits) { visit(line, chunk * in_chunk + i, bits); });
    return;
  }
  for (std::uint32_t k = 0; k < depth; ++k)
    for (std::uint32_t chunk = 0; chunk < lines.count / in_chunk; ++chunk)
      read(k, lines.first / in_chunk + chunk,
           [&](std::uint32_t i, std::uint32_t bits) { visit(chunk * in_chunk + i, k, bits); });
}

void GroupUnit::read_a(const WarpStep& at, const GroupStep& group) {
  const MatrixSize size = size_of(at.step.statement->shape);
  elements_.a.resize(std::size_t{size.m} * size.k);
  if (!group.a.empty()) return read_registers(at, group.a_table, group.a, elements_.a);
  const Lines lines{MatrixDescriptor(lane_value(at, group.a_descriptor, 0)), group.a_is_k_major,
                    at.number % kGroupWarps * kRowsOfWarp, kRowsOfWarp,
                    bytes_of(at.step.statement->source_type)};
  read_lines(at, lines, [&](std::uint32_t line, std::uint32_t k, std::uint32_t bits) {
    elements_.a[line * size.k + k] = bits;
  });
}

void GroupUnit::read_b(const WarpStep& at, const GroupStep& group) {
  const MatrixSize size = size_of(at.step.statement->shape);
  elements_.b.resize(std::size_t{size.k} * size.n);
  const Lines lines{MatrixDescriptor(lane_value(at, group.b_descriptor, 0)), group.b_is_k_major, 0, size.n,
                    bytes_of(at.step.statement->other_type)};
  read_lines(at, lines, [&](std::uint32_t line, std::uint32_t k, std::uint32_t bits) {
    elements_.b[k * size.n + line] = bits;
  });
}

void GroupUnit::multiply(const WarpStep& at) {
  if (at.active != kEveryLane)
    faults_.raise(at, at.first_lane(), "wgmma.mma_async without all 32 lanes of its warp");
  const std::uint32_t end = (at.number / kGroupWarps + 1) * kGroupWarps;  // of the warps of the warpgroup
  if (state_.launch.block.count() < std::uint64_t{end} * kLanes)
    faults_.raise(at, 0, "wgmma.mma_async without the four warps of its warpgroup");
  const GroupStep& group = state_.code.groups[at.step.index];
  const Statement& statement = *at.step.statement;
  read_a(at, group);
  read_b(at, group);
  GroupScales scales = group.scales;
  scales.adds = (lane_value(at, group.adds, 0) & 1) != (group.adds_negated ? 1U : 0U);
  elements_.d.resize(std::size_t{group.d_table.info.rows} * group.d_table.info.columns);
  if (scales.adds) read_registers(at, group.d_table, group.d, elements_.d);
  multiply_group(statement, scales, elements_);
  write_registers(at, group.d_table, group.d, elements_.d);
  ++progress_[at.number].products;
}

void GroupUnit::commit(std::uint32_t warp) {
  Progress& own = progress_[warp];
  own.ends[own.groups % own.ends.size()] = own.products;
  ++own.groups;
}

bool GroupUnit::waits(const WarpStep& at) const {
  const Progress& own = progress_[at.number];
  const std::uint64_t newest = lane_value(at, at.step.source[0], 0);  // the groups that are not waited for
  if (own.groups <= newest || newest >= own.ends.size()) return false;
  const std::uint64_t needed = own.ends[(own.groups - newest - 1) % own.ends.size()];
  const std::uint32_t first = at.number / kGroupWarps * kGroupWarps;
  for (std::uint32_t warp = first; warp < first + kGroupWarps && warp < progress_.size(); ++warp)
    if (progress_[warp].products < needed) return true;
  return false;
}

}  // namespace heddle::ptx
