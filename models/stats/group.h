#pragma once
// A Group is a node in the tree of statistics. A counter is declared once, by the class that counts, and is
// registered in a group by reference.
//
//   struct Stats { Counter hits, misses; } stats_;
//   Group group_{"l2"};
//   group_.add(stats_.hits, "hits", "accesses", "Accesses that found their line");
//   group_.add(stats_.misses, "misses", "accesses", "Accesses that fetched their line");
//   group_.add_formula("hit_rate", "1", "Hits per access", {stats_.hits}, {stats_.hits, stats_.misses});
//   gpu_group.attach(group_);
//   ++stats_.hits;
//
// The path of a statistic joins names by dots, from the group at which the walk starts (whose name is left
// out if it is empty) down to the statistic. Every walk is in canonical order: paths are compared name by
// name in natural order (sm2 before sm10). The order of construction does not matter.
//
// Misuse throws a std::logic_error that names the path: an empty unit or description, a name that is empty or
// has a dot or a control character, and a name that is taken already.
//
// The cost of building and walking a tree is proportional to its counters and formula operands, because the
// root maps the address of each counter to its place, and each group knows its parent.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "models/core/base/counter.h"
#include "models/stats/formula.h"

namespace heddle {

// A Level is a number that rises and falls, such as the length of a queue. The function returns its present
// value.
using Level = std::function<double()>;

// A Statistic is one counter, formula or level of a walk.
struct Statistic {
  std::string path;
  std::string_view unit;  // `unit` and `description` live as long as the group
  std::string_view description;
  const Counter* counter = nullptr;  // one of these three is not null
  const Formula* formula = nullptr;
  const Level* level = nullptr;
  std::size_t group_length = 0;  // length of the group's path at the front of `path`

  bool is_formula() const { return formula != nullptr; }
  // "counter", "formula" or "level".
  const char* kind() const { return is_formula() ? "formula" : level != nullptr ? "level" : "counter"; }
  // Returns the full path, in the same walk, of an operand of `formula`.
  std::string path_of(const Formula::Operand& operand) const;
};

// Compares names: runs of digits compare as numbers, and other characters compare byte by byte. The order is
// strict and total.
bool natural_less(std::string_view left, std::string_view right);

class Group {
 public:
  explicit Group(std::string name);  // the name may be empty only for a root that is never attached
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const std::string& name() const { return name_; }

  // Returns the group of that name below this group, and makes it if it does not exist. The child lives as
  // long as this group.
  Group& child(const std::string& name);

  // Makes `group` a child of this group. The caller keeps `group`, which must outlive every use of this tree.
  // This tree must outlive every addition to `group`. Throws std::logic_error if `group` has a parent, is an
  // ancestor of this group, or has a counter that this tree has already.
  void attach(Group& group);

  // Registers `counter`, which must outlive every use of this tree. A tree can have a counter only once.
  void add(Counter& counter, const std::string& name, std::string unit, std::string description);

  // Adds the ratio scale * sum(numerator) / sum(denominator). Each side has at least one counter, and all
  // counters are registered in this group or below it. `scale` is finite. The formula lives as long as this
  // group.
  const Formula& add_formula(const std::string& name, std::string unit, std::string description,
                             const CounterList& numerator, const CounterList& denominator,
                             double scale = 1.0);

  // Registers a level. Levels are sampled during a run (models/stats/series.h), and are no part of its
  // results.
  void add_level(const std::string& name, std::string unit, std::string description, Level level);

  // Sets every counter of this group and of the groups below it to zero.
  void reset();

  // Calls the visitor for each counter and formula in canonical order. The walk uses one Statistic for all
  // calls, so the visitor copies what it keeps.
  void visit(const std::function<void(const Statistic&)>& visitor) const;
  // Does so for counters, formulas and levels.
  void visit_with_levels(const std::function<void(const Statistic&)>& visitor) const;

  // Returns the counter with the full path that visit() gives, or null for an unknown path, a formula or a
  // group.
  const Counter* find(std::string_view path) const;

  // Returns every counter of the tree in canonical order, without the formulas. This is the layout of a
  // counter window.
  std::vector<const Counter*> counters() const;

  // Returns the number of entries and groups that have been read while this group and the groups below it
  // were built and walked. It measures their cost independently of the machine.
  std::uint64_t steps() const;

 private:
  friend struct Statistic;  // for path_of()
  struct NaturalLess {
    using is_transparent = void;
    bool operator()(std::string_view left, std::string_view right) const { return natural_less(left, right); }
  };
  struct CounterEntry {
    Counter* counter;
    std::string unit, description;
  };
  struct FormulaEntry {
    std::string unit, description;
    std::unique_ptr<Formula> formula;
  };
  struct LevelEntry {
    std::string unit, description;
    Level level;
  };
  using Entry = std::variant<CounterEntry, FormulaEntry, LevelEntry, Group*>;
  struct Place {
    const Group* group;
    const std::string* name;
  };
  // The index is never walked, because its order is that of addresses.
  using Index = std::unordered_map<const Counter*, Place>;

  void check_new(const std::string& name) const;
  void check_texts(const std::string& name, const std::string& unit, const std::string& description) const;
  // Throws if a counter of `group` is in this tree. It is called on a root.
  void check_unregistered(const Group& group) const;
  std::string registered_as(const Place& place) const;
  std::vector<Formula::Operand> operands(const std::string& formula, const CounterList& list) const;
  bool has_below(const Group& group) const;  // true for this group itself
  Group& root();
  const Group& root() const { return const_cast<Group*>(this)->root(); }
  // Appends the path of an entry of `group`, without this group's name. `group` is this group or a group
  // below it.
  void append_path(std::string& path, const Group& group, const std::string& name) const;
  void visit_below(Statistic& statistic, bool with_levels,
                   const std::function<void(const Statistic&)>& visitor) const;

  std::string name_;
  Group* parent_ = nullptr;
  std::map<std::string, Entry, NaturalLess> entries_;
  std::vector<std::unique_ptr<Group>> owned_;
  Index index_;  // of a root: the place of each counter of the tree
  mutable std::uint64_t steps_ = 0;
};

}  // namespace heddle
