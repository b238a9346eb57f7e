#pragma once
// WayShares limit the ways of a set in which the new lines of a context may lie (L2Spec::ways_of), as cache
// portions do in Arm's MPAM and classes of service in Intel's CAT. Pure logic.

#include <algorithm>
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
  // Returns the line that a new line of the context would replace, or TagArray::kNone if all of its ways are
  // locked.
  TagArray::Line victim(const TagArray& tags, std::uint32_t set, ContextId context) const {
    return tags.victim(set, shares_[place_of(context)].ways);
  }
  // The caller says that a new line of the context replaces this line. The function counts it.
  void installed(const TagArray& tags, std::uint32_t set, TagArray::Line line, ContextId context);

 private:
  struct Share {
    TagArray::Ways ways;
    Counter installed;  // new lines
    Counter
        withheld;  // new lines that without shares would have replaced a line in the ways of other contexts
  };
  std::size_t place_of(ContextId context) const {
    return std::min<std::size_t>(context.value, shares_.size() - 1);
  }

  std::vector<Share> shares_;  // by context; all contexts beyond the list of the spec have the last one
};

}  // namespace heddle
