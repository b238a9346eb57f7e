#pragma once
// The numbers of launch files, and the types they have in memory.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle {

using Number = std::variant<std::int64_t, double>;

inline bool is_whole(const Number& number) {
  return number.index() == 0;
}
double real_of(const Number& number);
std::string text_of(const Number& number);  // "17", "0.5"

// A computation or a value that is not possible; the message says why, without a place.
class NumberError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// In the order of kernels::Element.
enum class ElementType : std::uint8_t { kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF32, kF64 };
const std::vector<std::string>& element_names();  // in the order of ElementType: "u8"
const char* name_of(ElementType type);
ElementType element_named(const std::string& name);  // of element_names()
std::uint64_t bytes_of(ElementType type);
bool is_real(ElementType type);

// Little-endian. A value that the type does not hold (reals are rounded to f32) throws NumberError.
void store(ElementType type, const Number& number, std::byte* to);
Number load(ElementType type, const std::byte* from);  // a u64 from 2^63 on becomes a double

}  // namespace heddle
