#pragma once
// The layout of calls in a chunk. One list of fields serves writing (Packer) and reading (Unpacker).

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

class Packer {
 public:
  explicit Packer(std::string& to) : to_(to) {}
  static std::uint32_t version() { return kCaptureVersion; }  // of the file
  template <typename T>
  void number(const T& value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    to_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void flag(bool value) { to_ += static_cast<char>(value); }
  template <typename T>
  void choice(T value, std::uint8_t /*count*/) {
    number(value);
  }
  void text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size()));
    to_ += value;
  }
  template <typename T>
  std::uint32_t size(const std::vector<T>& list) {
    number(static_cast<std::uint32_t>(list.size()));
    return static_cast<std::uint32_t>(list.size());
  }

 private:
  std::string& to_;
};

// An Unpacker throws std::runtime_error for bytes that it cannot read. The message has no place.
class Unpacker {
 public:
  Unpacker(std::string_view from, std::uint32_t version) : from_(from), version_(version) {}
  std::uint32_t version() const { return version_; }  // of the file
  bool done() const { return from_.empty(); }

  template <typename T>
  void number(T& value) {
    static_assert(std::is_integral_v<T>);
    take(&value, sizeof value);
  }
  void flag(bool& value) {
    std::uint8_t byte = 0;
    choice(byte, 2);
    value = byte == 1;
  }
  template <typename T>
  void choice(T& value, std::uint8_t count) {
    std::uint8_t byte = 0;
    take(&byte, 1);
    if (byte >= count) throw std::runtime_error("an unknown value");
    value = static_cast<T>(byte);
  }
  void text(std::string& value) {
    std::uint32_t bytes = 0;
    number(bytes);
    if (bytes > from_.size()) throw std::runtime_error("a text that ends too soon");
    value.assign(from_.substr(0, bytes));
    from_.remove_prefix(bytes);
  }
  template <typename T>
  std::uint32_t size(std::vector<T>& list) {
    std::uint32_t count = 0;
    number(count);
    if (count > from_.size()) throw std::runtime_error("a list that ends too soon");
    list.resize(count);
    return count;
  }

 private:
  void take(void* to, std::size_t bytes) {
    if (bytes > from_.size()) throw std::runtime_error("a call that ends too soon");
    std::memcpy(to, from_.data(), bytes);
    from_.remove_prefix(bytes);
  }
  std::string_view from_;
  const std::uint32_t version_;
};

template <typename Archive, typename Info>
void pack_info(Archive& archive, Info& info) {
  archive.text(info.program);
  archive.text(info.platform);
  archive.flag(info.exact);
  if (archive.version() < 3) return;
  archive.flag(info.lenient);
  archive.choice(info.order, kFunctionalOrders);
}

void pack(Packer& archive, const CapturedCall& call);
void unpack(Unpacker& archive, CapturedCall& call);

}  // namespace heddle::capture
