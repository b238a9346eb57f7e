#include "stimuli/ptx/lanes/lane_matrix.h"

#include <array>

#include "stimuli/ptx/lanes/lane_arithmetic.h"
#include "stimuli/ptx/lanes/lane_half.h"
#include "stimuli/ptx/lanes/matrix_numbers.h"

namespace heddle::ptx {
namespace {

using lanes::bits_as;

constexpr std::size_t kMostElements = 512;  // of a matrix

template <typename Number>
using Matrix = std::array<Number, kMostElements>;

// Calls element(place, bits) for the elements of a fragment.
template <typename Visit>
void visit_elements(const FragmentTable& table, const void* const* rows, Visit element) {
  const std::uint32_t bits = bits_of(table.info.element);
  const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  const std::uint32_t count = table.info.elements();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t shift = i % table.info.per_register * bits;
    const void* const row = rows[i / table.info.per_register];
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      const std::uint64_t word = bits == 64 ? static_cast<const std::uint64_t*>(row)[lane]
                                            : static_cast<const std::uint32_t*>(row)[lane] >> shift;
      element(table.places[lane * count + i], word & mask);
    }
  }
}

// Calls bits(place) for the elements of a fragment and writes what it returns to their registers.
template <typename Bits>
void write_elements(const FragmentTable& table, void* const* rows, Bits bits_at) {
  const std::uint32_t bits = bits_of(table.info.element);
  const std::uint32_t count = table.info.elements();
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane)
    for (std::uint32_t r = 0; r < table.info.registers; ++r) {
      std::uint64_t word = 0;
      for (std::uint32_t i = 0; i < table.info.per_register; ++i)
        word |= std::uint64_t{bits_at(table.places[lane * count + r * table.info.per_register + i])}
                << (i * bits % 64);
      if (bits == 64)
        static_cast<std::uint64_t*>(rows[r])[lane] = word;
      else
        static_cast<std::uint32_t*>(rows[r])[lane] = static_cast<std::uint32_t>(word);
    }
}

template <typename Number>
void read_numbers(const FragmentTable& table, const void* const* rows, Matrix<Number>& numbers) {
  visit_elements(table, rows, [&](std::uint32_t place, std::uint64_t bits) {
    numbers[place] = static_cast<Number>(lanes::number_of(table.info.element, bits));
  });
}

void write_floats(const FragmentTable& table, void* const* rows, const Matrix<float>& d) {
  const bool half = table.info.element == Type::kF16;
  write_elements(table, rows,
                 [&](std::uint32_t place) -> std::uint32_t { return lanes::bits_of_sum(d[place], half); });
}

// Products of two f16 are exact in f32.
void multiply_halves(const MatrixSize& size, const ProductTables& tables, const ProductRows& rows) {
  Matrix<float> a, b, d;
  read_numbers(tables.a, rows.a, a);
  read_numbers(tables.b, rows.b, b);
  read_numbers(tables.c, rows.c, d);
  lanes::accumulate(size, a.data(), b.data(), d.data(), lanes::kAddExactProduct);
  write_floats(tables.d, rows.d, d);
}

// Products of two bf16 or tf32 are exact in f64, and their exponents may be beyond f32.
void multiply_wide_exponents(const MatrixSize& size, const ProductTables& tables, const ProductRows& rows) {
  Matrix<double> a, b;
  Matrix<float> d;
  read_numbers(tables.a, rows.a, a);
  read_numbers(tables.b, rows.b, b);
  read_numbers(tables.c, rows.c, d);
  lanes::accumulate(size, a.data(), b.data(), d.data(), lanes::kAddWideProduct);
  write_floats(tables.d, rows.d, d);
}

void multiply_doubles(const Statement& statement, const MatrixSize& size, const ProductTables& tables,
                      const ProductRows& rows) {
  Matrix<double> a, b, d;
  read_numbers(tables.a, rows.a, a);
  read_numbers(tables.b, rows.b, b);
  read_numbers(tables.c, rows.c, d);
  const lanes::HostRounding rounding(lanes::host_rounding(statement.rounding));
  lanes::accumulate(size, a.data(), b.data(), d.data(),
                    [](double sum, double x, double y) { return std::fma(x, y, sum); });
  write_elements(tables.d, rows.d,
                 [&](std::uint32_t place) { return bits_as<std::uint64_t>(lanes::canonical(d[place])); });
}

void multiply_integers(const Statement& statement, const MatrixSize& size, const ProductTables& tables,
                       const ProductRows& rows) {
  Matrix<std::int32_t> a, b;
  Matrix<std::int64_t> d;
  const auto read = [](const FragmentTable& table, const void* const* from, auto& numbers) {
    const bool has_sign = is_signed(table.info.element);
    const std::uint32_t unused = 64 - bits_of(table.info.element);
    visit_elements(table, from, [&](std::uint32_t place, std::uint64_t bits) {
      using Number = std::decay_t<decltype(numbers[0])>;
      numbers[place] = static_cast<Number>(has_sign ? static_cast<std::int64_t>(bits << unused) >> unused
                                                    : static_cast<std::int64_t>(bits));
    });
  };
  read(tables.a, rows.a, a);
  read(tables.b, rows.b, b);
  read(tables.c, rows.c, d);
  lanes::accumulate(size, a.data(), b.data(), d.data(), lanes::kAddIntegerProduct);
  const bool clamps = statement.has(kSatFinite);
  write_elements(tables.d, rows.d, [&](std::uint32_t place) { return lanes::bits_of_sum(d[place], clamps); });
}

}  // namespace

FragmentTable fragment_table(const Statement& statement, Fragment fragment) {
  FragmentTable table;
  table.info = info_of(statement, fragment);
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane)
    for (std::uint32_t i = 0; i < table.info.elements(); ++i) {
      const MatrixPlace place = place_of(statement, table.info, lane, i);
      table.places.push_back(static_cast<std::uint16_t>(place.row * table.info.columns + place.column));
    }
  return table;
}

void multiply_matrices(const Statement& statement, const ProductTables& tables, const ProductRows& rows) {
  const MatrixSize size = size_of(statement.shape);
  switch (tables.a.info.element) {
    case Type::kF16:
      return multiply_halves(size, tables, rows);
    case Type::kBf16:
    case Type::kTf32:
      return multiply_wide_exponents(size, tables, rows);
    case Type::kF64:
      return multiply_doubles(statement, size, tables, rows);
    default:
      return multiply_integers(statement, size, tables, rows);
  }
}

}  // namespace heddle::ptx
