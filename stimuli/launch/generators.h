#pragma once
// This file generates the contents of buffers. The same arguments give the same bytes on every machine. A
// generator throws NumberError for a value that the type cannot hold.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/core/base/random.h"
#include "stimuli/expression/element_type.h"

namespace heddle {

struct Array {
  ElementType type = ElementType::kU8;
  std::vector<std::byte> bytes;

  std::uint64_t count() const { return bytes.size() / bytes_of(type); }
};

// Returns the values as an array. T must be the C++ type of `type`.
template <typename T>
Array array_of(ElementType type, const std::vector<T>& values) {
  Array array{type, std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

namespace generators {

// Returns `count` times the value.
Array constant(ElementType type, std::uint64_t count, const Number& value);
// Returns start, start + step, start + 2 * step, ...
Array linear(ElementType type, std::uint64_t count, const Number& start, const Number& step);
// Returns uniformly distributed numbers: reals from low to below high, integers from low to high inclusive.
Array uniform(ElementType type, std::uint64_t count, const Number& low, const Number& high, Random random);
// Returns such numbers in ascending order.
Array sorted(ElementType type, std::uint64_t count, const Number& low, const Number& high, Random random);
// Returns the integers 0 .. count - 1 in random order.
Array permutation(ElementType type, std::uint64_t count, Random random);
// Returns elements that are 1 with the probability `share`, and otherwise 0.
Array flags(ElementType type, std::uint64_t count, double share, Random random);
// Returns a matrix of side x side elements, row by row, whose elimination needs no pivoting. Elements are -1
// .. 1; those on the diagonal are larger by `side`.
Array diagonally_dominant(ElementType type, std::uint64_t side, Random random);

}  // namespace generators

}  // namespace heddle
