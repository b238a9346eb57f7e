#include "models/stats/waves/vcd_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "models/stats/waves/mapped_file.h"

namespace heddle {

namespace {

constexpr std::uint32_t kMostLevels = 1000;         // of scopes
constexpr unsigned kMostWidth = 1U << 20U;          // bits of a variable
constexpr std::size_t kMostShown = 30;              // characters of a file in a message
constexpr std::size_t kMostCode = sizeof(VcdCode);  // characters

bool is_printable(char character) {
  return character > ' ' && character <= '~';
}

// Splits a text at its blanks.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // Returns the next token, which is empty at the end of the text.
  std::string_view next() {
    while (position_ < text_.size() && is_vcd_blank(text_[position_])) ++position_;
    start_ = position_;
    while (position_ < text_.size() && !is_vcd_blank(text_[position_])) ++position_;
    return text_.substr(start_, position_ - start_);
  }
  std::size_t start() const { return start_; }  // of the last token
  std::size_t position() const { return position_; }

 private:
  std::string_view text_;
  std::size_t start_ = 0, position_ = 0;
};

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<VcdRange> range_of(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto left = number_of<std::int32_t>(text.substr(0, colon));
  const auto right = number_of<std::int32_t>(text.substr(colon + 1));
  if (!left || !right) return std::nullopt;
  return VcdRange{*left, *right};
}

// Returns the number of femtoseconds of "1ns", "10" "ns" and so on, or 0.
std::uint64_t femtoseconds_of(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = number_of<std::uint32_t>(text.substr(0, digits));
  if (!number || (*number != 1 && *number != 10 && *number != 100)) return 0;
  constexpr const char* kUnits[] = {"fs", "ps", "ns", "us", "ms", "s"};
  std::uint64_t unit = 1;
  for (const char* name : kUnits) {
    if (text.substr(digits) == name) return *number * unit;
    unit *= 1000;
  }
  return 0;
}

class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& file) : tokens_(text), file_(file) {
    header_.scopes.emplace_back();
  }

  VcdHeader read() {
    for (;;) {
      const std::string_view token = tokens_.next();
      if (token.empty()) fail("ends before $enddefinitions");
      if (token == "$enddefinitions") break;
      if (token == "$var") {
        read_variable();
      } else if (token == "$scope") {
        read_scope();
      } else if (token == "$upscope") {
        if (scope_ == 0) fail("$upscope outside of every scope");
        scope_ = header_.scopes[scope_].parent;
        --level_;
        expect_end();
      } else if (token == "$timescale") {
        read_timescale();
      } else if (is_remark(token)) {
        skip_to_end();
      } else {
        fail(fmt::format("'{}' is no declaration of a VCD", shown_text(token)));
      }
    }
    expect_end();
    if (header_.time_unit_fs == 0) fail("no $timescale before $enddefinitions");
    header_.body = tokens_.position();
    return std::move(header_);
  }

 private:
  // $attrbegin and $attrend are GTKWave's.
  static bool is_remark(std::string_view token) {
    return token == "$date" || token == "$version" || token == "$comment" || token == "$attrbegin" ||
           token == "$attrend";
  }

  [[noreturn]] void fail(const std::string& message) const { fail_at_byte(file_, tokens_.start(), message); }

  void expect_end() {
    const std::string_view token = tokens_.next();
    if (token != "$end") fail(fmt::format("needs $end, has '{}'", shown_text(token)));
  }

  void skip_to_end() {
    for (;;) {
      const std::string_view token = tokens_.next();
      if (token.empty()) fail("ends before $end");
      if (token == "$end") return;
    }
  }

  void read_timescale() {
    std::string text;
    for (int parts = 0; parts < 3; ++parts) {
      const std::string_view token = tokens_.next();
      if (token == "$end") break;
      text += token.substr(0, kMostShown);
      header_.time_unit_fs = femtoseconds_of(text);
      if (header_.time_unit_fs != 0) return expect_end();
    }
    fail(fmt::format("'{}' is no time such as 10 ps", shown_text(text)));
  }

  void read_scope() {
    const std::string_view type = tokens_.next();
    if (type.empty() || type == "$end") fail("a $scope without a type");
    const std::string_view name = tokens_.next();
    if (++level_ > kMostLevels) fail(fmt::format("more than {} scopes within each other", kMostLevels));
    // The outermost scope of some simulators has no name.
    const bool is_unnamed = name == "$end";
    header_.scopes.push_back({is_unnamed ? std::string_view() : name, scope_});
    scope_ = static_cast<std::uint32_t>(header_.scopes.size() - 1);
    if (!is_unnamed) expect_end();
  }

  void read_variable() {
    const std::string_view type = tokens_.next();
    const auto width = number_of<unsigned>(tokens_.next());
    if (!width || *width > kMostWidth) fail(fmt::format("a width is a number of at most {}", kMostWidth));
    const VcdCode code = pack_code(tokens_.next());
    if (code == 0) fail(fmt::format("an identifier code has 1 to {} printable characters", kMostCode));
    const std::uint32_t value = value_of(code, kind_of(type), *width);
    VcdVariable variable{tokens_.next(), scope_, value, {std::int64_t{*width} - 1, 0}};
    if (variable.name.empty() || variable.name == "$end") fail("a $var without a name");
    read_range(variable);
    header_.variables.push_back(variable);
  }

  // The range stands behind the name, or is its end. A bit that stands alone, [3], belongs to the name.
  void read_range(VcdVariable& variable) {
    const std::size_t bracket = variable.name.rfind('[');
    if (bracket != std::string_view::npos && bracket > 0) {
      if (const auto range = range_of(variable.name.substr(bracket))) {
        variable.name.remove_suffix(variable.name.size() - bracket);
        set_range(variable, *range);
      }
    }
    const std::string_view token = tokens_.next();
    if (token == "$end") return;
    if (const auto range = range_of(token)) {
      set_range(variable, *range);
    } else if (token.size() >= 3 && token.front() == '[' && token.back() == ']') {
      const char* start = variable.name.data();
      variable.name = {start, static_cast<std::size_t>(token.data() + token.size() - start)};
    } else {
      fail(fmt::format("needs $end, has '{}'", shown_text(token)));
    }
    expect_end();
  }

  void set_range(VcdVariable& variable, const VcdRange& range) const {
    const std::int64_t bits = std::abs(range.left - range.right) + 1;
    const VcdValue& value = header_.values[variable.value];
    if (value.kind == VcdValue::Kind::kBits && bits != value.width)
      fail(fmt::format("a range of {} bits for a width of {}", bits, value.width));
    variable.range = range;
  }

  static VcdValue::Kind kind_of(std::string_view type) {
    if (type == "real" || type == "realtime" || type == "shortreal" || type == "real_parameter")
      return VcdValue::Kind::kReal;
    return type == "string" ? VcdValue::Kind::kText : VcdValue::Kind::kBits;
  }

  std::uint32_t value_of(VcdCode code, VcdValue::Kind kind, unsigned width) {
    if (kind == VcdValue::Kind::kBits && width == 0) fail("a variable of 0 bits");
    const auto [found, is_new] = header_.codes.emplace(code, header_.values.size());
    if (is_new) {
      header_.values.push_back({kind, width});
    } else if (const VcdValue& value = header_.values[found->second];
               value.kind != kind || value.width != width) {
      fail(fmt::format("an identifier code stands for {} and for {} bits", value.width, width));
    }
    return found->second;
  }

  Tokens tokens_;
  const std::string& file_;
  VcdHeader header_;
  std::uint32_t scope_ = 0;
  std::uint32_t level_ = 0;
};

}  // namespace

VcdCode pack_code(std::string_view text) {
  if (text.empty() || text.size() > kMostCode || !std::all_of(text.begin(), text.end(), is_printable))
    return 0;
  VcdCode code = 0;
  for (const char character : text) code = code << 8U | static_cast<unsigned char>(character);
  return code;
}

std::string VcdHeader::name_of(const VcdVariable& variable) const {
  std::string name(variable.name);
  // Blanks between a name and its bit are no part of the name.
  name.erase(std::remove_if(name.begin(), name.end(), is_vcd_blank), name.end());
  for (std::uint32_t scope = variable.scope; scope != 0; scope = scopes[scope].parent)
    if (!scopes[scope].name.empty()) name.insert(0, std::string(scopes[scope].name) + ".");
  return name;
}

std::optional<std::size_t> VcdHeader::find(std::string_view name) const {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const char last = variables[i].name.back();
    if (last == name.back() && name_of(variables[i]) == name) return i;
  }
  return std::nullopt;
}

VcdHeader read_vcd_header(std::string_view text, const std::string& file) {
  return HeaderReader(text, file).read();
}

void fail_at_byte(const std::string& file, std::size_t byte, const std::string& message) {
  throw WaveFileError(fmt::format("{}: byte {}: {}", file, byte, message));
}

std::string shown_text(std::string_view text) {
  std::string shown;
  for (const char character : text.substr(0, kMostShown)) shown += is_printable(character) ? character : '?';
  return text.size() > kMostShown ? shown + "..." : shown;
}

}  // namespace heddle
