#include "models/stats/waves/wave_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace heddle {

namespace {

constexpr unsigned kMostBits = 64;

[[noreturn]] void misuse(const std::string& message) {
  throw std::logic_error("waveform: " + message);
}

std::string without_blanks(std::string_view name) {
  std::string plain(name);
  const auto is_blank = [](char letter) {
    return static_cast<unsigned char>(letter) <= ' ' || letter == '\x7f';
  };
  std::replace_if(plain.begin(), plain.end(), is_blank, '_');
  return plain;
}

}  // namespace

void WaveWriter::open_scope(std::string_view name) {
  if (is_started_) misuse(fmt::format("{} is declared after the first time", name));
  ++scopes_;
  write_scope(without_blanks(name));
}

void WaveWriter::close_scope() {
  write_scope_end();
}

WaveId WaveWriter::add_bits(std::string_view name, unsigned width) {
  if (width < 1 || width > kMostBits) misuse(fmt::format("{} has {} bits", name, width));
  return add(name, Kind::kBits, width);
}

WaveId WaveWriter::add_integer(std::string_view name) {
  return add(name, Kind::kInteger, kMostBits);
}

WaveId WaveWriter::add_real(std::string_view name) {
  return add(name, Kind::kReal, kMostBits);
}

WaveId WaveWriter::add(std::string_view name, Kind kind, unsigned width) {
  if (is_started_) misuse(fmt::format("{} is declared after the first time", name));
  const auto id = static_cast<WaveId>(variables_.size());
  variables_.push_back({kind, width});
  write_variable(id, without_blanks(name));
  return id;
}

void WaveWriter::advance(std::uint64_t ps) {
  if (ps < now_ps_) misuse(fmt::format("{} ps after {} ps", ps, now_ps_));
  if (!is_started_) write_start();
  is_started_ = true;
  is_time_written_ = is_time_written_ && ps == now_ps_;
  now_ps_ = ps;
}

void WaveWriter::set_bits(WaveId id, std::uint64_t value) {
  const unsigned width = variables_[static_cast<std::uint32_t>(id)].width;
  if (width < kMostBits && value >> width != 0) misuse(fmt::format("{} in {} bits", value, width));
  set(id, value);
}

void WaveWriter::set_integer(WaveId id, std::int64_t value) {
  set(id, static_cast<std::uint64_t>(value));
}

void WaveWriter::set_real(WaveId id, double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  set(id, bits);
}

void WaveWriter::set(WaveId id, std::uint64_t value) {
  if (!is_started_) misuse("a value before the first time");
  Variable& variable = variables_[static_cast<std::uint32_t>(id)];
  if (variable.has_value && variable.value == value) return;
  begin_time();
  variable.has_value = true;
  variable.value = value;
  write_change(id);
}

void WaveWriter::begin_time() {
  if (!is_time_written_) write_time(now_ps_);
  is_time_written_ = true;
}

void WaveWriter::finish(std::uint64_t end_ps) {
  advance(end_ps);
  begin_time();
  write_end();
}

}  // namespace heddle
