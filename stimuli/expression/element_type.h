#pragma once
// The types of numbers in memory.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/expression/number.h"

namespace heddle {

// The types are in the order of kernels::Element.
enum class ElementType : std::uint8_t { kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF32, kF64 };
const std::vector<std::string>& element_names();  // "u8", ... in the order of ElementType
const char* name_of(ElementType type);
ElementType element_named(const std::string& name);  // `name` must be one of element_names()
std::uint64_t bytes_of(ElementType type);
bool is_real(ElementType type);

// Stores the number in little-endian order. Throws NumberError if the type cannot hold it. Reals are rounded
// to f32.
void store(ElementType type, const Number& number, std::byte* to);
Number load(ElementType type, const std::byte* from);  // a u64 of 2^63 or more becomes a double

}  // namespace heddle
