#pragma once
// Statistics: counters are declared once, where they count, and registered by reference in a tree of groups.
//
//   struct Stats { Counter hits, misses; } stats_;
//   Group group_{"l2"};
//   group_.add(stats_.hits, "hits", "accesses", "Accesses that found their line");
//   group_.add(stats_.misses, "misses", "accesses", "Accesses that fetched their line");
//   group_.add_formula("hit_rate", "1", "Hits per access", {stats_.hits}, {stats_.hits, stats_.misses});
//   gpu_group.attach(group_);
//   ++stats_.hits;
//
// A path is the names from the group a walk starts at (its own included, unless empty) down, joined by dots.
// Every walk is in canonical order: name by name along the path, in natural order (sm2 before sm10), whatever
// the order of construction. Misuse while building the tree throws std::logic_error that names the path: an
// empty unit or description, a name empty or with a dot or control character, or a name already taken.
//
// Building a tree and walking it cost a number of steps proportional to its counters and formula operands:
// the root knows by address where each counter is registered, and a group knows its parent.

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

// One counter or formula as a walk meets it.
struct Statistic {
  std::string path;
  std::string_view unit;  // this view and the next live as long as the group
  std::string_view description;
  const Counter* counter = nullptr;  // null for a formula
  const Formula* formula = nullptr;  // null for a counter
  std::size_t group_length = 0;      // characters of `path` that are the path of the statistic's group

  bool is_formula() const { return formula != nullptr; }
  // Full path, in the same walk, of an operand of `formula`.
  std::string path_of(const Formula::Operand& operand) const;
};

// Order of names: runs of digits compare as numbers, the rest byte by byte. A strict total order.
bool natural_less(std::string_view left, std::string_view right);

class Group {
 public:
  explicit Group(std::string name);  // only a root, which is never attached, may have an empty name
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const std::string& name() const { return name_; }

  // The group of that name below this one, made if there is none; it lives as long as this group.
  Group& child(const std::string& name);

  // Makes `group`, which is no group's child yet, a child of this one. It stays the caller's and must outlive
  // every use of this tree, and this tree must outlive every addition to it. An ancestor of this group cannot
  // be attached, nor a group with a counter that this tree has: std::logic_error.
  void attach(Group& group);

  // `counter` stays the caller's and must outlive every use of this tree; a tree has it once.
  void add(Counter& counter, const std::string& name, std::string unit, std::string description);

  // The ratio scale * sum(numerator) / sum(denominator). The operands are at least one counter on each side,
  // already registered in this group or below it; `scale` is finite. The formula lives as long as this group.
  const Formula& add_formula(const std::string& name, std::string unit, std::string description,
                             const CounterList& numerator, const CounterList& denominator,
                             double scale = 1.0);

  // Sets every counter of this group, and of the groups below it, to zero.
  void reset();

  // The visitor must copy what it keeps: the walk uses one Statistic for all of them.
  void visit(const std::function<void(const Statistic&)>& visitor) const;

  // Full path as visit() tells it; null for an unknown path and for formulas and groups.
  const Counter* find(std::string_view path) const;

  // Every counter of the tree, without the formulas, in canonical order: the layout of a counter window.
  std::vector<const Counter*> counters() const;

  // Entries and groups that building and walking this group and those below it have looked at so far: a
  // measure of their cost that is the same on every machine.
  std::uint64_t steps() const;

 private:
  friend struct Statistic;  // path_of()
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
  using Entry = std::variant<CounterEntry, FormulaEntry, Group*>;
  struct Place {
    const Group* group;
    const std::string* name;
  };
  using Index = std::unordered_map<const Counter*, Place>;  // never walked: its order is that of addresses

  void check_new(const std::string& name) const;
  void check_texts(const std::string& name, const std::string& unit, const std::string& description) const;
  void check_unregistered(const Group& group) const;  // a root: none of that group's counters is in this tree
  std::string registered_as(const Place& place) const;
  std::vector<Formula::Operand> operands(const std::string& formula, const CounterList& list) const;
  bool has_below(const Group& group) const;  // or is that group itself
  Group& root();
  const Group& root() const { return const_cast<Group*>(this)->root(); }
  // Appends the path of an entry of `group`, which is this group or one below it, without this group's name.
  void append_path(std::string& path, const Group& group, const std::string& name) const;
  void visit_below(Statistic& statistic, const std::function<void(const Statistic&)>& visitor) const;

  std::string name_;
  Group* parent_ = nullptr;
  std::map<std::string, Entry, NaturalLess> entries_;
  std::vector<std::unique_ptr<Group>> owned_;
  Index index_;  // of a root: where each counter of the tree is
  mutable std::uint64_t steps_ = 0;
};

}  // namespace heddle
