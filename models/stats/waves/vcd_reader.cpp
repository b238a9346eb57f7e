#include "models/stats/waves/vcd_reader.h"

#include <fmt/format.h>

#include <charconv>

namespace heddle {

namespace {

constexpr std::uint32_t kUnwatched = ~std::uint32_t{0};

// Finds what a code stands for. A flat table is faster than the map of the header.
class CodeTable {
 public:
  struct Entry {
    VcdCode code = 0;  // 0 for a free entry
    std::uint32_t watched = kUnwatched;
    unsigned width = 0;
    VcdValue::Kind kind = VcdValue::Kind::kBits;
  };

  CodeTable(const VcdHeader& header, const std::vector<std::uint32_t>& watched) {
    std::vector<std::uint32_t> indices(header.values.size(), kUnwatched);
    for (std::size_t i = 0; i < watched.size(); ++i) indices[watched[i]] = static_cast<std::uint32_t>(i);
    std::size_t size = 16;
    while (size < 2 * header.codes.size()) size *= 2;
    entries_.resize(size);
    for (const auto& [code, value] : header.codes) {
      std::size_t at = place_of(code);
      while (entries_[at].code != 0) at = (at + 1) & (entries_.size() - 1);
      entries_[at] = {code, indices[value], header.values[value].width, header.values[value].kind};
    }
  }

  // Returns null if no variable has the code.
  const Entry* find(VcdCode code) const {
    std::size_t at = place_of(code);
    while (entries_[at].code != code) {
      if (entries_[at].code == 0) return nullptr;
      at = (at + 1) & (entries_.size() - 1);
    }
    return &entries_[at];
  }

 private:
  std::size_t place_of(VcdCode code) const {
    return (code * 0x9E3779B97F4A7C15U >> 32U) & (entries_.size() - 1);
  }

  std::vector<Entry> entries_;  // a power of two, at most half full
};

class BodyReader {
 public:
  BodyReader(MappedFile& file, const VcdHeader& header, const std::vector<std::uint32_t>& watched,
             VcdListener& listener)
      : file_(file),
        text_(file.text()),
        table_(header, watched),
        listener_(listener),
        position_(header.body) {}

  void read() {
    for (std::string_view token = next(); !token.empty(); token = next()) read_command(token);
  }

 private:
  // Returns the next token, which is empty at the end of the file.
  std::string_view next() {
    const char* const data = text_.data();
    const std::size_t size = text_.size();
    std::size_t at = position_;
    while (at < size && is_vcd_blank(data[at])) ++at;
    start_ = at;
    while (at < size && !is_vcd_blank(data[at])) ++at;
    position_ = at;
    return {data + start_, at - start_};
  }

  [[noreturn]] void fail(const std::string& message) const { fail_at_byte(file_.name(), start_, message); }

  void read_command(std::string_view token) {
    switch (token.front()) {
      case '#':
        return read_time(token.substr(1));
      case '0':
      case '1':
      case 'x':
      case 'X':
      case 'z':
      case 'Z':
        return take(token.substr(0, 1), token.substr(1), VcdValue::Kind::kBits);
      case 'b':
      case 'B':
        return read_value(token.substr(1), VcdValue::Kind::kBits);
      case 'r':
      case 'R':
        return read_value(token.substr(1), VcdValue::Kind::kReal);
      case 's':
      case 'S':
        return read_value(token.substr(1), VcdValue::Kind::kText);
      case '$':
        return read_keyword(token);
      default:
        return read_nine_state(token);
    }
  }

  // Simulators of VHDL dump the states of std_logic that Verilog does not have.
  void read_nine_state(std::string_view token) {
    constexpr std::string_view kStates = "HhLlUuWw-", kDigits = "1100xxxxx";
    const std::size_t state = kStates.find(token.front());
    if (state == std::string_view::npos) fail(fmt::format("'{}' is no change", shown_text(token)));
    take(kDigits.substr(state, 1), token.substr(1), VcdValue::Kind::kBits);
  }

  void read_time(std::string_view digits) {
    std::uint64_t time = 0;
    bool is_valid = !digits.empty() && digits.size() <= 20;
    for (const char digit : digits) {
      is_valid = is_valid && digit >= '0' && digit <= '9' &&
                 !__builtin_mul_overflow(time, std::uint64_t{10}, &time) &&
                 !__builtin_add_overflow(time, static_cast<std::uint64_t>(digit - '0'), &time);
    }
    if (!is_valid) fail(fmt::format("'#{}' is no time", shown_text(digits)));
    if (has_time_ && time < time_) fail(fmt::format("time {} after time {}", time, time_));
    if (has_time_ && time == time_) return;
    time_ = time;
    has_time_ = true;
    listener_.advance(time);
    file_.release_before(start_);
  }

  void read_value(std::string_view value, VcdValue::Kind kind) {
    const std::size_t start = start_;
    const std::string_view code = next();
    start_ = start;
    if (code.empty()) fail("ends within a change");
    take(value, code, kind);
  }

  void take(std::string_view value, std::string_view code, VcdValue::Kind kind) {
    const VcdCode packed = pack(code);
    const CodeTable::Entry* entry = packed == 0 ? nullptr : table_.find(packed);
    if (entry == nullptr) fail(fmt::format("no variable has the identifier code '{}'", shown_text(code)));
    if (entry->watched == kUnwatched) return;
    if (!has_time_) {
      has_time_ = true;
      listener_.advance(0);
    }
    if (entry->kind != kind) fail(fmt::format("'{}' is no value of the variable", shown_text(value)));
    if (kind == VcdValue::Kind::kBits) value = checked(value, entry->width);
    if (kind == VcdValue::Kind::kReal) check_real(value);
    listener_.change(entry->watched, value);
  }

  // Returns the packed code, or 0. The code may have any characters: an undeclared one is not found.
  static VcdCode pack(std::string_view code) {
    if (code.size() > sizeof(VcdCode)) return 0;
    VcdCode packed = 0;
    for (const char character : code) packed = packed << 8U | static_cast<unsigned char>(character);
    return packed;
  }

  // Returns the digits without zeros in front that do not fit.
  std::string_view checked(std::string_view digits, unsigned width) const {
    while (digits.size() > width && digits.front() == '0') digits.remove_prefix(1);
    if (digits.empty() || digits.size() > width)
      fail(fmt::format("a value of {} digits for {} bits", digits.size(), width));
    for (const char digit : digits) {
      const bool is_digit =
          digit == '0' || digit == '1' || digit == 'x' || digit == 'X' || digit == 'z' || digit == 'Z';
      if (!is_digit) fail(fmt::format("'{}' is no value of bits", shown_text(digits)));
    }
    return digits;
  }

  void check_real(std::string_view text) const {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
      fail(fmt::format("'{}' is no real number", shown_text(text)));
  }

  void read_keyword(std::string_view token) {
    if (token == "$comment") {
      do {
        token = next();
        if (token.empty()) fail("ends before $end");
      } while (token != "$end");
      return;
    }
    const bool is_known = token == "$end" || token == "$dumpvars" || token == "$dumpall" ||
                          token == "$dumpon" || token == "$dumpoff";
    if (!is_known) fail(fmt::format("'{}' is no change", shown_text(token)));
  }

  MappedFile& file_;
  std::string_view text_;
  CodeTable table_;
  VcdListener& listener_;
  std::size_t start_ = 0;  // of the last token
  std::size_t position_;
  std::uint64_t time_ = 0;
  bool has_time_ = false;
};

}  // namespace

VcdReader::VcdReader(const std::string& file, const std::string& name)
    : file_(file, name), header_(read_vcd_header(file_.text(), name)) {}

void VcdReader::read(const std::vector<std::uint32_t>& watched, VcdListener& listener) {
  BodyReader(file_, header_, watched, listener).read();
}

}  // namespace heddle
