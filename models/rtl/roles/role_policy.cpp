#include "models/rtl/roles/role_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace heddle {

namespace {

constexpr std::uint32_t kWordBits = 64;

struct Range {
  std::int64_t least;
  std::int64_t most;
};

// Returns the values of a number of a role.
Range range_of(const char* signal) {
  const auto is = [signal](const char* name) { return std::strcmp(signal, name) == 0; };
  if (is("priorities"))
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  if (is("operations")) return {0, 4};
  if (is("kernels") || is("contexts")) return {0, std::numeric_limits<std::uint32_t>::max() - 1};
  return {0, std::numeric_limits<std::int64_t>::max()};
}

// Returns whether the name is that of an output that is not the number of the choice.
bool ends_in(const char* name, const char* end) {
  const std::size_t length = std::strlen(name);
  const std::size_t tail = std::strlen(end);
  return length >= tail && std::strcmp(name + length - tail, end) == 0;
}

}  // namespace

RolePolicy::RolePolicy(const RtlRole& role, std::uint32_t things) : role_(role), things_(things) {
  for (std::size_t i = 0; i < role.signals.size(); ++i) values_.emplace_back(elements(i));
}

std::uint32_t RolePolicy::elements(std::size_t signal) const {
  switch (role_.signals[signal].kind) {
    case RtlKind::kMask:
      return (things_ + kWordBits - 1) / kWordBits;
    case RtlKind::kNumbers:
      return things_;
    default:
      return 1;
  }
}

void RolePolicy::fail(const std::string& why) const {
  throw PolicyError(fmt::format("{}: {}", role_.name, why));
}

void RolePolicy::check_element(std::size_t signal, std::uint32_t element) const {
  if (element >= elements(signal))
    fail(fmt::format("signal '{}' has elements 0 to {}, and no element {}", role_.signals[signal].name,
                     elements(signal) - 1, element));
}

void RolePolicy::check_value(std::size_t signal, std::uint32_t element, std::int64_t value) const {
  const RtlRoleSignal& known = role_.signals[signal];
  if (known.kind == RtlKind::kMask) {
    const std::uint32_t bits = things_ - element * kWordBits;  // in this word and those above it
    if (bits < kWordBits && static_cast<std::uint64_t>(value) >> bits != 0)
      fail(fmt::format("signal '{}' has a bit for each of {} things; {:#x} has more", known.name, things_,
                       static_cast<std::uint64_t>(value)));
    return;
  }
  const Range range = range_of(known.name);
  if (value < range.least || value > range.most)
    fail(fmt::format("{} is no value of signal '{}', which has {} to {}", value, known.name, range.least,
                     range.most));
}

void RolePolicy::set(std::size_t signal, std::uint32_t element, std::int64_t value) {
  if (!role_.signals[signal].is_input)
    fail(fmt::format("signal '{}' is an output, which only the policy sets", role_.signals[signal].name));
  check_element(signal, element);
  check_value(signal, element, value);
  values_[signal][element] = static_cast<std::uint64_t>(value);
}

std::int64_t RolePolicy::get(std::size_t signal, std::uint32_t element) const {
  check_element(signal, element);
  return static_cast<std::int64_t>(values_[signal][element]);
}

std::uint32_t RolePolicy::choose() {
  if (asked_) fail("the policy was asked in this tick already; the tick ends before the next choice");
  pass_events();
  const std::uint32_t chosen = has_choices() ? ask() : kNone;
  asked_ = true;
  chosen_ = chosen;
  show(chosen);
  return chosen;
}

// Sets the outputs: the number of the choice, whether there is one, and the same as a mask.
void RolePolicy::show(std::uint32_t chosen) {
  for (std::size_t i = 0; i < role_.signals.size(); ++i) {
    if (role_.signals[i].is_input) continue;
    std::fill(values_[i].begin(), values_[i].end(), 0);
    if (chosen == kNone) continue;
    if (role_.signals[i].kind == RtlKind::kMask)
      values_[i][chosen / kWordBits] = std::uint64_t{1} << chosen % kWordBits;
    else
      values_[i][0] = ends_in(role_.signals[i].name, "_valid") ? 1 : chosen;
  }
}

std::uint32_t RolePolicy::taken_thing() const {
  std::uint32_t taken = kNone;
  const Words& words = input(signal("taken"));
  for (std::uint32_t w = 0; w < words.size(); ++w) {
    if (words[w] == 0) continue;
    if (taken != kNone || (words[w] & (words[w] - 1)) != 0) fail("signal 'taken' has several bits");
    taken = w * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(words[w]));
  }
  return taken;
}

void RolePolicy::tick() {
  const std::uint32_t taken = taken_thing();
  if (taken != kNone && !asked_) fail("signal 'taken' is set in a tick in which nothing was chosen");
  if (asked_)
    follow(chosen_, taken);
  else
    pass_events();
  clear_events();
  ++ticks_;
}

void RolePolicy::clear_events() {
  for (const char* name : {"taken", "started", "ended"})
    if (const std::size_t i = signal(name); i != RtlRole::kNoSignal)
      std::fill(values_[i].begin(), values_[i].end(), 0);
  asked_ = false;
}

void RolePolicy::reset() {
  reset_policy();
  for (Words& words : values_) std::fill(words.begin(), words.end(), 0);
  ticks_ = 0;
  asked_ = false;
  chosen_ = kNone;
}

}  // namespace heddle
