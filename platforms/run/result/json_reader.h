#pragma once
// The reader of typed values from JSON: see json_fields.h.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "platforms/run/result/codec_error.h"

namespace heddle {

nlohmann::ordered_json parse_json(const std::string& text);  // throws CodecError

// Reads the fields of one object. finish() throws CodecError if the object has a key that no call has read.
class FieldReader {
 public:
  using Json = nlohmann::ordered_json;

  FieldReader(const Json& json, std::string place);

  template <class T>
  void field(const char* key, T& value) {
    read(take(key), place_of(key), value);
  }
  template <class T>
  void optional(const char* key, std::optional<T>& value) {
    if (has(key)) field(key, value.emplace());
  }
  template <class T>
  void list(const char* key, std::vector<T>& values) {
    if (has(key)) field(key, values);
  }
  template <class Body>
  void object(const char* key, Body body) {
    FieldReader inner(take(key), place_of(key));
    body(inner);
    inner.finish();
  }
  template <class T>
  T* part(const char* key, std::optional<T>& value) {
    return has(key) ? &value.emplace() : nullptr;
  }

  void finish() const;

  template <class T>
  static void read(const Json& json, const std::string& place, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = flag(json, place);
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(count(json, place, std::numeric_limits<T>::max()));
    } else if constexpr (std::is_floating_point_v<T>) {
      value = number(json, place);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text(json, place);
    } else {
      fill(json, place, value);
    }
  }

 private:
  bool has(const char* key) const { return json_.contains(key); }
  const Json& take(const char* key);
  std::string place_of(const std::string& key) const;

  static bool flag(const Json& json, const std::string& place);
  static std::uint64_t count(const Json& json, const std::string& place, std::uint64_t most);
  static double number(const Json& json, const std::string& place);
  static std::string text(const Json& json, const std::string& place);
  [[noreturn]] static void fail_choice(const std::string& place, const std::string& value);
  static void must_be_list(const Json& json, const std::string& place);

  template <class T>
  static void fill(const Json& json, const std::string& place, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) read(json, place, value.emplace());
  }
  template <class T>
  static void fill(const Json& json, const std::string& place, std::vector<T>& values) {
    must_be_list(json, place);
    values.clear();
    for (const Json& element : json) {
      const std::string at = fmt::format("{}[{}]", place, values.size());
      read(element, at, values.emplace_back());
    }
  }
  // An enumeration is read by name; values_of() lists its values.
  template <class T>
  static std::enable_if_t<std::is_enum_v<T>> fill(const Json& json, const std::string& place, T& value) {
    const std::string name = text(json, place);
    for (const T known : values_of(T{}))
      if (name == name_of(known)) {
        value = known;
        return;
      }
    fail_choice(place, name);
  }
  template <class T>
  static std::enable_if_t<std::is_class_v<T>> fill(const Json& json, const std::string& place, T& value) {
    FieldReader reader(json, place);
    fields(reader, value);
    reader.finish();
  }

  const Json& json_;
  const std::string place_;
  std::vector<std::string> taken_;
};

}  // namespace heddle
