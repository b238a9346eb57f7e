#pragma once
// HalfCopies says which sectors of the lines of a slice have a copy in the other half of L2.
//
// A copy takes a way of a set in the other half. Lines and SMs are spread evenly over the halves, so that
// lines of the other half take as many ways of this slice for their copies. The model therefore counts a line
// with a copy as two lines of its own set. If the set has no way for a copy, the least recently used of its
// copies gives way; if it has no copy, no copy is made. A line that is installed takes the way of a copy,
// too.

#include <cstdint>
#include <vector>

#include "models/cache/tag_array.h"
#include "models/core/base/counter.h"
#include "models/l2/l2_spec.h"
#include "models/stats/group.h"

namespace heddle {

class HalfCopies {
 public:
  // `tags` are those of the slice. They must outlive the object.
  HalfCopies(const L2Spec& spec, const TagArray& tags, Group& stats);
  void reset();

  bool exist() const { return !copies_.empty(); }  // L2 has two halves
  // An SM of the other half reads these sectors of the line. Returns whether a sector has no copy there, so
  // that data cross to the other half. The copy is made.
  bool read(TagArray::Line line, TagArray::Sectors sectors);
  // An SM of the other half writes the sectors, or an atomic accesses them, which crosses in any case.
  void change(TagArray::Sectors sectors) { count(sectors, sectors); }
  // Drops the copies of the sectors, because they are written or because the line is evicted.
  void drop(TagArray::Line line, TagArray::Sectors sectors);
  // Drops a copy if the line, which has just been installed, has taken its way.
  void make_room(TagArray::Line line);
  // Drops all copies. A set forgets its copies at its next access, so that the call takes constant time.
  void drop_all() { ++epoch_; }

 private:
  // Drops the copies of the set if drop_all() has been called since the last access to the set.
  void refresh(std::uint32_t set);
  bool is_full(std::uint32_t set) const { return tags_.lines_in(set) + copies_[set] >= ways_; }
  // Drops the least recently used copy of the line's set, but not that of the line. Returns whether the set
  // had such a copy.
  bool drop_oldest(TagArray::Line line);
  void count(TagArray::Sectors accessed, TagArray::Sectors crossing);

  const std::uint32_t ways_;
  const TagArray& tags_;
  std::vector<std::uint8_t> sectors_;  // by line: those with a copy
  std::vector<std::uint32_t> copies_;  // by set: the number of lines with a copy; empty: L2 is one
  std::vector<std::uint64_t> epochs_;  // by set: the value of epoch_ at its last access
  std::uint64_t epoch_ = 0;            // the number of calls of drop_all()
  Counter far_accesses_, crossings_;
};

}  // namespace heddle
