#include "platforms/cli/verbs/restart_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "stimuli/ptx/text/kernel_name.h"

namespace heddle {

namespace {

constexpr std::size_t kMostColumns = 100;  // of a line of PTX; longer ones are cut

// Returns the line with this number, from 1 on, without the blanks around it.
std::string line_of(std::string_view text, std::uint32_t number) {
  for (std::uint32_t i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  std::string line(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line.size() > kMostColumns ? line.substr(0, kMostColumns) + " .." : line;
}

}  // namespace

std::vector<std::string> restart_reasons(const ptx::RestartVerdict& verdict, const std::string& kernel,
                                         const std::string& file, std::string_view text) {
  std::vector<std::string> reasons;
  for (const ptx::RestartObstacle& reason : verdict.reasons)
    reasons.push_back(fmt::format("{}:{}: {}: {}: {}", file, reason.line, ptx::kernel_name(kernel),
                                  reason.what, line_of(text, reason.line)));
  return reasons;
}

void print_restarts(const std::vector<std::string>& reasons) {
  if (reasons.empty()) return;
  std::cout << "\nreasons against a new start of blocks, which preemption flush and chimera drain then:\n";
  for (const std::string& reason : reasons) std::cout << reason << "\n";
}

}  // namespace heddle
