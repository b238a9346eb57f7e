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

// A ContextTable has an element for each context that has been asked for, and one for requests without a
// context. It grows when a context is asked for that it does not have.
template <class T>
class ContextTable {
 public:
  T& operator[](ContextId context) {
    const std::uint32_t place = place_of(context);
    if (place >= elements_.size()) elements_.resize(place + std::size_t{1});
    return elements_[place];
  }
  // The context must have been asked for before, by the operator [].
  const T& at(ContextId context) const { return elements_[place_of(context)]; }
  std::vector<T>& all() { return elements_; }
  const std::vector<T>& all() const { return elements_; }
  void fill(const T& value) { elements_.assign(elements_.size(), value); }
  void clear() { elements_.clear(); }

 private:
  // The element of a context lies at its number plus 1. The number of none() is the largest of its type, so
  // that the addition gives 0.
  static std::uint32_t place_of(ContextId context) { return context.value + 1; }
  std::vector<T> elements_;
};

// ContextNumbers read a parameter of a policy that lists a number for each application of the experiment. The
// contexts have the same order as the applications. A context without an entry in the list and a request
// without a context have the number `other`.
class ContextNumbers {
 public:
  ContextNumbers(const PolicyParameters& parameters, const std::string& name, std::uint64_t other)
      : other_(other) {
    const IntegerLists& lists = parameters.lists(name);
    if (lists.empty()) return;
    for (const std::int64_t number : lists.front()) numbers_.push_back(static_cast<std::uint64_t>(number));
  }
  // Returns why the parameter is no list of one number for each application, or nothing if it is one.
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

// StartTags are the tags of start-time fair queueing (Goyal et al., SIGCOMM 1996, Section 2). A request of a
// context has the start tag max(v, f), where v is the virtual time and f the end tag of the context's
// previous request. Its end tag is the start tag plus the size of the request over the weight of the context.
class StartTags {
 public:
  static constexpr std::uint64_t kUnit = 1 << 20;  // virtual time of a request of size 1 at weight 1

  explicit StartTags(ContextNumbers weights) : weights_(std::move(weights)) {}

  std::uint64_t start(ContextId context, std::uint64_t virtual_time) {
    return std::max(virtual_time, end_[context]);
  }
  // The context makes a request of this size. The function returns its start tag.
  std::uint64_t take(ContextId context, std::uint64_t size, std::uint64_t virtual_time) {
    std::uint64_t& end = end_[context];
    const std::uint64_t start = std::max(virtual_time, end);
    end = start + size * kUnit / weights_.of(context);
    return start;
  }
  void reset() { end_.clear(); }

 private:
  const ContextNumbers weights_;
  ContextTable<std::uint64_t> end_;  // end tag of the last request of each context
};

}  // namespace heddle
