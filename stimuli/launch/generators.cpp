#include "stimuli/launch/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heddle::generators {

namespace {

Array make(ElementType type, std::uint64_t count) {
  return {type, std::vector<std::byte>(count * bytes_of(type))};
}

// Returns an array whose element i is value(i).
template <typename Value>
Array filled(ElementType type, std::uint64_t count, Value value) {
  Array array = make(type, count);
  const std::uint64_t bytes = bytes_of(type);
  for (std::uint64_t i = 0; i < count; ++i) store(type, value(i), array.bytes.data() + i * bytes);
  return array;
}

std::int64_t whole(const Number& number) {
  if (!is_whole(number)) throw NumberError(fmt::format("{} is not whole", text_of(number)));
  return std::get<std::int64_t>(number);
}

}  // namespace

Array constant(ElementType type, std::uint64_t count, const Number& value) {
  return filled(type, count, [&](std::uint64_t) { return value; });
}

Array linear(ElementType type, std::uint64_t count, const Number& start, const Number& step) {
  if (is_real(type)) {
    const double first = real_of(start);
    const double each = real_of(step);
    return filled(type, count,
                  [&](std::uint64_t i) -> Number { return first + static_cast<double>(i) * each; });
  }
  const std::int64_t first = whole(start);
  const std::int64_t each = whole(step);
  return filled(type, count, [&](std::uint64_t i) -> Number {
    std::int64_t value = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(i), each, &value) ||
        __builtin_add_overflow(first, value, &value))
      throw NumberError("it overflows 64 bits");
    return value;
  });
}

Array uniform(ElementType type, std::uint64_t count, const Number& low, const Number& high, Random random) {
  if (is_real(type)) {
    const double least = real_of(low);
    const double width = real_of(high) - least;
    return filled(type, count, [&](std::uint64_t) -> Number { return least + width * random.unit(); });
  }
  const std::int64_t least = whole(low);
  const std::uint64_t values =
      static_cast<std::uint64_t>(whole(high)) - static_cast<std::uint64_t>(least) + 1;
  return filled(type, count, [&](std::uint64_t) -> Number {
    const std::uint64_t draw = values == 0 ? random.next() : random.below(values);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + draw);
  });
}

Array sorted(ElementType type, std::uint64_t count, const Number& low, const Number& high, Random random) {
  const Array drawn = uniform(type, count, low, high, random);
  std::vector<Number> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = load(type, drawn.bytes.data() + i * bytes_of(type));
  std::sort(values.begin(), values.end());
  return filled(type, count, [&](std::uint64_t i) { return values[i]; });
}

Array permutation(ElementType type, std::uint64_t count, Random random) {
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  random.shuffle(order);
  return filled(type, count, [&](std::uint64_t i) -> Number { return order[i]; });
}

Array flags(ElementType type, std::uint64_t count, double share, Random random) {
  return filled(type, count, [&](std::uint64_t) -> Number { return std::int64_t{random.unit() < share}; });
}

Array diagonally_dominant(ElementType type, std::uint64_t side, Random random) {
  return filled(type, side * side, [&](std::uint64_t i) -> Number {
    const double value = 2 * random.unit() - 1;
    return i % (side + 1) == 0 ? value + static_cast<double>(side) : value;
  });
}

}  // namespace heddle::generators
