#include "stimuli/functional/place_list.h"

#include <fmt/format.h>

#include "models/core/kernel/instruction.h"

namespace heddle {

void PlaceList::add(const std::string& block, std::uint32_t warp, const std::string& place) {
  for (auto line = lines_.rbegin(); line != lines_.rend() && line->block == block; ++line) {
    if (line->place != place) continue;
    line->is_range = line->is_range && line->last + 1 == warp;
    line->last = warp;
    ++line->count;
    return;
  }
  if (lines_.size() == KernelProgram::kMostPlaces) {
    ++left_out_;
    return;
  }
  lines_.push_back({block, place, warp, warp, true, 1});
}

std::string PlaceList::text() const {
  std::string text;
  for (const Line& line : lines_) {
    const std::string warps = line.count == 1 ? fmt::format("warp {}", line.first)
                              : line.is_range
                                  ? fmt::format("warps {} to {}", line.first, line.last)
                                  : fmt::format("{} warps from {} to {}", line.count, line.first, line.last);
    text += fmt::format("\n  {}, {}: {}", line.block, warps, line.place);
  }
  if (left_out_ > 0) text += fmt::format("\n  and {} warps elsewhere", left_out_);
  return text;
}

}  // namespace heddle
