#include "stimuli/ptx/lanes/lane_group_product.h"

#include "stimuli/ptx/lanes/matrix_numbers.h"

namespace heddle::ptx {
namespace {

template <typename Number>
std::vector<Number> numbers_of(const std::vector<std::uint32_t>& bits, Type type, bool negates) {
  std::vector<Number> numbers(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const auto number = static_cast<Number>(lanes::number_of(type, bits[i]));
    numbers[i] = negates ? -number : number;
  }
  return numbers;
}

template <typename Number, typename Step>
void multiply_numbers(const Statement& statement, GroupScales scales, GroupElements& elements, Step step) {
  const auto a = numbers_of<Number>(elements.a, statement.source_type, scales.negates_a);
  const auto b = numbers_of<Number>(elements.b, statement.other_type, scales.negates_b);
  std::vector<float> d(elements.d.size());
  if (scales.adds) d = numbers_of<float>(elements.d, statement.type, false);
  lanes::accumulate(size_of(statement.shape), a.data(), b.data(), d.data(), step);
  for (std::size_t i = 0; i < d.size(); ++i)
    elements.d[i] = lanes::bits_of_sum(d[i], statement.type == Type::kF16);
}

std::vector<std::int32_t> integers_of(const std::vector<std::uint32_t>& bits, Type type) {
  std::vector<std::int32_t> numbers(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    numbers[i] = type == Type::kS8 ? static_cast<std::int8_t>(bits[i]) : static_cast<std::uint8_t>(bits[i]);
  return numbers;
}

void multiply_integers_of_group(const Statement& statement, GroupScales scales, GroupElements& elements) {
  const std::vector<std::int32_t> a = integers_of(elements.a, statement.source_type);
  const std::vector<std::int32_t> b = integers_of(elements.b, statement.other_type);
  std::vector<std::int64_t> d(elements.d.size());
  for (std::size_t i = 0; scales.adds && i < d.size(); ++i) d[i] = static_cast<std::int32_t>(elements.d[i]);
  lanes::accumulate(size_of(statement.shape), a.data(), b.data(), d.data(), lanes::kAddIntegerProduct);
  for (std::size_t i = 0; i < d.size(); ++i)
    elements.d[i] = lanes::bits_of_sum(d[i], statement.has(kSatFinite));
}

}  // namespace

void multiply_group(const Statement& statement, GroupScales scales, GroupElements& elements) {
  switch (statement.source_type) {
    case Type::kS8:
    case Type::kU8:
      return multiply_integers_of_group(statement, scales, elements);
    case Type::kBf16:
    case Type::kTf32:
      return multiply_numbers<double>(statement, scales, elements, lanes::kAddWideProduct);
    default:
      return multiply_numbers<float>(statement, scales, elements, lanes::kAddExactProduct);
  }
}

}  // namespace heddle::ptx
