#include "models/host/requests/hand_over.h"

#include <algorithm>

namespace heddle {

void HandOver::give(double prompt, double output, std::uint64_t came_ps, std::uint64_t now_ps) {
  link_free_ps_ = std::max(now_ps, link_free_ps_) + static_cast<std::uint64_t>(prompt) * spec_.token_ps;
  items_.push_back({link_free_ps_ + spec_.latency_ps, came_ps, now_ps, prompt, output});
  if (changed_) changed_();
}

void HandOver::end() {
  has_ended_ = true;
  if (changed_) changed_();
}

void HandOver::reset() {
  items_.clear();
  link_free_ps_ = 0;
  has_ended_ = false;
}

}  // namespace heddle
