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

void Problems::finish() {
  if (all_.empty()) return;
  std::stable_sort(all_.begin(), all_.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  std::vector<std::string> texts;
  for (const Problem& problem : all_)
    texts.push_back(
        fmt::format("{}:{}:{}: {}", file_, problem.place.line, problem.place.column, problem.message));
  if (all_.size() >= kMost)
    texts.push_back(fmt::format("{}: too many problems; the rest is not reported", file_));
  throw config::Error(std::move(texts));
}

}  // namespace heddle::ptx
