#pragma once
// A role is what a block in RTL can do in the machine. It belongs to a decision, and has signals that the
// pins of the block are connected to. The tables of all roles are in rtl_role.cpp; `heddle list rtl` prints
// them.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class RtlKind : std::uint8_t {
  kFlag,     // one bit
  kMask,     // a bit for each of the role's things, such as the warp slots of an SM; a pin may have more bits
  kNumber,   // one number, in a pin of any width that it fits
  kNumbers,  // a number for each of the role's things, in elements of one pin, the first in the lowest bits
};
const char* name_of(RtlKind kind);

struct RtlRoleSignal {
  const char* name;
  bool is_input;  // of the block
  RtlKind kind;
  const char* description;
};

struct RtlRole {
  const char* name;
  const char* decision;  // the decision at which `rtl.NAME` may be named
  const char* domain;    // the clock domain of its ticks
  const char* things;    // what masks have a bit for
  // A unit works for several ticks between start and done, for this policy. A block of any other role chooses
  // within one tick; this is null.
  const char* asked_by;
  std::vector<RtlRoleSignal> signals;
  // Lists of outputs; at least one of each list is connected.
  std::vector<std::vector<const char*>> needed;

  static constexpr std::size_t kNoSignal = ~std::size_t{0};
  std::size_t find(const std::string& signal) const;  // returns its index in `signals`, or kNoSignal
};

const std::vector<RtlRole>& rtl_roles();
const RtlRole* find_rtl_role(const std::string& name);  // null if there is none

}  // namespace heddle
