#include "models/l2/way_shares.h"

#include <fmt/format.h>

namespace heddle {

WayShares::WayShares(const L2Spec& spec, Group& stats) {
  if (spec.ways_of.empty()) return;
  std::uint32_t first = 0;
  for (const std::uint32_t ways : spec.ways_of) {
    Share& share = shares_.emplace_back();
    share.ways = {first, ways};
    first += ways;
  }
  Share& rest = shares_.emplace_back();
  rest.ways = first < spec.ways ? TagArray::Ways{first, spec.ways - first} : TagArray::Ways{0, spec.ways};
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const std::string whose = i + 1 < shares_.size() ? fmt::format("context{}", i) : "other_contexts";
    Group& group = stats.child("ways").child(whose);
    group.add(shares_[i].installed, "installed", "line", "lines that took a place in its ways");
    group.add(
        shares_[i].withheld, "withheld", "line",
        "of these, those that without shares would have taken the place of a line in the ways of others");
  }
}

void WayShares::installed(const TagArray& tags, std::uint32_t set, TagArray::Line line, ContextId context) {
  Share& share = shares_[place_of(context)];
  ++share.installed;
  if (const TagArray::Line any = tags.victim(set); any != line && any != TagArray::kNone && tags.present(any))
    ++share.withheld;
}

}  // namespace heddle
