#include "models/stats/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle {
namespace {

[[noreturn]] void misuse(const std::string& group, const std::string& name, const std::string& message) {
  throw std::logic_error(fmt::format("statistic '{}' in group '{}': {}", name, group, message));
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_name(const std::string& name) {
  const auto bad = [](char letter) {
    return letter == '.' || static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  };
  return std::none_of(name.begin(), name.end(), bad);
}

// Removes the digits at the front of `text`, and returns them without leading zeros.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

// Returns the entry in front of which a new one of this name stands. Throws if the name is taken.
template <class Entries>
auto place_of(Entries& entries, const std::string& name, const std::string& group) {
  const auto behind = entries.lower_bound(name);
  if (behind != entries.end() && behind->first == name) misuse(group, name, "the name is taken");
  return behind;
}

void append(std::string& path, std::string_view name) {
  if (!path.empty()) path += '.';
  path += name;
}

}  // namespace

bool natural_less(std::string_view left, std::string_view right) {
  std::size_t same = 0;
  for (const std::size_t least = std::min(left.size(), right.size()); same < least; ++same)
    if (left[same] != right[same]) break;
  while (same > 0 && is_digit(left[same - 1])) --same;  // a number is compared as a whole
  std::string_view a = left.substr(same), b = right.substr(same);
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_digits(a), y = take_digits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a.front() != b.front()) {
        return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
      }
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return left < right;  // the names differ only in leading zeros
}

std::string Statistic::path_of(const Formula::Operand& operand) const {
  std::string full = path.substr(0, group_length);
  formula->group().append_path(full, *operand.group, *operand.name);
  return full;
}

Group::Group(std::string name) : name_(std::move(name)) {
  if (!is_name(name_)) misuse(name_, "", "a group's name has no dots and no control characters");
}

Group& Group::child(const std::string& name) {
  const auto known = entries_.find(name);
  if (known != entries_.end()) {
    if (Group* const* group = std::get_if<Group*>(&known->second)) return **group;
  }
  check_new(name);
  const auto behind = place_of(entries_, name, name_);
  owned_.push_back(std::make_unique<Group>(name));
  owned_.back()->parent_ = this;
  entries_.emplace_hint(behind, name, owned_.back().get());
  return *owned_.back();
}

void Group::attach(Group& group) {
  check_new(group.name_);
  const auto behind = place_of(entries_, group.name_, name_);
  if (group.has_below(*this)) misuse(name_, group.name_, "a group cannot be below itself");
  if (group.parent_ != nullptr) misuse(name_, group.name_, "the group is attached already");
  Group& tree = root();
  tree.check_unregistered(group);
  // The smaller index is merged into the larger one, so that no order of attaching is slow.
  if (tree.index_.size() < group.index_.size()) tree.index_.swap(group.index_);
  steps_ += group.index_.size();
  tree.index_.merge(group.index_);
  group.index_.clear();
  group.parent_ = this;
  entries_.emplace_hint(behind, group.name_, &group);
}

bool Group::has_below(const Group& group) const {
  const Group* above = &group;
  for (; above != nullptr && above != this; above = above->parent_) ++steps_;
  return above == this;
}

Group& Group::root() {
  Group* group = this;
  for (; group->parent_ != nullptr; group = group->parent_) ++steps_;
  return *group;
}

void Group::add(Counter& counter, const std::string& name, std::string unit, std::string description) {
  check_new(name);
  const auto behind = place_of(entries_, name, name_);
  check_texts(name, unit, description);
  Group& tree = root();
  const auto [place, is_new] = tree.index_.try_emplace(&counter, Place{this, nullptr});
  if (!is_new) misuse(name_, name, tree.registered_as(place->second));
  const auto entry =
      entries_.emplace_hint(behind, name, CounterEntry{&counter, std::move(unit), std::move(description)});
  place->second.name = &entry->first;
}

const Formula& Group::add_formula(const std::string& name, std::string unit, std::string description,
                                  const CounterList& numerator, const CounterList& denominator,
                                  double scale) {
  check_new(name);
  const auto behind = place_of(entries_, name, name_);
  check_texts(name, unit, description);
  if (!std::isfinite(scale)) misuse(name_, name, "the scale of a formula is finite");
  auto formula =
      std::make_unique<Formula>(*this, operands(name, numerator), operands(name, denominator), scale);
  const Formula& added = *formula;
  entries_.emplace_hint(behind, name,
                        FormulaEntry{std::move(unit), std::move(description), std::move(formula)});
  return added;
}

void Group::add_level(const std::string& name, std::string unit, std::string description, Level level) {
  check_new(name);
  const auto behind = place_of(entries_, name, name_);
  check_texts(name, unit, description);
  entries_.emplace_hint(behind, name, LevelEntry{std::move(unit), std::move(description), std::move(level)});
}

void Group::check_new(const std::string& name) const {
  ++steps_;
  if (name.empty() || !is_name(name)) {
    misuse(name_, name, "a name is not empty, and has no dots and no control characters");
  }
}

void Group::check_texts(const std::string& name, const std::string& unit,
                        const std::string& description) const {
  if (unit.empty()) misuse(name_, name, "the unit is missing");
  if (description.empty()) misuse(name_, name, "the description is missing");
}

// The search is in canonical order, so that the message names the same counter on every machine.
void Group::check_unregistered(const Group& group) const {
  if (index_.empty()) return;
  for (const auto& [name, entry] : group.entries_) {
    ++steps_;
    if (Group* const* below = std::get_if<Group*>(&entry)) check_unregistered(**below);
    const auto* known = std::get_if<CounterEntry>(&entry);
    if (known == nullptr) continue;
    const auto place = index_.find(known->counter);
    if (place != index_.end()) misuse(group.name_, name, registered_as(place->second));
  }
}

std::string Group::registered_as(const Place& place) const {
  std::string path;
  append_path(path, *place.group, *place.name);
  return fmt::format("the counter is registered as '{}' already", path);
}

std::vector<Formula::Operand> Group::operands(const std::string& formula, const CounterList& list) const {
  if (list.empty()) misuse(name_, formula, "a formula has a numerator and a denominator");
  const Index& index = root().index_;
  std::vector<Formula::Operand> operands;
  std::unordered_map<const Counter*, std::size_t> numbers;
  for (const Counter& counter : list) {
    ++steps_;
    const auto [number, is_new] = numbers.try_emplace(&counter, operands.size());
    if (!is_new) {
      ++operands[number->second].times;
      continue;
    }
    const auto place = index.find(&counter);
    if (place == index.end() || !has_below(*place->second.group)) {
      misuse(name_, formula, "an operand is not registered in the formula's group or below it");
    }
    operands.push_back({&counter, place->second.group, place->second.name, 1});
  }
  return operands;
}

void Group::append_path(std::string& path, const Group& group, const std::string& name) const {
  ++steps_;
  if (&group != this) append_path(path, *group.parent_, group.name_);
  append(path, name);
}

void Group::reset() {
  for (auto& [name, entry] : entries_)
    if (auto* known = std::get_if<CounterEntry>(&entry))
      *known->counter = Counter{};
    else if (Group** group = std::get_if<Group*>(&entry))
      (*group)->reset();
}

void Group::visit(const std::function<void(const Statistic&)>& visitor) const {
  Statistic statistic;
  statistic.path = name_;
  visit_below(statistic, false, visitor);
}

void Group::visit_with_levels(const std::function<void(const Statistic&)>& visitor) const {
  Statistic statistic;
  statistic.path = name_;
  visit_below(statistic, true, visitor);
}

void Group::visit_below(Statistic& statistic, bool with_levels,
                        const std::function<void(const Statistic&)>& visitor) const {
  const std::size_t length = statistic.path.size();
  const auto describe = [&](const auto& entry) {
    statistic.unit = entry.unit;
    statistic.description = entry.description;
  };
  for (const auto& [name, entry] : entries_) {
    ++steps_;
    const auto* level = std::get_if<LevelEntry>(&entry);
    if (level != nullptr && !with_levels) continue;
    append(statistic.path, name);
    if (Group* const* below = std::get_if<Group*>(&entry)) {
      (*below)->visit_below(statistic, with_levels, visitor);
    } else {
      const auto* counter = std::get_if<CounterEntry>(&entry);
      const auto* formula = std::get_if<FormulaEntry>(&entry);
      if (counter != nullptr) describe(*counter);
      if (formula != nullptr) describe(*formula);
      if (level != nullptr) describe(*level);
      statistic.counter = counter != nullptr ? counter->counter : nullptr;
      statistic.formula = formula != nullptr ? formula->formula.get() : nullptr;
      statistic.level = level != nullptr ? &level->level : nullptr;
      statistic.group_length = length;
      visitor(statistic);
    }
    statistic.path.resize(length);
  }
}

const Counter* Group::find(std::string_view path) const {
  if (!name_.empty()) {
    if (path.substr(0, name_.size()) != name_ || path.substr(name_.size(), 1) != ".") return nullptr;
    path.remove_prefix(name_.size() + 1);
  }
  const Group* group = this;
  while (true) {
    const std::size_t dot = path.find('.');
    const auto found = group->entries_.find(path.substr(0, dot));
    if (found == group->entries_.end()) return nullptr;
    if (dot == std::string_view::npos) {
      const auto* known = std::get_if<CounterEntry>(&found->second);
      return known != nullptr ? known->counter : nullptr;
    }
    Group* const* below = std::get_if<Group*>(&found->second);
    if (below == nullptr) return nullptr;
    group = *below;
    path.remove_prefix(dot + 1);
  }
}

std::vector<const Counter*> Group::counters() const {
  std::vector<const Counter*> all;
  visit([&](const Statistic& statistic) {
    if (!statistic.is_formula()) all.push_back(statistic.counter);
  });
  return all;
}

std::uint64_t Group::steps() const {
  std::uint64_t sum = steps_;
  for (const auto& [name, entry] : entries_)
    if (Group* const* below = std::get_if<Group*>(&entry)) sum += (*below)->steps();
  return sum;
}

}  // namespace heddle
