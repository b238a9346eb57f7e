#pragma once
// What policies keep for each context: a table that grows with the contexts that are named, numbers that the
// experiment gives to applications, and the tags of start-time fair queueing.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"
#include "policies/parameters.h"

namespace heddle {

// One element for each context that has been named, and one for requests without a context. The number of a
// place is that of the context plus 1.
template <class T>
class ContextTable {
 public:
  T& operator[](ContextId context) {
    const std::uint32_t place = place_of(context);
    if (place >= elements_.size()) elements_.resize(place + std::size_t{1});
    return elements_[place];
  }
  // The context has been named before.
  const T& at(ContextId context) const { return elements_[place_of(context)]; }
  std::vector<T>& all() { return elements_; }
  const std::vector<T>& all() const { return elements_; }
  void fill(const T& value) { elements_.assign(elements_.size(), value); }
  void clear() { elements_.clear(); }

 private:
  // none() has the largest number, to which the addition of 1 gives place 0.
  static std::uint32_t place_of(ContextId context) { return context.value + 1; }
  std::vector<T> elements_;
};

// The numbers of a parameter by application, in the order of the experiment, whose contexts have the same
// order. A context behind the list and a request without a context have the number `other`.
class ContextNumbers {
 public:
  ContextNumbers(const PolicyParameters& parameters, const std::string& name, std::uint64_t other)
      : other_(other) {
    const IntegerLists& lists = parameters.lists(name);
    if (lists.empty()) return;
    for (const std::int64_t number : lists.front()) numbers_.push_back(static_cast<std::uint64_t>(number));
  }
  // Why the parameter is no list of numbers by application; empty if it is one.
  static std::string misfit(const std::string& policy, const PolicyParameters& parameters,
                            const std::string& name) {
    return parameters.lists(name).size() > 1 ? policy + " takes one list of " + name : "";
  }

  std::uint64_t of(ContextId context) const {
    return context.value < numbers_.size() ? numbers_[context.value] : other_;
  }

 private:
  std::uint64_t other_;
  std::vector<std::uint64_t> numbers_;  // by context
};

// The tags of start-time fair queueing (Goyal et al., SIGCOMM 1996, Section 2). What a context asks has the
// start tag max(v, f): v is the virtual time, and f the end tag of what it asked before. The end tag is
// higher by the size divided by the weight of the context.
class StartTags {
 public:
  static constexpr std::uint64_t kUnit = 1 << 20;  // of virtual time, for the size 1 and the weight 1

  explicit StartTags(ContextNumbers weights) : weights_(std::move(weights)) {}

  std::uint64_t start(ContextId context, std::uint64_t virtual_time) {
    return std::max(virtual_time, end_[context]);
  }
  // The context asks for `size`. Returns the start tag.
  std::uint64_t take(ContextId context, std::uint64_t size, std::uint64_t virtual_time) {
    std::uint64_t& end = end_[context];
    const std::uint64_t start = std::max(virtual_time, end);
    end = start + size * kUnit / weights_.of(context);
    return start;
  }
  void reset() { end_.clear(); }

 private:
  const ContextNumbers weights_;
  ContextTable<std::uint64_t> end_;  // of what each context has asked last
};

}  // namespace heddle
