#pragma once
// The writer of typed values to JSON: see json_fields.h.

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

// Both return JSON as text. Bytes that are not UTF-8 become U+FFFD, and a number that is not finite becomes
// null.
std::string json_line(const nlohmann::ordered_json& json);  // one line without a line feed
std::string json_file(const nlohmann::ordered_json& json);  // indented by two blanks, with a final line feed

// Writes the fields of one object.
class FieldWriter {
 public:
  using Json = nlohmann::ordered_json;

  template <class T>
  void field(const char* key, const T& value) {
    json_[key] = json_of(value);
  }
  // optional() writes no key if there is no value, and list() writes none if there is no element.
  template <class T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) field(key, *value);
  }
  template <class T>
  void list(const char* key, const std::vector<T>& values) {
    if (!values.empty()) field(key, values);
  }
  // Writes an object; `body` writes its fields.
  template <class Body>
  void object(const char* key, Body body) {
    FieldWriter inner;
    body(inner);
    json_[key] = std::move(inner.json_);
  }
  // Returns the value, or null if there is none. The caller writes the fields of the value into this object,
  // all of them or none. A reader decides by the presence of `key`, one of these fields.
  template <class T>
  const T* part(const char*, const std::optional<T>& value) {
    return value ? &*value : nullptr;
  }

  const Json& json() const { return json_; }

  template <class T>
  static Json json_of(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<T, std::string>) {
      return value;
    } else {
      return made(value);
    }
  }

 private:
  template <class T>
  static Json made(const std::optional<T>& value) {
    return value ? json_of(*value) : Json(nullptr);
  }
  template <class T>
  static Json made(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(json_of(value));
    return list;
  }
  template <class T>
  static std::enable_if_t<std::is_enum_v<T>, Json> made(const T& value) {
    return name_of(value);
  }
  template <class T>
  static std::enable_if_t<std::is_class_v<T>, Json> made(const T& value) {
    FieldWriter writer;
    fields(writer, value);
    return std::move(writer.json_);
  }

  Json json_ = Json::object();
};

}  // namespace heddle
