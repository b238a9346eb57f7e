#include "stimuli/ptx/execute/matrix_unit.h"

#include <cstring>

#include "stimuli/ptx/execute/generic_addresses.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kRowsOfMatrix = 8;  // of ldmatrix and stmatrix, each of 8 elements of 16 bits
constexpr std::uint32_t kLanesOfRow = 4;

// Returns the address of an element of the fragment.
Address address_of(const MatrixStep& matrix, Layout layout, std::uint32_t lane, std::uint32_t element,
                   Address base, std::uint64_t stride) {
  const FragmentInfo& info = matrix.fragment.info;
  const std::uint32_t place = matrix.fragment.places[lane * info.elements() + element];
  const std::uint64_t row = place / info.columns;
  const std::uint64_t column = place % info.columns;
  const std::uint64_t at = layout == Layout::kColumns ? column * stride + row : row * stride + column;
  return base + at * bytes_of(info.element);
}

}  // namespace

void MatrixUnit::check_all_active(const WarpStep& at) const {
  if (at.active != kEveryLane)
    faults_.raise(at, at.first_lane(), "a matrix instruction without all 32 lanes of its warp");
}

MatrixUnit::Bases MatrixUnit::bases_of(const WarpStep& at, const MatrixStep& matrix,
                                       IssuedInstruction& issued) const {
  Bases bases;
  bases.space = matrix.space;
  const bool placed = matrix.address.base != RowBase::kNull;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    bases.addresses[lane] = matrix.offset + (placed ? lane_value(at, matrix.address, lane) : 0);
    bases.strides[lane] =
        matrix.stride.base == RowBase::kNull ? matrix.default_stride : lane_value(at, matrix.stride, lane);
  }
  std::uint64_t window = 0;
  if (matrix.space == Space::kGeneric) {
    bases.space = space_of_generic(bases.addresses[0]);
    window = window_of(bases.space);
    const bool shared = bases.space == Space::kShared;
    issued.code = &matrix.resolved[shared ? 1 : bases.space == Space::kLocal ? 2 : 0];
  }
  for (Address& address : bases.addresses) {
    address -= window;
    if (bases.space == Space::kShared) address = static_cast<std::uint32_t>(address);
  }
  return bases;
}

// Calls element(lane, register, bit position, bytes in memory) for the elements in the registers of the part.
template <typename Visit>
void MatrixUnit::visit_elements(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                                Visit element) const {
  const FragmentInfo& info = matrix.fragment.info;
  const Layout layout = at.step.statement->layout;
  const std::uint32_t bytes = bytes_of(info.element);
  const std::uint32_t first = matrix.access.first_register * info.per_register;
  const std::uint32_t count = matrix.access.registers * info.per_register;
  const bool together = count * bytes == matrix.access.bytes;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    std::byte* place = nullptr;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Address address =
          address_of(matrix, layout, lane, first + i, bases.addresses[lane], bases.strides[lane]);
      if (together && i > 0)
        place += bytes;
      else
        place = memory_.place_of(at, bases.space, lane, address, together ? matrix.access.bytes : bytes);
      element(lane, i / info.per_register, i % info.per_register * 8 * bytes, place);
    }
  }
}

void MatrixUnit::set_addresses(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                               IssuedInstruction& issued) {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    issued.addresses[lane] = address_of(matrix, at.step.statement->layout, lane, matrix.access.first_element,
                                        bases.addresses[lane], bases.strides[lane]);
}

void MatrixUnit::load(const WarpStep& at, IssuedInstruction& issued) const {
  check_all_active(at);
  const MatrixStep& matrix = state_.code.matrices[at.step.index];
  const Bases bases = bases_of(at, matrix, issued);
  if (at.step.statement->opcode == Opcode::kLdmatrix) return load_rows(at, matrix, bases, issued);
  const std::size_t bytes = bytes_of(matrix.fragment.info.element);
  std::array<std::array<std::uint64_t, kLanes>, MatrixStep::kMostRegisters> words{};
  visit_elements(at, matrix, bases,
                 [&](std::uint32_t lane, std::uint32_t number, std::uint32_t bit, const std::byte* from) {
                   std::uint64_t value = 0;
                   std::memcpy(&value, from, bytes);
                   words[number][lane] |= value << bit;
                 });
  for (std::uint32_t i = 0; i < matrix.access.registers; ++i) {
    const Row& row = matrix.d[i];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      std::memcpy(at.warp.at(row) + lane * (row.wide ? 8 : 4), &words[i][lane], row.wide ? 8 : 4);
  }
  set_addresses(at, matrix, bases, issued);
}

// Lanes 8i to 8i + 7 have the addresses of the rows of matrix i (PTX ISA, "ldmatrix" and "stmatrix"). Calls
// half(lane, register, number in the register, place in memory) for each element of 16 bits.
template <typename Visit>
void MatrixUnit::visit_rows(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                            IssuedInstruction& issued, Visit half) const {
  const bool transposed = at.step.statement->has(kTransposed);
  const std::uint32_t rows = matrix.fragment.info.registers * kRowsOfMatrix;
  std::array<std::byte*, kLanes> places{};
  for (std::uint32_t row = 0; row < rows; ++row)
    places[row] = memory_.place_of(at, bases.space, row, bases.addresses[row], kMatrixRowBytes);
  for (std::uint32_t i = 0; i < matrix.fragment.info.registers; ++i)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t j = 0; j < 2; ++j) {
        const std::uint32_t first = lane / kLanesOfRow;
        const std::uint32_t second = lane % kLanesOfRow * 2 + j;
        const std::uint32_t row = i * kRowsOfMatrix + (transposed ? second : first);
        half(lane, i, j, places[row] + std::size_t{2} * (transposed ? first : second));
      }
  issued.addresses = bases.addresses;
  issued.mask = rows == kLanes ? kEveryLane : (1U << rows) - 1;
}

void MatrixUnit::load_rows(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                           IssuedInstruction& issued) const {
  std::array<std::array<std::uint64_t, kLanes>, 4> words{};  // by register and lane
  visit_rows(at, matrix, bases, issued,
             [&](std::uint32_t lane, std::uint32_t i, std::uint32_t j, const std::byte* from) {
               std::uint16_t value = 0;
               std::memcpy(&value, from, sizeof value);
               words[i][lane] |= std::uint64_t{value} << (16 * j);
             });
  for (std::uint32_t i = 0; i < matrix.fragment.info.registers; ++i)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const Row& to = matrix.d[i];
      std::memcpy(at.warp.at(to) + std::size_t{lane} * (to.wide ? 8 : 4), &words[i][lane], to.wide ? 8 : 4);
    }
}

void MatrixUnit::store_rows(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                            IssuedInstruction& issued) const {
  visit_rows(at, matrix, bases, issued,
             [&](std::uint32_t lane, std::uint32_t i, std::uint32_t j, std::byte* to) {
               const auto value = static_cast<std::uint16_t>(lane_value(at, matrix.c[i], lane) >> (16 * j));
               std::memcpy(to, &value, sizeof value);
             });
}

void MatrixUnit::store(const WarpStep& at, IssuedInstruction& issued) const {
  check_all_active(at);
  const MatrixStep& matrix = state_.code.matrices[at.step.index];
  const Bases bases = bases_of(at, matrix, issued);
  if (at.step.statement->opcode == Opcode::kStmatrix) return store_rows(at, matrix, bases, issued);
  const std::size_t bytes = bytes_of(matrix.fragment.info.element);
  visit_elements(at, matrix, bases,
                 [&](std::uint32_t lane, std::uint32_t number, std::uint32_t bit, std::byte* to) {
                   const std::uint64_t value = lane_value(at, matrix.c[number], lane) >> bit;
                   std::memcpy(to, &value, bytes);
                 });
  set_addresses(at, matrix, bases, issued);
}

void MatrixUnit::multiply(const WarpStep& at) const {
  check_all_active(at);
  const MatrixStep& matrix = state_.code.matrices[at.step.index];
  std::array<std::array<void*, MatrixStep::kMostRegisters>, 4> rows{};
  const std::array<const MatrixStep::Rows*, 4> fragments{&matrix.d, &matrix.a, &matrix.b, &matrix.c};
  for (std::size_t i = 0; i < fragments.size(); ++i)
    for (std::size_t j = 0; j < MatrixStep::kMostRegisters; ++j)
      if ((*fragments[i])[j].base != RowBase::kNull) rows[i][j] = at.warp.at((*fragments[i])[j]);
  multiply_matrices(*at.step.statement, matrix.tables,
                    {rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data()});
}

}  // namespace heddle::ptx
