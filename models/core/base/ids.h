#pragma once
// Everything that is numbered has a type of its own, so that an SM is never passed where a kernel is meant.

#include <cstdint>
#include <functional>
#include <limits>

namespace heddle {

template <class Tag, class Raw>
struct Id {
  static constexpr Raw kNoneValue = std::numeric_limits<Raw>::max();
  Raw value = kNoneValue;

  constexpr Id() = default;
  constexpr explicit Id(Raw raw) : value(raw) {}
  static constexpr Id none() { return Id{}; }
  constexpr bool valid() const { return value != kNoneValue; }

  friend constexpr bool operator==(Id a, Id b) { return a.value == b.value; }
  friend constexpr bool operator!=(Id a, Id b) { return a.value != b.value; }
  friend constexpr bool operator<(Id a, Id b) { return a.value < b.value; }
};

using SmId = Id<struct SmTag, std::uint32_t>;            // 0 .. SMs - 1
using KsrId = Id<struct KsrTag, std::uint32_t>;          // kernel status register, 0 .. KSRs - 1
using ContextId = Id<struct ContextTag, std::uint32_t>;  // a process on the GPU, 0 .. contexts - 1
using StreamId = Id<struct StreamTag, std::uint32_t>;    // within a context
using QueueId = Id<struct QueueTag, std::uint32_t>;      // hardware queue
// The account of a launch: what blocks count for the launch, they count under this number. It is in use while
// anything of the launch is in the machine.
using AccountId = Id<struct AccountTag, std::uint32_t>;
using KernelId = Id<struct KernelTag, std::uint64_t>;  // one launch; counted from 0 in launch order
using BlockId = Id<struct BlockTag, std::uint64_t>;    // linear index of a thread block in its grid
using Address = std::uint64_t;                         // bytes

// A Cycle counts the edges of one clock domain. A difference of cycles is a plain integer. Blocks store the
// cycle at which something is due, never a countdown.
struct Cycle {
  std::uint64_t value = 0;

  constexpr Cycle() = default;
  constexpr explicit Cycle(std::uint64_t raw) : value(raw) {}
  static constexpr Cycle never() { return Cycle{std::numeric_limits<std::uint64_t>::max()}; }

  friend constexpr bool operator==(Cycle a, Cycle b) { return a.value == b.value; }
  friend constexpr bool operator!=(Cycle a, Cycle b) { return a.value != b.value; }
  friend constexpr bool operator<(Cycle a, Cycle b) { return a.value < b.value; }
  friend constexpr bool operator<=(Cycle a, Cycle b) { return a.value <= b.value; }
  friend constexpr bool operator>(Cycle a, Cycle b) { return a.value > b.value; }
  friend constexpr bool operator>=(Cycle a, Cycle b) { return a.value >= b.value; }
  friend constexpr Cycle operator+(Cycle a, std::uint64_t cycles) { return Cycle{a.value + cycles}; }
  friend constexpr Cycle operator-(Cycle a, std::uint64_t cycles) { return Cycle{a.value - cycles}; }
  friend constexpr std::uint64_t operator-(Cycle a, Cycle b) { return a.value - b.value; }
};

}  // namespace heddle

template <class Tag, class Raw>
struct std::hash<heddle::Id<Tag, Raw>> {
  std::size_t operator()(heddle::Id<Tag, Raw> id) const { return std::hash<Raw>{}(id.value); }
};
