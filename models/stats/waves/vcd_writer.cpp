#include "models/stats/waves/vcd_writer.h"

#include <cstring>
#include <iterator>
#include <ostream>

namespace heddle {

namespace {

constexpr std::size_t kFull = 65536;  // bytes of text after which they are written

// Returns the number in the printable characters '!' to '~', the lowest digit first.
std::string symbol_of(std::uint32_t number) {
  constexpr std::uint32_t kDigits = '~' - '!' + 1;
  std::string symbol;
  for (; number >= kDigits; number = number / kDigits - 1)
    symbol += static_cast<char>('!' + number % kDigits);
  return symbol + static_cast<char>('!' + number);
}

}  // namespace

VcdWriter::VcdWriter(std::ostream& out) : out_(out) {
  fmt::format_to(std::back_inserter(text_), "$version Heddle $end\n$timescale 1 ps $end\n");
}

void VcdWriter::write_scope(const std::string& name) {
  fmt::format_to(std::back_inserter(text_), "$scope module {} $end\n", name);
}

void VcdWriter::write_scope_end() {
  fmt::format_to(std::back_inserter(text_), "$upscope $end\n");
}

void VcdWriter::write_variable(WaveId id, const std::string& name) {
  const auto number = static_cast<std::uint32_t>(id);
  const Variable& variable = variables()[number];
  symbols_.push_back(symbol_of(number));
  const char* type = variable.kind == Kind::kReal      ? "real"
                     : variable.kind == Kind::kInteger ? "integer"
                                                       : "wire";
  fmt::format_to(std::back_inserter(text_), "$var {} {} {} {} $end\n", type, variable.width, symbols_.back(),
                 name);
}

void VcdWriter::write_start() {
  fmt::format_to(std::back_inserter(text_), "$enddefinitions $end\n");
  flush();
}

void VcdWriter::write_time(std::uint64_t ps) {
  if (text_.size() >= kFull) flush();
  fmt::format_to(std::back_inserter(text_), "#{}\n", ps);
}

void VcdWriter::write_change(WaveId id) {
  const auto number = static_cast<std::uint32_t>(id);
  const Variable& variable = variables()[number];
  if (variable.kind == Kind::kReal) {
    double value = 0;
    std::memcpy(&value, &variable.value, sizeof value);
    fmt::format_to(std::back_inserter(text_), "r{} {}\n", value, symbols_[number]);
  } else if (variable.width == 1) {
    fmt::format_to(std::back_inserter(text_), "{}{}\n", variable.value, symbols_[number]);
  } else {
    fmt::format_to(std::back_inserter(text_), "b{:b} {}\n", variable.value, symbols_[number]);
  }
}

void VcdWriter::write_end() {
  flush();
}

void VcdWriter::flush() {
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

}  // namespace heddle
