#pragma once
// Contents of buffers. The same arguments give the same bytes on every machine. A value that the type does
// not hold throws NumberError.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/core/base/random.h"
#include "stimuli/launch/number.h"

namespace heddle {

struct Array {
  ElementType type = ElementType::kU8;
  std::vector<std::byte> bytes;

  std::uint64_t count() const { return bytes.size() / bytes_of(type); }
};

// T: the type's own.
template <typename T>
Array array_of(ElementType type, const std::vector<T>& values) {
  Array array{type, std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

namespace generators {

Array constant(ElementType type, std::uint64_t count, const Number& value);
// start, start + step, ...
Array linear(ElementType type, std::uint64_t count, const Number& start, const Number& step);
// Reals from low (included) to high (not); integers from low to high (both included).
Array uniform(ElementType type, std::uint64_t count, const Number& low, const Number& high, Random random);
Array sorted(ElementType type, std::uint64_t count, const Number& low, const Number& high, Random random);
// 0 .. count - 1, each once.
Array permutation(ElementType type, std::uint64_t count, Random random);
// 1 with this probability, else 0.
Array flags(ElementType type, std::uint64_t count, double share, Random random);
// A matrix of side * side, row by row: -1 .. 1, and on the diagonal `side` more, so that it needs no pivots.
Array diagonally_dominant(ElementType type, std::uint64_t side, Random random);

}  // namespace generators

}  // namespace heddle
