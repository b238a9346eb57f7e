#include "models/host/submission/submitted_commands.h"

#include <algorithm>

namespace heddle {

void SubmittedCommands::add_process(std::uint32_t lanes) {
  lanes_.emplace_back(lanes);
}

void SubmittedCommands::reset() {
  for (std::vector<Lane>& lanes : lanes_)
    for (Lane& lane : lanes) lane = Lane{};
  busy_.clear();
  submissions_ = 0;
}

std::uint32_t SubmittedCommands::free_lane(std::uint32_t process, std::uint32_t from) const {
  std::uint32_t lane = from;
  while (lane < lanes(process) && !is_free(process, lane)) ++lane;
  return lane;
}

void SubmittedCommands::push(std::uint32_t process, std::uint32_t lane, const Entry& entry) {
  if (is_free(process, lane)) busy_.push_back({process, lane});
  lanes_[process][lane].entries.push({entry, submissions_++});
}

bool SubmittedCommands::complete(std::uint64_t now, const Read& fence, const Read& word,
                                 const Completed& completed) {
  bool any = false;
  for (const Busy& busy : busy_) {
    Lane& lane = lanes_[busy.process][busy.lane];
    const std::uint64_t fenced = fence(busy.process, busy.lane);
    const std::uint64_t written = word(busy.process, busy.lane);
    while (!lane.entries.empty()) {
      const Entry entry = lane.entries.front().entry;
      if ((entry.has_own_word ? written : fenced) < entry.value) break;
      lane.entries.pop();
      completed(busy.process, busy.lane, entry, std::max(entry.submitted_ps, lane.done_ps));
      lane.done_ps = now;
      any = true;
    }
  }
  busy_.erase(std::remove_if(busy_.begin(), busy_.end(),
                             [this](const Busy& busy) { return is_free(busy.process, busy.lane); }),
              busy_.end());
  return any;
}

SubmittedLaunch SubmittedCommands::oldest_launch(std::uint32_t process) const {
  const Numbered* oldest = nullptr;
  for (const Lane& lane : lanes_[process])
    for (std::size_t i = 0; i < lane.entries.size(); ++i) {
      if (!lane.entries[i].entry.is_launch) continue;
      if (oldest == nullptr || lane.entries[i].number < oldest->number) oldest = &lane.entries[i];
      break;
    }
  return oldest == nullptr ? SubmittedLaunch{} : oldest->entry.launch;
}

}  // namespace heddle
