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

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/core/base/counter.h"

namespace heddle {

using CounterList = std::vector<std::reference_wrapper<const Counter>>;

// One counter or formula as a walk meets it.
struct Statistic {
  struct Operand {
    std::string path;
    std::uint64_t value = 0;
  };

  std::string path;
  std::string unit;
  std::string description;
  const Counter* counter = nullptr;  // null for a formula; what follows is for formulas only
  std::vector<Operand> numerator;    // in the order given to add_formula
  std::vector<Operand> denominator;
  std::optional<double> ratio;  // none where the denominator sums to zero, or beyond a double

  bool is_formula() const { return counter == nullptr; }
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

  // Makes `group` a child. It stays the caller's and must outlive every use of this tree. An ancestor of this
  // group cannot be attached: std::logic_error.
  void attach(Group& group);

  // `counter` stays the caller's and must outlive every use of this tree; it is registered in a group once.
  void add(Counter& counter, const std::string& name, std::string unit, std::string description);

  // A ratio evaluated on each walk: scale * sum(numerator) / sum(denominator). The operands are at least one
  // counter on each side, already registered in this group or below it; `scale` is finite.
  void add_formula(const std::string& name, std::string unit, std::string description,
                   const CounterList& numerator, const CounterList& denominator, double scale = 1.0);

  // Sets every counter of this group, and of the groups below it, to zero.
  void reset();

  void visit(const std::function<void(const Statistic&)>& visitor) const;

  // Full path as visit() tells it; null for an unknown path and for formulas and groups.
  const Counter* find(std::string_view path) const;

  // Every counter of the tree, without the formulas, in canonical order: the layout of a counter window.
  std::vector<const Counter*> counters() const;

 private:
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
    std::vector<const Counter*> numerator, denominator;
    double scale;
  };
  using Entry = std::variant<CounterEntry, FormulaEntry, Group*>;

  void check_new(const std::string& name) const;
  void check_texts(const std::string& name, const std::string& unit, const std::string& description) const;
  std::vector<const Counter*> operands(const std::string& formula, const CounterList& list) const;
  bool reaches(const Group& group) const;
  // Path of `counter` below this group, without this group's name; empty if it is not there.
  std::string path_below(const Counter& counter) const;
  void visit_below(const std::string& prefix, const std::function<void(const Statistic&)>& visitor) const;
  Statistic evaluate(const std::string& prefix, const std::string& name, const FormulaEntry& entry) const;

  std::string name_;
  std::map<std::string, Entry, NaturalLess> entries_;
  std::vector<std::unique_ptr<Group>> owned_;
};

}  // namespace heddle
