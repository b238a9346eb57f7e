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

// Takes the run of digits at the front of `text`, and returns it without leading zeros.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + '.' + name;
}

template <typename Operands>
double sum(const Operands& operands) {
  std::uint64_t total = 0;
  for (const Statistic::Operand& operand : operands) total += operand.value;
  return static_cast<double>(total);
}

}  // namespace

bool natural_less(std::string_view left, std::string_view right) {
  std::string_view a = left, b = right;
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
  return left < right;  // they differ in leading zeros at most
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
  owned_.push_back(std::make_unique<Group>(name));
  entries_.emplace(name, owned_.back().get());
  return *owned_.back();
}

void Group::attach(Group& group) {
  check_new(group.name_);
  if (group.reaches(*this)) misuse(name_, group.name_, "a group cannot be below itself");
  entries_.emplace(group.name_, &group);
}

bool Group::reaches(const Group& group) const {
  if (this == &group) return true;
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& item) {
    Group* const* below = std::get_if<Group*>(&item.second);
    return below != nullptr && (*below)->reaches(group);
  });
}

void Group::add(Counter& counter, const std::string& name, std::string unit, std::string description) {
  check_new(name);
  check_texts(name, unit, description);
  for (const auto& [other, entry] : entries_) {
    const auto* known = std::get_if<CounterEntry>(&entry);
    if (known != nullptr && known->counter == &counter) {
      misuse(name_, name, fmt::format("the counter is registered as '{}' already", other));
    }
  }
  entries_.emplace(name, CounterEntry{&counter, std::move(unit), std::move(description)});
}

void Group::add_formula(const std::string& name, std::string unit, std::string description,
                        const CounterList& numerator, const CounterList& denominator, double scale) {
  check_new(name);
  check_texts(name, unit, description);
  if (!std::isfinite(scale)) misuse(name_, name, "the scale of a formula is finite");
  entries_.emplace(name, FormulaEntry{std::move(unit), std::move(description), operands(name, numerator),
                                      operands(name, denominator), scale});
}

void Group::check_new(const std::string& name) const {
  if (name.empty() || !is_name(name)) {
    misuse(name_, name, "a name is not empty, and has no dots and no control characters");
  }
  if (entries_.count(name) != 0) misuse(name_, name, "the name is taken");
}

void Group::check_texts(const std::string& name, const std::string& unit,
                        const std::string& description) const {
  if (unit.empty()) misuse(name_, name, "the unit is missing");
  if (description.empty()) misuse(name_, name, "the description is missing");
}

std::vector<const Counter*> Group::operands(const std::string& formula, const CounterList& list) const {
  if (list.empty()) misuse(name_, formula, "a formula has a numerator and a denominator");
  std::vector<const Counter*> counters;
  for (const Counter& counter : list) {
    if (path_below(counter).empty()) {
      misuse(name_, formula, "an operand is not registered in the formula's group or below it");
    }
    counters.push_back(&counter);
  }
  return counters;
}

std::string Group::path_below(const Counter& counter) const {
  for (const auto& [name, entry] : entries_) {
    if (const auto* known = std::get_if<CounterEntry>(&entry)) {
      if (known->counter == &counter) return name;
    } else if (Group* const* group = std::get_if<Group*>(&entry)) {
      const std::string path = (*group)->path_below(counter);
      if (!path.empty()) return joined(name, path);
    }
  }
  return {};
}

void Group::reset() {
  for (auto& [name, entry] : entries_)
    if (auto* known = std::get_if<CounterEntry>(&entry))
      *known->counter = Counter{};
    else if (Group** group = std::get_if<Group*>(&entry))
      (*group)->reset();
}

void Group::visit(const std::function<void(const Statistic&)>& visitor) const {
  visit_below(name_, visitor);
}

void Group::visit_below(const std::string& prefix,
                        const std::function<void(const Statistic&)>& visitor) const {
  for (const auto& [name, entry] : entries_) {
    if (const auto* known = std::get_if<CounterEntry>(&entry)) {
      visitor({joined(prefix, name), known->unit, known->description, known->counter, {}, {}, {}});
    } else if (const auto* formula = std::get_if<FormulaEntry>(&entry)) {
      visitor(evaluate(prefix, name, *formula));
    } else {
      std::get<Group*>(entry)->visit_below(joined(prefix, name), visitor);
    }
  }
}

Statistic Group::evaluate(const std::string& prefix, const std::string& name,
                          const FormulaEntry& entry) const {
  Statistic result{joined(prefix, name), entry.unit, entry.description, nullptr, {}, {}, {}};
  for (const Counter* counter : entry.numerator) {
    result.numerator.push_back({joined(prefix, path_below(*counter)), counter->value()});
  }
  for (const Counter* counter : entry.denominator) {
    result.denominator.push_back({joined(prefix, path_below(*counter)), counter->value()});
  }
  const double value = entry.scale * sum(result.numerator) / sum(result.denominator);
  if (std::isfinite(value)) result.ratio = value;
  return result;
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

}  // namespace heddle
