#pragma once
// WayShares limit the ways of a set in which the new lines of a context may lie (L2Spec::ways_of), as cache
// portions do in Arm's MPAM and classes of service in Intel's CAT. Pure logic.

#include <vector>

#include "models/cache/tag_array.h"
#include "models/l2/l2_spec.h"
#include "models/stats/group.h"

namespace heddle {

class WayShares {
 public:
  // Adds its counters to the group, if there are shares.
  WayShares(const L2Spec& spec, Group& stats);

  bool exist() const { return !shares_.empty(); }
  // Returns the line that a new line of the context would replace; TagArray::kNone: all are locked.
  TagArray::Line victim(const TagArray& tags, std::uint32_t set, ContextId context) const {
    return tags.victim(set, share_of(context).ways);
  }
  // A line of the context takes this one's place.
  void installed(const TagArray& tags, std::uint32_t set, TagArray::Line line, ContextId context);

 private:
  struct Share {
    TagArray::Ways ways;
    Counter installed;  // lines
    Counter withheld;   // of these, those that would have taken a line in the ways of others
  };
  const Share& share_of(ContextId context) const {
    return shares_[context.value < shares_.size() ? context.value : shares_.size() - 1];
  }

  std::vector<Share> shares_;  // by context; the last one is that of all contexts beyond
};

}  // namespace heddle
