// The small texts of which an application's YAML is made.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "stimuli/application/names.h"
#include "stimuli/recorded/application_text.h"

namespace heddle::imported {

namespace {

constexpr std::size_t kMostComment = 160;

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

// Words that YAML reads as no text.
bool is_reserved(std::string word) {
  static constexpr std::array<const char*, 10> kWords{"true", "false", "on",   "off", "yes",
                                                      "no",   "null",  "none", "y",   "n"};
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

}  // namespace

std::string time_text(std::uint64_t ps) {
  static constexpr std::array<std::pair<std::uint64_t, const char*>, 5> kUnits{
      {{1000000000000, "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}, {1, "ps"}}};
  for (const auto& [unit, name] : kUnits) {
    if (ps < unit && unit > 1) continue;
    std::string digits = fmt::format("{}", ps / unit);
    if (ps % unit != 0) {
      std::string part = fmt::format("{}", unit + ps % unit).substr(1);
      part.erase(part.find_last_not_of('0') + 1);
      digits += "." + part;
    }
    return digits + name;
  }
  return "0ps";
}

std::string comment_text(const std::string& text) {
  std::string result;
  for (const char c : text) result += is_printable(c) ? c : '?';
  if (result.size() > kMostComment) result = result.substr(0, kMostComment - 3) + "...";
  return result;
}

std::string yaml_name(const std::string& name) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const bool plain =
      !name.empty() && letter(name.front()) && !is_reserved(name) &&
      std::all_of(name.begin(), name.end(), [&](char c) {
        return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
      });
  return plain ? name : "\"" + name + "\"";
}

std::string yaml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += is_printable(c) ? c : '?';
  }
  return result + "\"";
}

std::vector<std::string> kernel_names(const RecordedApplication& application) {
  std::vector<std::string> names;
  UniqueNames unique;
  for (const RecordedKernel& kernel : application.kernels)
    names.push_back(unique.add(plain_name(kernel.shape.short_name)));
  return names;
}

}  // namespace heddle::imported
