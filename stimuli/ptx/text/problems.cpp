#include "stimuli/ptx/text/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/core/config/config.h"

namespace heddle::ptx {

void Problems::add(Place place, std::string message) {
  if (!full()) all_.push_back({place, std::move(message)});
}

void Problems::refuse(Place place, std::string message) {
  add(place, std::move(message));
  throw Refused{};
}

void Problems::sort(std::vector<Problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
}

std::string Problems::shown(const Problem& problem) const {
  return fmt::format("{}:{}:{}: {}", file_, problem.place.line, problem.place.column, problem.message);
}

// Returns a line of the text without the blanks around it.
std::string_view Problems::line(std::uint32_t number) const {
  constexpr std::string_view kBlanks = " \t\r";
  std::string_view rest = text_;
  for (; number > 1 && !rest.empty(); --number)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  return rest.substr(0, rest.find_last_not_of(kBlanks) + 1);
}

void Problems::finish() {
  if (all_.empty()) return;
  sort(all_);
  std::vector<std::string> texts;
  for (const Problem& problem : all_) texts.push_back(shown(problem));
  if (all_.size() >= kMost)
    texts.push_back(fmt::format("{}: too many problems; the rest is not reported", file_));
  throw config::Error(std::move(texts));
}

std::vector<std::string> Problems::take(std::size_t first) {
  const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Problem> taken(begin, all_.end());
  all_.erase(begin, all_.end());
  sort(taken);
  const std::size_t more = taken.size() - std::min(taken.size(), kMostTaken);
  taken.resize(taken.size() - more);
  std::vector<std::string> texts;
  texts.reserve(taken.size() + 1);
  for (const Problem& problem : taken)
    texts.push_back(fmt::format("{}: {}", shown(problem), line(problem.place.line)));
  if (more > 0) texts.push_back(fmt::format("{}: {} more problems of this function", file_, more));
  return texts;
}

}  // namespace heddle::ptx
