#include "stimuli/expression/element_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle {

namespace {

template <typename T>
void store_whole(std::int64_t value, ElementType type, std::byte* to) {
  bool fits = true;
  if constexpr (!std::is_signed_v<T>)
    fits = value >= 0 && static_cast<std::uint64_t>(value) <= std::numeric_limits<T>::max();
  else if constexpr (sizeof(T) < sizeof(value))
    fits = value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
  if (!fits) throw NumberError(fmt::format("{} does not fit a {}", value, name_of(type)));
  const T stored = static_cast<T>(value);
  std::memcpy(to, &stored, sizeof stored);
}

template <typename T>
T loaded(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void store_real(ElementType type, double value, std::byte* to) {
  if (type == ElementType::kF64) {
    std::memcpy(to, &value, sizeof value);
    return;
  }
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
    throw NumberError(fmt::format("{} does not fit a f32", value));
  const auto single = static_cast<float>(value);
  std::memcpy(to, &single, sizeof single);
}

// Calls what(T{}) with the integer type T of `type`, and returns its result.
template <typename What>
auto with_integer(ElementType type, What what) {
  switch (type) {
    case ElementType::kU8:
      return what(std::uint8_t{});
    case ElementType::kI8:
      return what(std::int8_t{});
    case ElementType::kU16:
      return what(std::uint16_t{});
    case ElementType::kI16:
      return what(std::int16_t{});
    case ElementType::kU32:
      return what(std::uint32_t{});
    case ElementType::kI32:
      return what(std::int32_t{});
    case ElementType::kU64:
      return what(std::uint64_t{});
    default:
      return what(std::int64_t{});
  }
}

}  // namespace

const std::vector<std::string>& element_names() {
  static const std::vector<std::string> names = {"u8",  "i8",  "u16", "i16", "u32",
                                                 "i32", "u64", "i64", "f32", "f64"};
  return names;
}

const char* name_of(ElementType type) {
  return element_names()[static_cast<std::size_t>(type)].c_str();
}

ElementType element_named(const std::string& name) {
  const std::vector<std::string>& names = element_names();
  return static_cast<ElementType>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::uint64_t bytes_of(ElementType type) {
  constexpr std::array<std::uint64_t, 10> kBytes = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return kBytes[static_cast<std::size_t>(type)];
}

bool is_real(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64;
}

void store(ElementType type, const Number& number, std::byte* to) {
  if (is_real(type)) return store_real(type, real_of(number), to);
  if (!is_whole(number))
    throw NumberError(fmt::format("{} is not whole; a {} is wanted", text_of(number), name_of(type)));
  with_integer(type, [&](auto kind) {
    store_whole<decltype(kind)>(std::get<std::int64_t>(number), type, to);
    return 0;
  });
}

Number load(ElementType type, const std::byte* from) {
  if (type == ElementType::kF32) return static_cast<double>(loaded<float>(from));
  if (type == ElementType::kF64) return loaded<double>(from);
  if (type == ElementType::kU64) {
    const auto value = loaded<std::uint64_t>(from);
    if (value > std::numeric_limits<std::int64_t>::max()) return static_cast<double>(value);
  }
  return with_integer(
      type, [&](auto kind) -> Number { return static_cast<std::int64_t>(loaded<decltype(kind)>(from)); });
}

}  // namespace heddle
