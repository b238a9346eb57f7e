#include "stimuli/ptx/execute/device_print.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace heddle::ptx {
namespace {

constexpr std::string_view kIntegers = "dioxXuc";
constexpr std::string_view kFloats = "fFeEgGaA";
constexpr int kMostWidth = 4096;

class Printer {
 public:
  Printer(const std::string& format, const PrintedValues& values) : format_(format), values_(values) {}

  PrintedText print() {
    while (at_ < format_.size()) {
      if (format_[at_] != '%')
        result_.text += format_[at_++];
      else
        conversion();
    }
    return result_;
  }

 private:
  std::uint64_t next(std::uint32_t bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const std::uint64_t value = values_.word(offset_, bytes);
    offset_ += bytes;
    return value;
  }

  // Reads a width or a precision, which is digits or '*'.
  void number(std::string& spec) {
    if (at_ < format_.size() && format_[at_] == '*') {
      ++at_;
      const auto value = static_cast<std::int32_t>(next(4));
      spec += std::to_string(value > kMostWidth ? kMostWidth : value < -kMostWidth ? -kMostWidth : value);
      return;
    }
    std::size_t digits = 0;
    while (at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9') {
      if (digits++ < 4) spec += format_[at_];
      ++at_;
    }
  }

  void conversion() {
    const std::size_t start = at_++;
    std::string spec = "%";
    while (at_ < format_.size() && std::strchr("-+ #0", format_[at_]) != nullptr) spec += format_[at_++];
    number(spec);
    if (at_ < format_.size() && format_[at_] == '.') {
      ++at_;
      std::string precision = ".";
      number(precision);
      if (precision[1] != '-') spec += precision;  // C ignores a negative precision
    }
    std::string length;
    while (at_ < format_.size() && std::strchr("hlLjzt", format_[at_]) != nullptr) length += format_[at_++];
    const char kind = at_ < format_.size() ? format_[at_++] : '\0';
    if (kind == '%') {
      result_.text += '%';
    } else if (kIntegers.find(kind) != std::string_view::npos) {
      integer(spec, length, kind);
    } else if (kFloats.find(kind) != std::string_view::npos) {
      const std::uint64_t bits = next(8);
      double value = 0;
      std::memcpy(&value, &bits, sizeof(value));
      put(spec + kind, value);
    } else if (kind == 's') {
      put(spec + kind, values_.text(next(8)).c_str());
    } else if (kind == 'p') {
      const std::uint64_t pointer = next(8);
      put(spec + 's', pointer == 0 ? "(nil)" : fmt::format("{:#x}", pointer).c_str());
    } else {
      result_.text += format_.substr(start, at_ - start);
    }
  }

  void integer(const std::string& spec, const std::string& length, char kind) {
    const bool wide = !length.empty() && length[0] != 'h';
    const std::uint64_t value = next(wide ? 8 : 4);
    if (kind == 'c') return put(spec + kind, static_cast<int>(value));
    if (kind != 'd' && kind != 'i') return put(spec + "ll" + kind, shorter(value, length, wide));
    const auto narrow = static_cast<std::int32_t>(value);
    long long number = wide ? static_cast<long long>(value) : narrow;
    if (length == "h") number = static_cast<std::int16_t>(narrow);
    if (length == "hh") number = static_cast<std::int16_t>(static_cast<std::uint32_t>(narrow) << 8U) / 256;
    put(spec + "ll" + kind, number);
  }

  static unsigned long long shorter(std::uint64_t value, const std::string& length, bool wide) {
    if (wide) return value;
    if (length == "h") return static_cast<std::uint16_t>(value);
    return length == "hh" ? static_cast<std::uint8_t>(value) : static_cast<std::uint32_t>(value);
  }

  template <typename Value>
  void put(const std::string& spec, Value value) {
    const int bytes =
        std::snprintf(nullptr, 0, spec.c_str(), value);  // NOLINT: the format is made of checked parts
    if (bytes > 0) {
      std::string text(static_cast<std::size_t>(bytes) + 1, '\0');
      std::snprintf(text.data(), text.size(), spec.c_str(), value);  // NOLINT
      text.pop_back();
      result_.text += text;
    }
    ++result_.values;
  }

  const std::string& format_;
  const PrintedValues& values_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
  PrintedText result_;
};

}  // namespace

PrintedText device_print(const std::string& format, const PrintedValues& values) {
  return Printer(format, values).print();
}

}  // namespace heddle::ptx
