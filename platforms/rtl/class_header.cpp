#include "platforms/rtl/class_header.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <regex>

#include "models/core/config/config.h"

namespace heddle {

namespace {

// Appends the pin, or the elements of a pin that is an unpacked array of these dimensions.
void append_pin(const ClassPin& pin, const std::vector<std::uint32_t>& dimensions, std::size_t dimension,
                std::vector<ClassPin>& pins) {
  if (dimension == dimensions.size()) {
    pins.push_back(pin);
    return;
  }
  for (std::uint32_t i = 0; i < dimensions[dimension]; ++i) {
    ClassPin element = pin;
    element.name += fmt::format("[{}]", i);
    element.member += fmt::format("[{}]", i);
    append_pin(element, dimensions, dimension + 1, pins);
  }
}

std::vector<std::uint32_t> read_dimensions(const std::string& text) {
  static const std::regex dimension(R"(\[(\d+)\])");
  std::vector<std::uint32_t> sizes;
  for (std::sregex_iterator at(text.begin(), text.end(), dimension), end; at != end; ++at)
    sizes.push_back(static_cast<std::uint32_t>(std::stoul((*at)[1])));
  return sizes;
}

}  // namespace

std::string rtl_name(const std::string& identifier) {
  constexpr std::size_t kPrefix = 7;  // of "__SYM__"
  const bool prefixed = identifier.rfind("__SYM__", 0) == 0 || identifier.rfind("__PVT__", 0) == 0;
  std::string name;
  for (std::size_t i = prefixed ? kPrefix : 0; i < identifier.size(); ++i) {
    const bool escaped = identifier.compare(i, 3, "__0") == 0 && i + 4 < identifier.size() &&
                         std::isxdigit(static_cast<unsigned char>(identifier[i + 3])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(identifier[i + 4])) != 0;
    if (!escaped) {
      name += identifier[i];
      continue;
    }
    name += static_cast<char>(std::strtoul(identifier.substr(i + 3, 2).c_str(), nullptr, 16));
    i += 4;
  }
  return name;
}

std::vector<ClassPin> read_class_pins(const std::string& header) {
  // VL_IN8(&clk,0,0); VL_OUTW(&data,129,0,5); VL_IN8((&lanes)[2],3,0);
  static const std::regex line(R"(VL_(INOUT|IN|OUT)(?:8|16|64|W|)\(\(?&(\w+)\)?([\[\]\d]*),(\d+),(\d+))");
  std::vector<ClassPin> pins;
  for (std::sregex_iterator at(header.begin(), header.end(), line), end; at != end; ++at) {
    const std::smatch& found = *at;
    ClassPin pin;
    pin.member = found[2];
    pin.name = rtl_name(pin.member);
    if (found[1] == "INOUT")
      throw config::Error(
          {fmt::format("pin '{}' is an inout; a block has inputs and outputs only", pin.name)});
    const auto high = static_cast<std::int64_t>(std::stoul(found[4]));
    const auto low = static_cast<std::int64_t>(std::stoul(found[5]));
    pin.bits = static_cast<std::uint32_t>(std::abs(high - low) + 1);
    pin.direction = found[1] == "IN" ? HEDDLE_RTL_INPUT : HEDDLE_RTL_OUTPUT;
    append_pin(pin, read_dimensions(found[3]), 0, pins);
  }
  return pins;
}

}  // namespace heddle
